package toast

import (
	_ "embed"

	"github.com/carillonhq/carillon/internal/script"
)

// The sources of the scripts and of the functions that they share.
var (
	//go:embed redis_time.lua
	redisTime string
	//go:embed score_of.lua
	scoreOf string
	//go:embed read_waiting.lua
	readWaiting string
	//go:embed settle_toast.lua
	settleToast string
	//go:embed find_holder.lua
	findHolder string
	//go:embed read_toast.lua
	readToast string
	//go:embed read_row.lua
	readRow string

	//go:embed raise_toast.lua
	raiseSource string
	//go:embed take_toast.lua
	takeSource string
	//go:embed ack_toast.lua
	ackSource string
	//go:embed clear_toasts.lua
	clearSource string
	//go:embed forget_toasts.lua
	forgetSource string
)

var (
	raiseToast   = script.New("raise_toast", redisTime, scoreOf, readWaiting, settleToast, raiseSource)
	takeToast    = script.New("take_toast", redisTime, readWaiting, settleToast, findHolder, readToast, readRow, takeSource)
	ackToast     = script.New("ack_toast", settleToast, ackSource)
	clearToasts  = script.New("clear_toasts", redisTime, clearSource)
	forgetToasts = script.New("forget_toasts", settleToast, forgetSource)
)
