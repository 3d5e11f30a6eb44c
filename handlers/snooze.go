package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// snoozeEntry puts an entry away until a time, and offers Undo. Without a time, as the button of a row sends it, the
// response asks for one.
func (h *Handlers) snoozeEntry(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "back", "for", "until")
	if err != nil {
		return err
	}
	if err := h.seen(r, values); err != nil {
		return err
	}
	var badge notifier.Badge
	until, err := snoozeEnd(values, h.now(r))
	if err == nil {
		badge, err = h.Inbox.Snooze(r.Context(), seqOf(r), keys[0], until)
	}
	var bad *notifier.InvalidError
	if errors.As(err, &bad) {
		return h.askUntil(w, r, keys[0], values, bad.Fields[0])
	}
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

// askUntil asks for the time, in the menu of the list or on a page: none was given, or it was refused for this reason.
func (h *Handlers) askUntil(w http.ResponseWriter, r *http.Request, key string, values url.Values, fault notifier.FieldError) error {
	e, err := h.Inbox.Find(r.Context(), seqOf(r), key, 0)
	if err != nil {
		return fmt.Errorf("find the entry to snooze: %w", err)
	}
	p := &views.Snooze{
		Frame: h.bareFrame(r), Notice: e.Title,
		Key: kept(key), At: idText(e.At), Back: backTo(values.Get("back"), url.Values{}), Until: kept(values.Get("until")),
	}
	if values.Has("for") || values.Has("until") {
		p.Fault = faultText(p.Text, fault)
	}
	if fragment(r) {
		w.Header().Set("HX-Retarget", "#later")
		w.Header().Set("HX-Reswap", "innerHTML")
		return h.page(w, r, http.StatusOK, views.SnoozeFragment(p))
	}
	p.Frame = h.frame(r, "inbox", "inbox.snooze")
	return h.page(w, r, http.StatusUnprocessableEntity, views.SnoozePage(p))
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
