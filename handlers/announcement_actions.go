package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

func (h *Handlers) readAnnouncement(w http.ResponseWriter, r *http.Request) error {
	return h.turnAnnouncement(w, r, "read", h.Announcements.MarkRead)
}

func (h *Handlers) unreadAnnouncement(w http.ResponseWriter, r *http.Request) error {
	return h.turnAnnouncement(w, r, "unread", h.Announcements.MarkUnread)
}

type turning func(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error)

// turnAnnouncement marks an announcement read or unread. An htmx request gets the changed parts of the page; a plain
// form is redirected back to its page.
func (h *Handlers) turnAnnouncement(w http.ResponseWriter, r *http.Request, code string, turn turning) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	values, err := form(r, "back")
	if err != nil {
		return err
	}
	_, err = turn(r.Context(), readerOf(r), id)
	if back, ok := ourPage(values.Get("back")); ok && !fragment(r) && errors.Is(err, notifier.ErrNotFound) {
		redirect(w, r, backFromOver(back, id))
		return nil
	}
	if err != nil {
		return fmt.Errorf("mark announcement %d as %s: %w", id, code, err)
	}
	if inPart(r, "pinned") || inPart(r, "a"+idText(id)) {
		return h.announcementPart(w, r, id, values.Get("back"))
	}
	redirect(w, r, backToPage(values.Get("back"), code))
	return nil
}

// backFromOver returns the redirect address for a plain form whose announcement closed after its page was rendered.
// This is not the reader's error, so the target page shows a message. The announcement's own page is gone too; the
// list replaces it.
func backFromOver(back *url.URL, id int64) string {
	if announcementOf(back.Path) == id {
		back = &url.URL{Path: announcementsPath}
	}
	return withDone(back, "announcement-over")
}

// announcementPart responds to an htmx request with what changed: the announcement's row, the counts above the list
// and the pinned banner.
func (h *Handlers) announcementPart(w http.ResponseWriter, r *http.Request, id int64, back string) error {
	listed, err := h.Announcements.List(r.Context(), readerOf(r))
	if err != nil {
		return fmt.Errorf("show announcement %d: %w", id, err)
	}
	if err := h.tellBadge(w, r, listed.Badge()); err != nil {
		return err
	}
	p := h.partOf(r, announced{OpenAnnouncements: listed, known: true})
	shown := withoutDone(cameFrom(back))
	if inPart(r, "pinned") {
		p.Done, shown = &views.Done{Text: p.Text.T("done.read")}, announcementsPath
	}
	for i := range listed.Items {
		if listed.Items[i].ID == id {
			row := h.announcementMaker(r, p.Text).row(&listed.Items[i], shown)
			p.Row = &row
		}
	}
	switch {
	case p.Done != nil:
		return h.page(w, r, http.StatusOK, views.PinnedPart(p))
	case p.Row == nil:
		return fmt.Errorf("show announcement %d: %w", id, notifier.ErrNotFound)
	}
	return h.page(w, r, http.StatusOK, views.AnnouncementAnswer(p))
}

// partOf builds the changed parts of the page that the htmx request came from.
func (h *Handlers) partOf(r *http.Request, a announced) *views.AnnouncementPart {
	f := h.bareFrame(r)
	shown := cameFrom(shownPage(r))
	f.Pinned = pinnedOf(&f, a, shown, withoutDone(shown), h.now(r))
	return &views.AnnouncementPart{Frame: f, Counts: announcementCounts(f.Text, a.OpenAnnouncements), InList: shown.Path == announcementsPath}
}

// pinned renders the current pinned banner for an htmx request.
func (h *Handlers) pinned(w http.ResponseWriter, r *http.Request) error {
	if !fragment(r) {
		redirect(w, r, announcementsPath)
		return nil
	}
	a, err := h.listed(r, redisWait)
	if err != nil {
		return fmt.Errorf("show the pinned announcement: %w", err)
	}
	if err := h.tellBadge(w, r, a.Badge()); err != nil {
		return err
	}
	p := h.partOf(r, a)
	return h.page(w, r, http.StatusOK, views.PinnedBanner(&p.Frame, false))
}

// readAnnouncements marks all announcements read and remembers the ones it changed, for Undo.
func (h *Handlers) readAnnouncements(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "back")
	if err != nil {
		return err
	}
	ids, _, err := h.Announcements.ReadAll(r.Context(), readerOf(r))
	if err != nil {
		return fmt.Errorf("mark all announcements as read: %w", err)
	}
	turned := idTexts(ids)
	if fragment(r) {
		done := announcementsRead(h.text(r).T("done.all_read"), turned)
		if done.Undo != nil {
			done.Undo.Target, done.Undo.Select = "#announcements", "#announcements"
		}
		return h.listAnnouncements(w, r, cameFrom(values.Get("back")).Query(), done)
	}
	h.turned.remember(seqOf(r), announcementsPath, turned, h.Now())
	redirect(w, r, backToPage(values.Get("back"), "read-all"))
	return nil
}

// announcementsRead builds the "all read" message. It offers Undo only if something was unread.
func announcementsRead(text string, turned []string) *views.Done {
	done := &views.Done{Text: text}
	if len(turned) > 0 {
		done.Undo = &views.Undo{
			Action: announcementsPath + "/unread", Fields: []views.Hidden{{Name: "ids", Value: strings.Join(turned, ",")}},
		}
	}
	return done
}

// unreadAnnouncements undoes the list's Mark all as read.
func (h *Handlers) unreadAnnouncements(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "ids", "back")
	if err != nil {
		return err
	}
	if err := h.turnAnnouncementsBack(r, values.Get("ids")); err != nil {
		return err
	}
	redirect(w, r, backToPage(values.Get("back"), "restored"))
	return nil
}

// turnAnnouncementsBack marks announcements unread again and skips those that have closed since.
func (h *Handlers) turnAnnouncementsBack(r *http.Request, list string) error {
	ids := strings.Split(list, ",")
	for _, text := range ids[:min(len(ids), notifier.MaxOpen)] {
		id := number(text)
		if id == 0 {
			return missing("ids")
		}
		if _, err := h.Announcements.MarkUnread(r.Context(), readerOf(r), id); err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return fmt.Errorf("mark announcement %d as unread again: %w", id, err)
		}
	}
	return nil
}
