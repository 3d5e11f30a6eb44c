package handlers

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// announcement shows one announcement. That marks it read, unless the browser
// only wants to be prepared, or an action of this page led back here.
func (h *Handlers) announcement(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	post, err := h.openAnnouncement(r, id)
	stored := h.storedInstead(r, err)
	if stored {
		post, err = h.Archive.Announcements.Find(r.Context(), readerOf(r), id)
	}
	if err != nil {
		return fmt.Errorf("show announcement %d: %w", id, err)
	}
	f, badge := h.announcementFrame(r, h.announced(r))
	if err := h.tellBadge(w, r, badge); err != nil {
		return err
	}
	f.Title = post.Title
	if stored {
		f.Stale = h.stale(r, "stale.announcement", 0)
	}
	return h.page(w, r, http.StatusOK, views.AnnouncementPage(h.announcementPage(r, f, &post)))
}

// openAnnouncement finds one, and marks it as read if it is to be.
func (h *Handlers) openAnnouncement(r *http.Request, id int64) (notifier.Posted, error) {
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	post, err := h.Announcements.Find(ctx, readerOf(r), id)
	if err != nil || post.Read || r.Method != http.MethodGet || prefetch(r) || r.URL.Query().Has("done") {
		return post, err
	}
	_, err = h.Announcements.MarkRead(ctx, readerOf(r), id)
	post.Read = err == nil
	return post, err
}

func (h *Handlers) announcementPage(r *http.Request, f views.Frame, post *notifier.Posted) *views.Announcement {
	maker := h.postMaker(r, f.Text)
	row := maker.row(post, announcementPath(post.ID))
	row.Since = maker.dated("announcements.since", f.Text.Exact, post.StartsAt)
	row.Until = maker.dated("announcements.until", f.Text.Exact, post.EndsAt)
	if f.Stale != "" {
		row.Turns = nil
	}
	return &views.Announcement{Frame: f, Row: row, Body: h.markdown.Render(post.Body), Link: safeLink(post.Link)}
}

// postMaker turns announcements into rows for one reader.
type postMaker struct {
	rowMaker
	words func(body string) string
}

func (h *Handlers) postMaker(r *http.Request, text *locale.Printer) postMaker {
	return postMaker{h.rowMaker(r, text), h.markdown.Text}
}

// row is an announcement as a list shows it. back is the page to come back to
// from an action.
func (m postMaker) row(post *notifier.Posted, back string) views.Post {
	look := m.looks.of(post.Type)
	begin := post.StartsAt.In(m.now.Location())
	short := func(at time.Time) string { return m.text.Short(at, m.now) }
	return views.Post{
		ID: idText(post.ID), Href: announcementPath(post.ID), Title: post.Title, Text: m.words(post.Body), Back: back,
		Icon: look.icon, Initials: look.initials, Tint: look.tint, Read: post.Read, Pinned: post.Pinned,
		Datetime: begin.Format(time.RFC3339), Clock: short(begin), Moment: m.text.Moment(begin),
		Until: m.dated("announcements.until", short, post.EndsAt),
		Turns: []views.Turn{
			{Verb: "read", Icon: "mail-open", Label: m.text.T("inbox.read"), Named: m.text.F("inbox.read_named", "Title", post.Title)},
			{Verb: "unread", Icon: "mail", Label: m.text.T("inbox.unread"), Named: m.text.F("inbox.unread_named", "Title", post.Title)},
		},
	}
}

// dated is a text around a date.
func (m postMaker) dated(id string, say func(at time.Time) string, at time.Time) views.Dated {
	at = at.In(m.now.Location())
	before, after := m.text.Around(id, "Date")
	return views.Dated{Before: before, Date: say(at), After: after, Datetime: at.Format(time.RFC3339), Moment: m.text.Moment(at)}
}

// postCounts says how many announcements are unread, and how many read.
func postCounts(text *locale.Printer, posts notifier.Posts) views.Counts {
	c := views.Counts{Unread: text.Number(posts.Unread), Read: text.Number(posts.Read)}
	if posts.Unread+posts.Read > 0 {
		c.Text = text.F("js.announcement_counts", "Unread", c.Unread, "Read", c.Read)
	}
	return c
}

func idText(id int64) string { return strconv.FormatInt(id, 10) }
