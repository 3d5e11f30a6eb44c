package handlers

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// The maximum numbers of rows, and of announcements among them, in the bell's panel.
const (
	panelRows  = 10
	panelPosts = 5
)

// panel shows the panel that the bell opens.
func (h *Handlers) panel(w http.ResponseWriter, r *http.Request) error {
	p, err := h.newest(w, r, lookQuery(r.URL.Query()).Unread)
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.PanelFragment(p))
}

// panelPart responds to an action in the panel with the new panel. The page underneath shows the message about the
// action. That may be any page, so Undo returns to the inbox.
func (h *Handlers) panelPart(w http.ResponseWriter, r *http.Request, unread bool, done *views.Done) error {
	p, err := h.newest(w, r, unread)
	if err != nil {
		return err
	}
	if done.Undo != nil {
		done.Undo.Fields = append(done.Undo.Fields, views.Hidden{Name: "back", Value: inboxPath})
	}
	around := h.partOf(r, h.announced(r))
	return h.page(w, r, http.StatusOK, templ.Join(views.PanelFragment(p), views.DoneLine(&around.Frame, done), views.PinnedBanner(&around.Frame, true)))
}

// newest builds the panel and sends the badge with it.
func (h *Handlers) newest(w http.ResponseWriter, r *http.Request, unread bool) (*views.Panel, error) {
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	q := notifier.Query{Unread: unread, Limit: panelRows}
	page, err := h.Inbox.Look(ctx, seqOf(r), q)
	stored := h.storedInstead(r, err)
	if stored {
		page, err = h.Archive.Inbox.Look(r.Context(), seqOf(r), q)
	}
	if err != nil {
		return nil, fmt.Errorf("show the newest entries of an inbox: %w", err)
	}
	a := h.announced(r)
	if err := h.tellBadge(w, r, a.with(pageBadge(page))); err != nil {
		return nil, err
	}
	text := h.text(r)
	p := &views.Panel{
		Text: text, Icons: h.assets.Icons, Labels: rowLabels(text), UnreadOnly: unread,
		Empty: inboxEmpty(text, inboxQuery{Query: notifier.Query{Unread: unread}}, a),
		Rows:  h.newestRows(r, text, page.Entries, a),
	}
	if stored {
		p.Stale = h.stale(r, "stale.panel", page.Ver)
	} else if page.Unread+a.Unread > 0 {
		p.Unread = text.Number(page.Unread + a.Unread)
		p.Upto, p.AnnouncementIDs = strconv.FormatInt(page.Ver, 10), unreadAnnouncements(a)
	}
	if a.Unread > panelPosts {
		p.Announcements = text.N("js.unread_announcements", a.Unread)
	}
	return p, nil
}

// newestRows sorts the latest unread announcements in among the entries, by time. Unread announcements count in the
// badge however old they are, so they take the place of the oldest entries.
func (h *Handlers) newestRows(r *http.Request, text *locale.Printer, entries []notifier.Entry, a announced) []components.Row {
	maker := h.announcementMaker(r, text)
	var posts []components.Row
	var begins []time.Time
	for _, post := range latestUnread(a.Items) {
		posts, begins = append(posts, maker.panelRow(&post)), append(begins, post.StartsAt)
	}
	entries = entries[:min(len(entries), panelRows-len(posts))]
	var rows []components.Row
	for _, day := range maker.days(entries) {
		for _, row := range day.Rows {
			for len(begins) > 0 && begins[0].After(entries[len(rows)-len(posts)+len(begins)].CreatedAt) {
				rows, begins = append(rows, posts[len(posts)-len(begins)]), begins[1:]
			}
			rows = append(rows, row)
		}
	}
	return append(rows, posts[len(posts)-len(begins):]...)
}

// latestUnread returns the unread announcements to show in the panel, latest first.
func latestUnread(items []notifier.OpenAnnouncement) []notifier.OpenAnnouncement {
	unread := slices.DeleteFunc(slices.Clone(items), func(post notifier.OpenAnnouncement) bool { return post.Read })
	slices.SortStableFunc(unread, func(a, b notifier.OpenAnnouncement) int { return b.StartsAt.Compare(a.StartsAt) })
	return unread[:min(len(unread), panelPosts)]
}

// panelRow builds the panel row of an unread announcement.
func (m announcementMaker) panelRow(post *notifier.OpenAnnouncement) components.Row {
	row := m.row(post, "")
	return components.Row{
		Post: row.ID, Kind: m.text.T("panel.announcement"), Icon: row.Icon, Initials: row.Initials, Tint: row.Tint,
		Title: row.Title, Body: row.Text, From: row.From, Link: row.Href, Datetime: row.Datetime, Clock: row.Clock, Moment: row.Moment,
	}
}
