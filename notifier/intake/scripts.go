package intake

import (
	_ "embed"

	"github.com/carillonhq/carillon/internal/script"
)

var (
	//go:embed read_group.lua
	readGroup string
	//go:embed look_stream.lua
	lookSource string
	//go:embed trim_stream.lua
	trimSource string
	//go:embed renew_stream.lua
	renewSource string
	//go:embed replace_entry.lua
	replaceSource string
	//go:embed reclaim_entries.lua
	reclaimSource string
	//go:embed drop_members.lua
	dropSource string
	//go:embed list_notices.lua
	listSource string
)

// Each script with the functions that it calls before it.
var (
	lookStream     = script.New("look_stream", readGroup, lookSource)
	trimStream     = script.New("trim_stream", readGroup, trimSource)
	renewStream    = script.New("renew_stream", readGroup, renewSource)
	replaceEntry   = script.New("replace_entry", replaceSource)
	reclaimEntries = script.New("reclaim_entries", reclaimSource)
	dropMembers    = script.New("drop_members", readGroup, dropSource)
	listNotices    = script.New("list_notices", listSource)
)
