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

// announcement shows one announcement. A deliberate visit marks it read, unless an action on this
// page redirected back here.
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

// openAnnouncement finds an announcement and marks it read if the visit is deliberate. It then
// finds it again: if an edit came in between, the page shows the new text and its read state.
func (h *Handlers) openAnnouncement(r *http.Request, id int64) (notifier.OpenAnnouncement, error) {
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	post, err := h.Announcements.Find(ctx, readerOf(r), id)
	if err != nil || post.Read || !deliberate(r) || r.URL.Query().Has("done") {
		return post, err
	}
	if _, err = h.Announcements.MarkRead(ctx, readerOf(r), id); err != nil {
		return post, err
	}
	return h.Announcements.Find(ctx, readerOf(r), id)
}

func (h *Handlers) announcementPage(r *http.Request, f views.Frame, post *notifier.OpenAnnouncement) *views.Announcement {
	maker := h.announcementMaker(r, f.Text)
	row := maker.row(post, announcementPath(post.ID))
	row.Since = views.Dated{Date: row.Clock, Datetime: row.Datetime, Moment: row.Moment}
	row.Edited = maker.edited(f.Text.Exact, post)
	if f.Stale != "" {
		row.Turns = nil
	}
	f.Sheet = f.Assets.ProseStyle
	extras := extrasOf(&post.Extras, h.shows, func(_ int, link string) string { return h.outside(link, post.App) })
	return &views.Announcement{
		Frame: f, Row: row, Body: h.markdown.Render(post.Body, h.Tokens.Named(r.Context(), post.App)), Link: h.outside(post.Link, post.App),
		Extras: extras,
	}
}

// announcementMaker turns announcements into rows for one reader.
type announcementMaker struct {
	rowMaker
	words func(body string) string
}

func (h *Handlers) announcementMaker(r *http.Request, text *locale.Printer) announcementMaker {
	return announcementMaker{h.rowMaker(r, text), h.markdown.Text}
}

// row builds the list row of an announcement. back is the page to return to after an action.
func (m announcementMaker) row(post *notifier.OpenAnnouncement, back string) views.AnnouncementRow {
	look := m.look(post.Type)
	begin := post.StartsAt.In(m.now.Location())
	short := func(at time.Time) string { return m.text.Short(at, m.now) }
	return views.AnnouncementRow{
		ID: idText(post.ID), Href: announcementPath(post.ID), Title: post.Title, Text: m.words(post.Body), Back: back,
		Icon: look.Icon, Initials: look.Initials, Tint: look.Tint, Read: post.Read, Pinned: post.Pinned, From: sentBy(m.text, post.App, m.app),
		Datetime: begin.Format(time.RFC3339), Clock: short(begin), Moment: m.text.Moment(begin),
		Until: m.dated("announcements.until", short, post.EndsAt), Edited: m.edited(short, post),
		Turns: []views.Turn{
			{Verb: "read", Icon: "mail-open", Label: m.text.T("inbox.read"), Named: m.text.F("inbox.read_named", "Title", post.Title)},
			{Verb: "unread", Icon: "mail", Label: m.text.T("inbox.unread"), Named: m.text.F("inbox.unread_named", "Title", post.Title)},
		},
	}
}

// dated formats a date inside a catalogue text.
func (m announcementMaker) dated(id string, say func(at time.Time) string, at time.Time) views.Dated {
	return datedText(m.text, id, say, at.In(m.now.Location()))
}

// edited returns the mark with the time of the last edit, or nil if the announcement was never edited.
func (m announcementMaker) edited(say func(at time.Time) string, post *notifier.OpenAnnouncement) *views.Dated {
	return editedMark(m.text, say, post, m.now.Location())
}

func editedMark(text *locale.Printer, say func(at time.Time) string, post *notifier.OpenAnnouncement, zone *time.Location) *views.Dated {
	if post.EditedAt.IsZero() {
		return nil
	}
	d := datedText(text, "announcements.edited", say, post.EditedAt.In(zone))
	return &d
}

func datedText(text *locale.Printer, id string, say func(at time.Time) string, at time.Time) views.Dated {
	before, after := text.Around(id, "Date")
	return views.Dated{Before: before, Date: say(at), After: after, Datetime: at.Format(time.RFC3339), Moment: text.Moment(at)}
}

// announcementCounts formats the numbers of unread and read announcements.
func announcementCounts(text *locale.Printer, listed notifier.OpenAnnouncements) views.Counts {
	c := views.Counts{Unread: text.Number(listed.Unread), Read: text.Number(listed.Read)}
	if listed.Unread > 0 {
		c.Text = text.N("js.unread", listed.Unread)
	}
	return c
}

func idText(id int64) string { return strconv.FormatInt(id, 10) }

func idTexts(ids []int64) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = idText(id)
	}
	return texts
}
