package announcement

import (
	_ "embed"

	"github.com/carillonhq/carillon/internal/script"
)

// The sources of the scripts and of the functions that they share.
var (
	//go:embed read_clock.lua
	readClock string
	//go:embed read_index.lua
	readIndex string
	//go:embed write_index.lua
	writeIndex string
	//go:embed tell_open.lua
	tellOpen string
	//go:embed same_windows.lua
	sameWindows string
	//go:embed check_index.lua
	checkIndex string
	//go:embed get_bits.lua
	getBits string
	//go:embed tell_turn.lua
	tellTurn string
	//go:embed count_bits.lua
	countBits string

	//go:embed plan_index.lua
	planSource string
	//go:embed look_index.lua
	lookSource string
	//go:embed count_readers.lua
	countSource string
	//go:embed look_readers.lua
	readersSource string
	//go:embed close_over.lua
	closeSource string
	//go:embed mark_bits.lua
	markSource string
	//go:embed restore_bits.lua
	restoreSource string
	//go:embed clean_segments.lua
	cleanSource string
	//go:embed drop_bits.lua
	dropSource string
	//go:embed count_part.lua
	partSource string
	//go:embed fetch_index.lua
	fetchSource string
	//go:embed merge_bits.lua
	mergeSource string
	//go:embed renew_index.lua
	renewSource string
)

// Each script with the functions that it calls before it.
var (
	planIndex     = script.New("plan_index", readClock, readIndex, writeIndex, tellOpen, tellTurn, sameWindows, planSource)
	lookIndex     = script.New("look_index", readClock, readIndex, lookSource)
	fetchIndex    = script.New("fetch_index", readIndex, fetchSource)
	countPart     = script.New("count_part", countBits, partSource)
	countReaders  = script.New("count_readers", checkIndex, getBits, countSource)
	lookReaders   = script.New("look_readers", checkIndex, getBits, readersSource)
	closeOver     = script.New("close_over", readClock, readIndex, tellTurn, closeSource)
	markBits      = script.New("mark_bits", readClock, checkIndex, markSource)
	restoreBits   = script.New("restore_bits", restoreSource)
	cleanSegments = script.New("clean_segments", cleanSource)
	dropBits      = script.New("drop_bits", readClock, countBits, dropSource)
	mergeBits     = script.New("merge_bits", mergeSource)
	renewIndex    = script.New("renew_index", renewSource)
)

// allScripts lists what Load puts on every master.
func allScripts() []*script.Script {
	return []*script.Script{
		planIndex, lookIndex, fetchIndex, countReaders, countPart, lookReaders, closeOver, markBits, restoreBits, cleanSegments, dropBits, mergeBits, renewIndex,
	}
}
