package handlers

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// rowMaker turns entries into rows for one reader.
type rowMaker struct {
	text    *locale.Printer
	looks   *looks
	types   typeNames
	mutable func(typ string) bool
	now     time.Time // in the reader's zone
}

func (h *Handlers) rowMaker(r *http.Request, text *locale.Printer) rowMaker {
	return rowMaker{text: text, looks: &h.looks, types: h.typeNames(text), mutable: h.mutable, now: h.now(r)}
}

// days groups entries, which come newest first, by the day of their notice in
// the reader's zone. A row that moved to the top with an old date stays there:
// its day is then named again below.
func (m rowMaker) days(entries []notifier.Entry) []views.Day {
	var days []views.Day
	rows := make([]components.Row, len(entries))
	begin, heading, fresh := 0, "", false
	for i := range entries {
		at := entries[i].CreatedAt.In(m.now.Location())
		rows[i] = m.row(&entries[i], at)
		rows[i].Divider = fresh && !entries[i].New
		fresh = entries[i].New
		if day := m.text.Day(at, m.now); i == 0 || day != heading {
			if i > 0 {
				days[len(days)-1].Rows = rows[begin:i]
			}
			begin, heading = i, day
			days = append(days, views.Day{ID: "day-" + rows[i].At, Heading: day})
		}
	}
	if len(days) > 0 {
		days[len(days)-1].Rows = rows[begin:]
	}
	return days
}

func (m rowMaker) row(e *notifier.Entry, at time.Time) components.Row {
	look := m.looks.of(e.Type)
	return components.Row{
		Key: e.Key, ID: strconv.FormatInt(e.NoticeID, 10), At: strconv.FormatInt(e.At, 10),
		Type: e.Type, Kind: m.types.kind(e.Type, e.Reason), NoMute: !m.mutable(e.Type), Read: e.Read, New: e.New, Long: long(e.Body),
		Icon: look.icon, Initials: look.initials, Tint: look.tint,
		Title: e.Title, Body: e.Body, Link: safeLink(e.Link), Reason: m.types.reason(e.Reason),
		Datetime: at.Format(time.RFC3339), Clock: m.text.Clock(at), Moment: m.text.Moment(at),
	}
}

// narrow is how many letters surely fit into the two lines of a row on a phone.
const narrow = 60

// long says whether a body may not fit into its row. A letter of Chinese or
// Japanese takes the room of two.
func long(body string) bool {
	room := narrow
	for _, c := range body {
		room--
		if c >= '\u2e80' {
			room--
		}
		if room < 0 || c == '\n' {
			return true
		}
	}
	return false
}

// rowLabels are the texts that every row has.
func rowLabels(text *locale.Printer) components.Labels {
	named := func(id string) components.Named {
		before, after := text.Around(id, "Title")
		return components.Named{Before: before, After: after}
	}
	return components.Labels{
		More: text.T("inbox.more"), Less: text.T("inbox.less"),
		New: text.T("inbox.mark_new"), Unread: text.T("inbox.mark_unread"), SeenBefore: text.T("inbox.seen_before"),
		MarkRead: text.T("inbox.read"), MarkUnread: text.T("inbox.unread"), Delete: text.T("inbox.delete"),
		ReadNamed: named("inbox.read_named"), UnreadNamed: named("inbox.unread_named"), DeleteNamed: named("inbox.delete_named"),
		Mute: text.T("inbox.mute"), MuteNamed: named("inbox.mute_named"),
	}
}

// safeLink is the link of a notice, which was checked when it was accepted. It
// is looked at once more, because what stands in a page may be older than the
// check: a path of our own or https, nothing else.
func safeLink(link string) string {
	if strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") && !strings.HasPrefix(link, "/\\") {
		return link
	}
	if u, err := url.Parse(link); err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil {
		return link
	}
	return ""
}

// endedNew says whether the page before this older one ended with what came after
// the last opening, and this one begins with what was there before.
func endedNew(q inboxQuery, page notifier.Page) bool {
	return !q.Unread && page.Opened > 0 && q.Before > page.Opened && page.Entries[0].At <= page.Opened
}

// inboxCount says how many are new, on all pages when this one was just opened,
// or where nothing was opened how many are unread at all.
func inboxCount(text *locale.Printer, page notifier.Page) string {
	if page.Unread > 0 {
		return text.N("js.unread", page.Unread)
	}
	if page.Turned > 0 {
		return text.N("inbox.new", page.Turned)
	}
	var fresh int64
	for i := range page.Entries {
		if page.Entries[i].New {
			fresh++
		}
	}
	// When all of them are new there may be more on the next page.
	if fresh == 0 || (page.Older > 0 && int(fresh) == len(page.Entries)) {
		return ""
	}
	return text.N("inbox.new", fresh)
}

func inboxEmpty(text *locale.Printer, q inboxQuery) components.Empty {
	id := "inbox.empty"
	switch {
	case q.Before > 0:
		id = "inbox.empty_older"
	case q.Unread:
		id = "inbox.empty_unread"
	}
	return components.Empty{Icon: "inbox", Heading: text.T(id + "_heading"), Text: text.T(id + "_text")}
}
