package handlers

import (
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// lastNew returns the index of the last new entry, or -1.
func lastNew(entries []notifier.Entry) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].New {
			return i
		}
	}
	return -1
}

// divide puts the divider "New · 6" above the first new row of a first page, and "Earlier" above the first row of a
// page whose previous page had only new rows.
func (m rowMaker) divide(days []views.Day, q inboxQuery, page notifier.Page) {
	if len(days) == 0 {
		return
	}
	if endedNew(q, page) {
		days[0].Rows[0].Divider = m.text.T("inbox.seen_before")
		return
	}
	if q.Before > 0 {
		return // the divider is on an earlier page
	}
	for _, day := range days {
		for i := range day.Rows {
			if day.Rows[i].New {
				day.Rows[i].Divider = dividerNew(m.text, page)
				return
			}
		}
	}
}

func dividerNew(text *locale.Printer, page notifier.Page) string {
	if n := countNew(page); n > 0 {
		return text.N("inbox.divider_new", n)
	}
	return text.T("inbox.mark_new")
}

// endedNew reports whether the previous page ended with entries newer than the last opening and this page starts with
// an older one.
func endedNew(q inboxQuery, page notifier.Page) bool {
	return !q.Unread && !q.PutAway() && page.Opened > 0 && q.Before > page.Opened && page.Entries[0].At <= page.Opened
}

// inboxCount returns the line above the list: the number of unread entries or, if there are none, of new ones.
func inboxCount(text *locale.Printer, page notifier.Page) string {
	if page.Unread > 0 {
		return text.N("js.unread", page.Unread)
	}
	if n := countNew(page); n > 0 {
		return text.N("inbox.new", n)
	}
	return ""
}

// countNew returns the number of new entries on all pages. It returns 0 if there are none or the next page may have
// more.
func countNew(page notifier.Page) int64 {
	if page.Turned > 0 {
		return page.Turned
	}
	var fresh int64
	for i := range page.Entries {
		if page.Entries[i].New {
			fresh++
		}
	}
	if page.Older > 0 && int(fresh) == len(page.Entries) {
		return 0
	}
	return fresh
}
