package inbox

import (
	"embed"

	"github.com/carillonhq/carillon/internal/script"
)

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	deliverNotice   = scripts.Get("deliver_notice")
	openInbox       = scripts.Get("open_inbox")
	readPage        = scripts.Get("read_page")
	markRows        = scripts.Get("mark_rows")
	readUpto        = scripts.Get("read_upto")
	deleteRows      = scripts.Get("delete_rows")
	restoreRows     = scripts.Get("restore_rows")
	archiveRows     = scripts.Get("archive_rows")
	unarchiveRows   = scripts.Get("unarchive_rows")
	deleteArchived  = scripts.Get("delete_archived")
	restoreArchived = scripts.Get("restore_archived")
	wakeRows        = scripts.Get("wake_rows")
	readArchive     = scripts.Get("read_archive")
	countLater      = scripts.Get("count_later")
	retractNotice   = scripts.Get("retract_notice")
	expireEntries   = scripts.Get("expire_entries")
	restoreInbox    = scripts.Get("restore_inbox")
	readSnapshot    = scripts.Get("read_snapshot")
	cleanDirty      = scripts.Get("clean_dirty")
	ripenMarks      = scripts.Get("ripen_marks")
	evictInbox      = scripts.Get("evict_inbox")
	eraseInbox      = scripts.Get("erase_inbox")
	checkInbox      = scripts.Get("check_inbox")
	renewInbox      = scripts.Get("renew_inbox")
	restoreCounts   = scripts.Get("restore_counts")
	forgetCounts    = scripts.Get("forget_counts")
	pollInbox       = scripts.Get("poll_inbox")
	readKeys        = scripts.Get("read_keys")
	readSubject     = scripts.Get("read_subject")
	editNotice      = scripts.Get("edit_notice")
	countSection    = scripts.Get("count_section")
	countRows       = scripts.Get("count_rows")
	readSection     = scripts.Get("read_section")
	openSection     = scripts.Get("open_section")
	regroupRow      = scripts.Get("regroup_row")
)

// ScriptName returns the name of this package's script with this hash; empty: it belongs to another package.
func ScriptName(sha string) string { return scripts.NameOf(sha) }
