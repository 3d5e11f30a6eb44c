package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// snoozeEntry puts an entry away until a time, and offers Undo.
func (h *Handlers) snoozeEntry(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "back", "for", "until")
	if err != nil {
		return err
	}
	if err := h.seen(r, values); err != nil {
		return err
	}
	until, err := snoozeEnd(values, h.now(r))
	if err != nil {
		return err
	}
	badge, err := h.Inbox.Snooze(r.Context(), seqOf(r), keys[0], until)
	if err != nil {
		return fmt.Errorf("snooze an entry: %w", err)
	}
	at, back := number(values.Get("at")), values.Get("back")
	if fragment(r) && alone(r, keys[:1]) && at > 0 {
		done := &views.Done{Text: h.text(r).T("done.snoozed"), Undo: &views.Undo{
			Action: "/inbox/restore", Target: "#e" + idText(at), Fields: rowFields(keys[0], at, back),
		}}
		return h.hiddenPart(w, r, at, back, badge, done)
	}
	return h.changedAll(w, r, back, "snoozed", keyFields(keys[:1]))
}

// snoozeEnd parses the time at which an entry comes back: a preset in the user's zone, a time with its zone, or one as
// browsers send it.
func snoozeEnd(values url.Values, now time.Time) (time.Time, error) {
	until, ok := notifier.PresetEnd(values.Get("for"), now)
	text, code := values.Get("until"), ""
	switch {
	case ok:
		return until, nil
	case values.Get("for") != "" && values.Get("for") != "until":
		var bad notifier.InvalidError
		bad.Add("for", codeForm, nil)
		return until, &bad
	case text == "":
		return until, missing("until")
	}
	var err error
	if until, err = time.Parse(time.RFC3339, text); err != nil {
		until, code = readMoment(text, now.Location())
	}
	if code != "" {
		var bad notifier.InvalidError
		bad.Add("until", code, nil)
		return until, &bad
	}
	return until, notifier.CheckSnooze(until, now)
}

// wakeEntry brings a snoozed entry back now.
func (h *Handlers) wakeEntry(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "back")
	if err != nil {
		return err
	}
	badge, err := h.Inbox.Wake(r.Context(), seqOf(r), keys[0])
	if err != nil {
		return fmt.Errorf("wake an entry: %w", err)
	}
	at, back := number(values.Get("at")), values.Get("back")
	if fragment(r) && alone(r, keys[:1]) && at > 0 && queryOf(back).Later {
		return h.hiddenPart(w, r, at, back, badge, &views.Done{Text: h.text(r).T("done.woken")})
	}
	redirect(w, r, backTo(back, url.Values{"done": {"woken"}}))
	return nil
}

// anyLater reports whether the user has snoozed entries. If it is not known, the page goes without a link to them.
func (h *Handlers) anyLater(r *http.Request) bool {
	n, err := h.Inbox.Snoozed(r.Context(), seqOf(r))
	return err == nil && n > 0
}
