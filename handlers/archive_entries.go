package handlers

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/views"
)

// archiveEntries archives entries and offers Undo.
func (h *Handlers) archiveEntries(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "back")
	if err != nil {
		return err
	}
	if len(keys) == 1 {
		if err := h.seen(r, values); err != nil {
			return err
		}
	}
	moved, badge, err := h.Inbox.Archive(r.Context(), seqOf(r), keys)
	if err != nil {
		return fmt.Errorf("archive entries: %w", err)
	}
	undo := keyFields(moved.Keys)
	at := number(values.Get("at"))
	if queryOf(values.Get("back")).Archived { // this is Undo of a move to the inbox
		if fragment(r) && alone(r, keys) && at > 0 {
			return h.archivedPart(w, r, at, values.Get("back"), badge, &views.Done{Text: h.text(r).T("done.restored")})
		}
		redirect(w, r, backTo(values.Get("back"), url.Values{"done": {"restored"}}))
		return nil
	}
	if fragment(r) && alone(r, keys) && at > 0 {
		undo = append(undo, views.Hidden{Name: "at", Value: idText(at)}, views.Hidden{Name: "back", Value: values.Get("back")})
		done := &views.Done{Text: h.text(r).T("done.archived"), Undo: &views.Undo{
			Action: "/inbox/unarchive", Target: "#e" + idText(at), Fields: undo,
		}}
		return h.hiddenPart(w, r, at, values.Get("back"), badge, done)
	}
	return h.changedAll(w, r, values.Get("back"), "archived", undo)
}

// unarchiveEntries moves entries back to the inbox, read or unread as they were; it works on any instance.
func (h *Handlers) unarchiveEntries(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "unread", "back") // earlier versions sent unread
	if err != nil {
		return err
	}
	moved, badge, err := h.Inbox.Unarchive(r.Context(), seqOf(r), keys)
	if err != nil {
		return fmt.Errorf("unarchive entries: %w", err)
	}
	back := values.Get("back")
	code := "restored"
	q := queryOf(back)
	archive := q.PutAway() || fragment(r) && queryOf(shownPage(r)).Archived // Undo may be pressed on that page too
	if archive {
		code = "unarchived"
	}
	done := &views.Done{Text: h.text(r).T(doneTexts[code])}
	at := number(values.Get("at"))
	switch {
	case archive && fragment(r) && alone(r, keys) && at > 0:
		if q.Archived {
			done.Undo = &views.Undo{Action: "/inbox/archive", Target: "#e" + idText(at), Fields: rowFields(keys[0], at, back)}
		}
		return h.hiddenPart(w, r, at, back, badge, done)
	case archive && q.Archived:
		return h.changedAll(w, r, back, code, keyFields(moved.Keys))
	case fragment(r) && !archive && alone(r, keys):
		return h.rowPart(w, r, keys[0], back, badge, done)
	}
	redirect(w, r, backTo(back, url.Values{"done": {code}}))
	return nil
}

// keyFields returns a hidden form field for each key.
func keyFields(keys []string) []views.Hidden {
	fields := make([]views.Hidden, len(keys))
	for i, key := range keys {
		fields[i] = views.Hidden{Name: "key", Value: kept(key)}
	}
	return fields
}
