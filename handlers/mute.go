package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// mute mutes or unmutes a type and returns to the form's inbox page or to the settings. If the type cannot be muted,
// the settings page shows the error.
func (h *Handlers) mute(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "type", "muted", "back")
	if err == nil {
		err = h.setMute(r, values)
	}
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		p := h.settingsPage(r, views.TabNotifications, visitOf(r).user.User.Settings, nil)
		p.MuteFault = faultText(p.Text, bad.Fields[0])
		return h.showSettings(w, r, http.StatusUnprocessableEntity, p)
	}
	if err != nil {
		return err
	}
	done := "unmuted"
	if values.Get("muted") == "1" {
		done = "muted"
	}
	if fragment(r) {
		return h.mutePart(w, r, values, done)
	}
	if back := values.Get("back"); back != "" {
		redirect(w, r, backTo(back, url.Values{"done": {done}}))
	} else {
		redirect(w, r, settled(views.TabNotifications, done))
	}
	return nil
}

func (h *Handlers) setMute(r *http.Request, values url.Values) error {
	muted := values.Get("muted")
	if muted != "0" && muted != "1" {
		return fault("muted", codeBadSwitch, nil)
	}
	if err := h.People.SetMute(r.Context(), seqOf(r), values.Get("type"), muted == "1"); err != nil {
		return fmt.Errorf("mute a type of notice: %w", err)
	}
	h.mutes.Invalidate(mutesOf(r))
	return nil
}

// mutePart responds to an htmx request: all rows of the type switch their mute action, and muting offers Undo.
func (h *Handlers) mutePart(w http.ResponseWriter, r *http.Request, values url.Values, code string) error {
	f := h.bareFrame(r)
	name := h.typeNames(f.Text).of(kept(values.Get("type")))
	told := map[string]any{"type": kept(values.Get("type")), "name": name, "muted": code == "muted"}
	if err := tell(w, "carillon:muted", told); err != nil {
		return err
	}
	w.Header().Set("HX-Reswap", "none")
	f.Done = &views.Done{Text: f.Text.F("done.unmuted_type", "Type", name)}
	if code == "muted" {
		f.Done.Text = f.Text.F("done.muted_type", "Type", name)
		f.Done.Undo = &views.Undo{Action: "/settings/mute", Target: "#done", Fields: []views.Hidden{
			{Name: "type", Value: kept(values.Get("type"))}, {Name: "muted", Value: "0"}, {Name: "back", Value: kept(values.Get("back"))},
		}}
	}
	return h.page(w, r, http.StatusOK, views.DoneLine(&f, f.Done))
}
