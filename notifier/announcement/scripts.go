package announcement

import (
	"embed"

	"github.com/carillonhq/carillon/internal/script"
)

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	planIndex     = scripts.Get("plan_index")
	lookIndex     = scripts.Get("look_index")
	fetchIndex    = scripts.Get("fetch_index")
	countPart     = scripts.Get("count_part")
	countReaders  = scripts.Get("count_readers")
	lookReaders   = scripts.Get("look_readers")
	closeOver     = scripts.Get("close_over")
	markBits      = scripts.Get("mark_bits")
	restoreBits   = scripts.Get("restore_bits")
	cleanSegments = scripts.Get("clean_segments")
	dropBits      = scripts.Get("drop_bits")
	mergeBits     = scripts.Get("merge_bits")
	renewIndex    = scripts.Get("renew_index")
	raiseIndex    = scripts.Get("raise_index")
)
