package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	announcementsPath    = "/announcements"
	announcementsPerPage = 30
)

func announcementPath(id int64) string { return announcementsPath + "/" + strconv.FormatInt(id, 10) }

// announcements lists the announcements open to the user, pinned ones first.
func (h *Handlers) announcements(w http.ResponseWriter, r *http.Request) error {
	text := h.text(r)
	var done *views.Done
	if r.URL.Query().Get("done") == "read-all" {
		turned, _ := h.turned.find(seqOf(r), announcementsPath, h.Now())
		done = announcementsRead(text.T("done.all_read"), turned)
	}
	return h.listAnnouncements(w, r, r.URL.Query(), done)
}

// listAnnouncements shows the page of the list that the query selects. done is the message to show; if nil, the done
// code in the address decides.
func (h *Handlers) listAnnouncements(w http.ResponseWriter, r *http.Request, values url.Values, done *views.Done) error {
	a, err := h.listed(r, redisWait)
	if err != nil {
		return fmt.Errorf("list announcements: %w", err)
	}
	listed := a.OpenAnnouncements
	f, badge := h.announcementFrame(r, a)
	if err := h.tellBadge(w, r, badge); err != nil {
		return err
	}
	f.Title = f.Text.T("announcements.title")
	if done != nil {
		f.Done = done
	}
	if a.stored {
		f.Stale = h.stale(r, "stale.announcements", 0)
	}
	q := announcementsQuery{unread: values.Get("filter") == "unread", after: number(values.Get("after"))}
	p := &views.Announcements{Frame: f, Counts: announcementCounts(f.Text, listed), Back: q.address()}
	empty := "announcements.empty"
	if len(listed.Items) > 0 {
		p.Filters = q.tabs(f.Text)
		if q.unread {
			empty = "announcements.empty_unread"
		}
	}
	p.Empty = components.Empty{Icon: "megaphone", Heading: f.Text.T(empty + "_heading"), Text: f.Text.T(empty + "_text")}
	h.fillAnnouncements(p, r, q, listed.Items)
	return h.page(w, r, http.StatusOK, views.AnnouncementsPage(p))
}

// fillAnnouncements fills in the rows of a page and the links to the other pages.
func (h *Handlers) fillAnnouncements(p *views.Announcements, r *http.Request, q announcementsQuery, items []notifier.OpenAnnouncement) {
	if first := startOf(items, q.after); first > 0 {
		items = items[first:]
		p.First = announcementsQuery{unread: q.unread}.address()
	}
	if q.unread {
		items = slices.DeleteFunc(slices.Clone(items), func(a notifier.OpenAnnouncement) bool { return a.Read })
	}
	if len(items) > announcementsPerPage {
		items = items[:announcementsPerPage]
		p.Older = announcementsQuery{q.unread, items[announcementsPerPage-1].ID}.address()
	}
	if p.Done != nil && p.Done.Undo != nil {
		p.Done.Undo.Fields = append(p.Done.Undo.Fields, views.Hidden{Name: "back", Value: p.Back})
	}
	maker := h.announcementMaker(r, p.Text)
	for i := range items {
		row := maker.row(&items[i], p.Back)
		if p.Stale != "" {
			row.Turns = nil
		}
		p.Rows = append(p.Rows, row)
	}
}

// startOf returns the index where the page after the given announcement begins, or 0 if that announcement is no
// longer open.
func startOf(items []notifier.OpenAnnouncement, after int64) int {
	for i := range items {
		if items[i].ID == after {
			return (i + 1) % len(items)
		}
	}
	return 0
}

// announcementsQuery is a page of the list of announcements.
type announcementsQuery struct {
	unread bool  // only these
	after  int64 // the last announcement of the page before; 0: the first page
}

func (q announcementsQuery) address() string {
	values := url.Values{}
	if q.unread {
		values.Set("filter", "unread")
	}
	if q.after > 0 {
		values.Set("after", strconv.FormatInt(q.after, 10))
	}
	if len(values) == 0 {
		return announcementsPath
	}
	return announcementsPath + "?" + values.Encode()
}

// tabs links to all announcements and to the unread ones.
func (q announcementsQuery) tabs(text *locale.Printer) []components.Tab {
	return []components.Tab{
		{Href: announcementsPath, Text: text.T("inbox.filter_all"), Current: !q.unread},
		{Href: announcementsQuery{unread: true}.address(), Text: text.T("inbox.filter_unread"), Current: q.unread},
	}
}

// announcementFrame returns the frame of an announcements page, and the badge.
func (h *Handlers) announcementFrame(r *http.Request, a announced) (views.Frame, notifier.Badge) {
	return h.frameWith(r, "announcements", "", &a)
}
