package api

import (
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// summary returns one line for a status bar: the badge and the title of the newest unread
// entry among these.
func summary(text *locale.Printer, unread int64, entries []notifier.Entry) string {
	if unread == 0 {
		return text.T("js.unread_none")
	}
	line := text.N("js.unread", unread)
	for i := range entries {
		if e := &entries[i]; !e.Read {
			return text.F("js.newest", "Unread", line, "Title", e.Title)
		}
	}
	return line
}
