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

// rowMaker turns inbox entries into rows for one reader.
type rowMaker struct {
	text  *locale.Printer
	look  func(typ string) notifier.Look
	shows func(address string) bool // whether the policy allows a picture
	app   func(name string) notifier.RowApp
	types typeNames
	mutes *muteMaker
	now   time.Time // in the reader's time zone

	reader string // their name
	// answers returns the reader's choices in the questions among these entries, by the id of the question.
	answers func([]notifier.Entry) map[int64]notifier.ChoiceID
	given   map[int64]notifier.ChoiceID // what answers returned
}

func (h *Handlers) rowMaker(r *http.Request, text *locale.Printer) rowMaker {
	types := h.typeNames(text)
	mutes := &muteMaker{types: types, muted: func() []string { return h.mutedBy(r) }}
	app := h.shownApp(func(name string) notifier.RowApp { return h.appNamed(r, name) })
	return rowMaker{text: text, look: h.lookOf, shows: h.shows, app: app, types: types, mutes: mutes, now: h.now(r), reader: visitOf(r).user.User.Name, answers: func(entries []notifier.Entry) map[int64]notifier.ChoiceID {
		return h.answersOf(r, entries)
	}}
}

// days groups entries, newest first, by the day of their notice in the reader's time zone. A row that moved to the
// top with an old date stays there, so its day may appear again further down.
func (m rowMaker) days(entries []notifier.Entry) []views.Day {
	var days []views.Day
	rows := m.rows(entries)
	begin, heading := 0, ""
	for i := range entries {
		at := entries[i].CreatedAt.In(m.now.Location())
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

func (m rowMaker) rows(entries []notifier.Entry) []components.Row {
	m.given = m.answers(entries)
	rows := make([]components.Row, len(entries))
	for i := range entries {
		rows[i] = m.row(&entries[i], entries[i].CreatedAt.In(m.now.Location()))
	}
	return rows
}

func (m rowMaker) row(e *notifier.Entry, at time.Time) components.Row {
	e.NameSomebody(m.text.T("inbox.somebody"))
	look, link := m.look(e.Type), ""
	follow := followPath + idText(e.NoticeID) // marks it read and redirects to the link
	if safeLink(e.Link, e.App) != "" {
		link = follow
	}
	row := components.Row{
		Key: e.Key, ID: strconv.FormatInt(e.NoticeID, 10), At: strconv.FormatInt(e.At, 10),
		Type: e.Type, Kind: m.types.kind(e.Type, e.Reason), Mute: m.mutes.of(e.Type), Read: e.Read, New: e.New, Folds: folds(e.Title, e.Body),
		Icon: look.Icon, Initials: look.Initials, Tint: look.Tint,
		Title: e.Title, Body: e.Body, Link: link, Reason: m.types.brief(e.Reason), Why: m.types.reason(e.Reason), From: sentBy(m.text, e.App, m.app),
		Datetime: at.Format(time.RFC3339), Clock: m.text.Clock(at), Moment: m.text.Moment(at),
	}
	if !e.Until.IsZero() {
		row.Until = m.text.F("inbox.until", "Time", m.text.Exact(e.Until.In(at.Location())))
	}
	row.Ask, row.Take = m.ask(e), m.take(e.Take)
	row.Extras = extrasOf(&e.Extras, m.shows, func(n int, link string) string {
		if safeLink(link, e.App) == "" {
			return ""
		}
		return follow + "?a=" + strconv.Itoa(n)
	})
	return row
}

// Lengths, in letters, that surely fit into a row: one line of title beside its tags, and one of body; on a phone two.
const (
	phoneTitle, deskTitle = 20, 40
	phoneBody, deskBody   = 50, 60
)

// folds returns the screens on which a row may be too small for its text.
func folds(title, body string) components.Fold {
	titleRoom, bodyRoom := room(title), room(body)
	switch {
	case strings.Contains(body, "\n"), titleRoom > deskTitle, bodyRoom > deskBody:
		return components.FoldAnywhere
	case titleRoom > phoneTitle, bodyRoom > phoneBody:
		return components.FoldOnPhone
	}
	return components.FoldNowhere
}

// room is the width of a text in letters; Chinese and Japanese characters count as two. It stops counting when the
// rest makes no difference.
func room(text string) int {
	n := 0
	for _, c := range text {
		n++
		if c >= '\u2e80' {
			n++
		}
		if n > max(deskTitle, deskBody) {
			break
		}
	}
	return n
}

// rowLabels returns the texts that all rows share.
func rowLabels(text *locale.Printer) components.Labels {
	named := func(id string) components.Named {
		before, after := text.Around(id, "Title")
		return components.Named{Before: before, After: after}
	}
	return components.Labels{
		MoreNamed: named("inbox.more_named"),
		New:       text.T("inbox.mark_new"), Unread: text.T("inbox.mark_unread"),
		MarkRead: text.T("inbox.read"), MarkUnread: text.T("inbox.unread"), Delete: text.T("inbox.delete"),
		ReadNamed: named("inbox.read_named"), UnreadNamed: named("inbox.unread_named"), DeleteNamed: named("inbox.delete_named"),
		Archive: text.T("inbox.archive"), ArchiveNamed: named("inbox.archive_named"), Unarchive: text.T("inbox.unarchive"), UnarchiveNamed: named("inbox.unarchive_named"),
		ActionsNamed: named("inbox.actions_named"),
		Snooze:       text.T("inbox.snooze"), SnoozeNamed: named("inbox.snooze_named"), Wake: text.T("inbox.wake"), WakeNamed: named("inbox.wake_named"), Answer: text.T("ask.answer"), Comment: text.T("ask.comment"),
	}
}

// safeLink returns a notice's link if it is a path on this server, an https address, or an http address from an app;
// otherwise "". Links are checked when a notice is accepted, but stored ones may be older than that check.
func safeLink(link, app string) string {
	if strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") && !strings.HasPrefix(link, "/\\") {
		return link
	}
	if u, err := url.Parse(link); err == nil && (u.Scheme == "https" || u.Scheme == "http" && app != "") && u.Host != "" && u.User == nil {
		return link
	}
	return ""
}

// outside returns the full address of a notice's link, or "" if the link is not safe.
func (h *Handlers) outside(link, app string) string {
	link = safeLink(link, app)
	if strings.HasPrefix(link, "/") {
		return h.LinkBase + link
	}
	return link
}

// inboxEmpty explains why there are no rows. "All read" requires that no announcement is unread either.
func inboxEmpty(text *locale.Printer, q inboxQuery, a announced) components.Empty {
	id := "inbox.empty"
	var left *components.Left
	switch {
	case q.Before > 0:
		id = "inbox.empty_older"
	case q.Filters():
		all := q
		all.Type, all.Text = "", ""
		return components.Empty{
			Icon: "search", Heading: text.T("inbox.empty_found_heading"), Text: text.T("inbox.empty_found_text"),
			LinkTarget: all.address(), LinkText: text.T("inbox.clear_search"),
		}
	case q.Archived:
		id = "inbox.empty_archived"
	case q.Later:
		id = "inbox.empty_later"
	case q.Unread:
		id = "inbox.empty_unread"
		left = &components.Left{None: a.Unread == 0, Href: announcementsPath, Text: text.N("js.unread_announcements", a.Unread)}
	}
	return components.Empty{Left: left, Icon: "inbox", Heading: text.T(id + "_heading"), Text: text.T(id + "_text")}
}
