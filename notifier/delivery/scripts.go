package delivery

import (
	"embed"

	"github.com/carillonhq/carillon/internal/script"
)

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	lookStream     = scripts.Get("look_stream")
	trimStream     = scripts.Get("trim_stream")
	renewStream    = scripts.Get("renew_stream")
	replaceEntry   = scripts.Get("replace_entry")
	reclaimEntries = scripts.Get("reclaim_entries")
	dropMembers    = scripts.Get("drop_members")
	listNotices    = scripts.Get("list_notices")
)
