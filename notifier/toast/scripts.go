package toast

import (
	"embed"

	"github.com/carillonhq/carillon/internal/script"
)

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	raiseToast   = scripts.Get("raise_toast")
	takeToast    = scripts.Get("take_toast")
	ackToast     = scripts.Get("ack_toast")
	clearToasts  = scripts.Get("clear_toasts")
	forgetToasts = scripts.Get("forget_toasts")
)
