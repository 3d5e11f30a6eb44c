package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// announcementsTurned is the key of the remembered announcements that Mark all as read changed.
const announcementsTurned = inboxPath

// readAll sets the badge to 0: it marks read the notices and announcements that the page showed or counted, and
// remembers which ones it changed.
func (h *Handlers) readAll(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "upto", "announcements", "back")
	if err != nil {
		return err
	}
	if values.Get("upto") == "" {
		return missing("upto")
	}
	keys, err := h.unreadKeys(r, values.Get("upto"))
	if err != nil {
		return err
	}
	if _, err := h.Inbox.ReadUpto(r.Context(), seqOf(r), values.Get("upto")); err != nil {
		return fmt.Errorf("mark all as read: %w", err)
	}
	ids, err := h.readAllAnnouncements(r, values)
	if err != nil {
		return err
	}
	done := allRead(h.text(r).T("done.all_read"), keys, ids)
	switch {
	case inPart(r, "panel"):
		return h.panelPart(w, r, queryOf(values.Get("back")).Unread, done)
	case fragment(r):
		if done.Undo != nil {
			done.Undo.Target, done.Undo.Select = "#inbox", "#inbox"
		}
		return h.lookedAt(w, r, queryOf(values.Get("back")), done)
	}
	h.turned.remember(seqOf(r), "", keys, h.Now())
	h.turned.remember(seqOf(r), announcementsTurned, ids, h.Now())
	redirect(w, r, backTo(values.Get("back"), url.Values{"done": {"read-all"}}))
	return nil
}

// allRead builds the "all read" message. It offers Undo only if something was unread.
func allRead(text string, keys, ids []string) *views.Done {
	var fields []views.Hidden
	if len(keys) > 0 {
		fields = append(fields, keyListed(keys))
	}
	if len(ids) > 0 {
		fields = append(fields, views.Hidden{Name: "ids", Value: strings.Join(ids, ",")})
	}
	done := &views.Done{Text: text}
	if len(fields) > 0 {
		done.Undo = &views.Undo{Action: "/inbox/unread", Fields: fields}
	}
	return done
}

// readAllAnnouncements marks read the announcements listed in the form and returns the ones it changed. Those that
// opened later stay unread. If the field is missing, the page could not read the announcements, and it marks all open
// ones.
func (h *Handlers) readAllAnnouncements(r *http.Request, values url.Values) ([]string, error) {
	if !values.Has("announcements") {
		ids, _, err := h.Announcements.ReadAll(r.Context(), readerOf(r))
		if err != nil {
			return nil, fmt.Errorf("mark all announcements as read: %w", err)
		}
		return idTexts(ids), nil
	}
	seen := strings.Split(values.Get("announcements"), ",")
	if values.Get("announcements") == "" {
		return nil, nil
	}
	listed, err := h.Announcements.List(r.Context(), readerOf(r))
	if err != nil {
		return nil, fmt.Errorf("list unread announcements: %w", err)
	}
	var turned []string
	for i := range listed.Items {
		post := &listed.Items[i]
		if post.Read || !contains(seen, idText(post.ID)) {
			continue
		}
		_, err := h.Announcements.MarkRead(r.Context(), readerOf(r), post.ID)
		switch {
		case errors.Is(err, notifier.ErrNotFound): // it has closed since
		case err != nil:
			return nil, fmt.Errorf("mark announcement %d as read: %w", post.ID, err)
		default:
			turned = append(turned, idText(post.ID))
		}
	}
	return turned, nil
}

// unreadAnnouncements lists the IDs of the unread announcements, for Mark all as read.
func unreadAnnouncements(a announced) string {
	var ids []string
	for i := range a.Items {
		if !a.Items[i].Read {
			ids = append(ids, idText(a.Items[i].ID))
		}
	}
	return strings.Join(ids, ",")
}

// unreadKeys lists the keys of the unread entries that Mark all as read will change, for Undo.
func (h *Handlers) unreadKeys(r *http.Request, upto string) ([]string, error) {
	at := number(upto)
	if at == 0 {
		return nil, nil // upto is a key, which no page sends
	}
	page, err := h.Inbox.Look(r.Context(), seqOf(r), notifier.Query{Unread: true, Limit: mostKeys})
	if err != nil {
		return nil, fmt.Errorf("list unread entries: %w", err)
	}
	var keys []string
	for i := range page.Entries {
		if page.Entries[i].At <= at {
			keys = append(keys, page.Entries[i].Key)
		}
	}
	if page.Older > 0 {
		return nil, nil // too many to undo
	}
	return keys, nil
}

// turnBack marks the entries that Mark all as read changed unread again. It skips those that have left the inbox
// since.
func (h *Handlers) turnBack(r *http.Request, list string) error {
	_, err := h.Inbox.Unread(r.Context(), seqOf(r), keyList(list)...)
	if err != nil && !errors.Is(err, notifier.ErrNotFound) {
		return fmt.Errorf("mark entries as unread again: %w", err)
	}
	return nil
}
