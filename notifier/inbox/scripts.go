package inbox

import (
	_ "embed"

	"github.com/carillonhq/carillon/internal/script"
)

// The sources of the scripts and of the functions that they share.
var (
	//go:embed find_row.lua
	findRow string
	//go:embed expires_soon.lua
	expiresSoon string
	//go:embed mark_expiry.lua
	markExpiry string
	//go:embed remove_row.lua
	removeRow string
	//go:embed trim_gone.lua
	trimGone string
	//go:embed save_state.lua
	saveState string
	//go:embed seek_row.lua
	seekRow string
	//go:embed find_due.lua
	findDue string
	//go:embed find_unread.lua
	findUnread string
	//go:embed write_rows.lua
	writeRows string
	//go:embed read_values.lua
	readValues string
	//go:embed count_read.lua
	countRead string
	//go:embed turn_rows.lua
	turnRows string
	//go:embed push_all.lua
	pushAll string
	//go:embed mark_expiries.lua
	markExpiries string
	//go:embed clear_rows.lua
	clearRows string
	//go:embed raise_fence.lua
	raiseFence string
	//go:embed read_rows.lua
	readRows string

	//go:embed deliver_notice.lua
	deliverSource string
	//go:embed open_inbox.lua
	openSource string
	//go:embed look_inbox.lua
	lookSource string
	//go:embed mark_entry.lua
	markSource string
	//go:embed read_upto.lua
	uptoSource string
	//go:embed delete_entry.lua
	deleteSource string
	//go:embed restore_entry.lua
	restoreSource string
	//go:embed retract_notice.lua
	retractSource string
	//go:embed expire_entries.lua
	expireSource string
	//go:embed restore_inbox.lua
	restoreInboxSource string
	//go:embed read_snapshot.lua
	snapshotSource string
	//go:embed clean_dirty.lua
	cleanSource string
	//go:embed evict_inbox.lua
	evictSource string
	//go:embed erase_inbox.lua
	eraseSource string
	//go:embed check_inbox.lua
	checkSource string
	//go:embed renew_inbox.lua
	renewSource string
	//go:embed restore_counts.lua
	restoreCountsSource string
	//go:embed forget_counts.lua
	forgetCountsSource string
	//go:embed poll_inbox.lua
	pollSource string
	//go:embed read_keys.lua
	readKeysSource string
	//go:embed read_subject.lua
	readSubjectSource string
	//go:embed edit_notice.lua
	editSource string
)

// Each script with the functions that it calls before it.
var (
	deliverNotice = script.New("deliver_notice", findRow, expiresSoon, markExpiry, removeRow, trimGone, saveState, deliverSource)
	openInbox     = script.New("open_inbox", findDue, findUnread, readValues, countRead, writeRows, turnRows, saveState, openSource)
	lookInbox     = script.New("look_inbox", findDue, seekRow, lookSource)
	markEntry     = script.New("mark_entry", findRow, saveState, markSource)
	readUpto      = script.New("read_upto", findDue, findRow, findUnread, readValues, countRead, writeRows, turnRows, saveState, uptoSource)
	deleteEntry   = script.New("delete_entry", findRow, expiresSoon, removeRow, trimGone, saveState, deleteSource)
	restoreEntry  = script.New("restore_entry", findRow, seekRow, expiresSoon, markExpiry, saveState, restoreSource)
	retractNotice = script.New("retract_notice", findRow, expiresSoon, removeRow, trimGone, saveState, retractSource)
	expireEntries = script.New("expire_entries", findRow, expiresSoon, removeRow, trimGone, saveState, expireSource)
	restoreInbox  = script.New("restore_inbox", expiresSoon, pushAll, clearRows, markExpiries, trimGone, saveState, restoreInboxSource)
	readSnapshot  = script.New("read_snapshot", snapshotSource)
	cleanDirty    = script.New("clean_dirty", cleanSource)
	evictInbox    = script.New("evict_inbox", pushAll, clearRows, raiseFence, evictSource)
	eraseInbox    = script.New("erase_inbox", pushAll, clearRows, raiseFence, eraseSource)
	checkInbox    = script.New("check_inbox", pushAll, saveState, checkSource)
	renewInbox    = script.New("renew_inbox", saveState, renewSource)
	restoreCounts = script.New("restore_counts", restoreCountsSource)
	forgetCounts  = script.New("forget_counts", forgetCountsSource)
	pollInbox     = script.New("poll_inbox", findDue, seekRow, pollSource)
	readKeys      = script.New("read_keys", findDue, findRow, findUnread, readValues, countRead, writeRows, turnRows, saveState, readRows, readKeysSource)
	readSubject   = script.New("read_subject", findDue, findUnread, readValues, countRead, writeRows, turnRows, saveState, readRows, readSubjectSource)
	editNotice    = script.New("edit_notice", findRow, saveState, editSource)
)

// allScripts lists what Load puts on every master.
func allScripts() []*script.Script {
	return []*script.Script{
		deliverNotice, openInbox, lookInbox, markEntry,
		readUpto, deleteEntry, restoreEntry, retractNotice, expireEntries,
		restoreInbox, readSnapshot, cleanDirty,
		evictInbox, eraseInbox, checkInbox, renewInbox, restoreCounts, forgetCounts,
		pollInbox, readKeys, readSubject, editNotice,
	}
}
