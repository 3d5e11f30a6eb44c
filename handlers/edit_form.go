package handlers

import (
	"net/http"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// readEdit builds the edited draft. Fields missing from the form keep their values.
func (h *Handlers) readEdit(r *http.Request, values url.Values, n *notifier.Notice) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := n.Draft
	for name, field := range map[string]*string{"title": &d.Title, "body": &d.Body, "link": &d.Link} {
		if values.Has(name) {
			*field = values.Get(name)
		}
	}
	readBox(values, "preview", &bad) // an invalid value must not save
	readBox(values, "unread", &bad)
	if n.State == notifier.StateScheduled {
		d.SendAt = h.readEditedTime(r, values, n, &bad)
	}
	if !n.Announces() {
		return d, bad.OrNil()
	}
	d.ExpiresIn, d.SendAt = 0, time.Time{} // the window determines the end
	if values.Has("to") || values.Has("to_audience") {
		d.Target.Audiences = h.readTo(r, values, &bad)
	}
	d.Window = h.readEditedWindow(r, values, n, &bad)
	return h.ending(d), bad.OrNil()
}

// readEditedTime reads the send time of a scheduled notice. An unchanged time keeps its milliseconds; an empty field
// means now.
func (h *Handlers) readEditedTime(r *http.Request, values url.Values, n *notifier.Notice, bad *notifier.InvalidError) time.Time {
	zone := h.zones.of(r)
	if !values.Has("send_at") || values.Get("send_at") == n.SendAt.In(zone).Format(localMoment) {
		return n.SendAt
	}
	at, fault := readMoment(values.Get("send_at"), zone)
	switch {
	case fault != "":
		bad.Add("send_at", fault, nil)
	case at.IsZero():
		return h.Now()
	}
	return at
}

// readEditedWindow reads the window. The form shows minutes, so an unchanged time keeps its milliseconds. A cleared
// start keeps an open announcement's start: it does not open again.
func (h *Handlers) readEditedWindow(r *http.Request, values url.Values, n *notifier.Notice, bad *notifier.InvalidError) notifier.Window {
	zone := h.zones.of(r)
	w := readWindow(values, zone, bad)
	left := func(field string, at time.Time) bool {
		return !values.Has(field) || values.Get(field) == at.In(zone).Format(localMoment)
	}
	if left("starts_at", n.StartsAt) || values.Get("starts_at") == "" && n.StartsAt.Before(h.Now()) {
		w.StartsAt = n.StartsAt
	}
	if left("ends_at", n.EndsAt) {
		w.EndsAt = n.EndsAt
	}
	// An unticked box is not sent; a form without boxes sends none either.
	if !windowed(values) {
		w.Pinned, w.LateJoiners = n.Pinned, n.LateJoiners
	}
	return w
}

func windowed(values url.Values) bool {
	return values.Has("starts_at") || values.Has("ends_at") || values.Has("pinned") || values.Has("late_joiners")
}

// editTyped fills in the edit form with the stored values, replaced by the input where there is any.
func (h *Handlers) editTyped(r *http.Request, n *notifier.Notice, values url.Values) views.SendForm {
	zone := h.zones.of(r)
	f := views.SendForm{Target: "user", Title: n.Title, Body: n.Body, Link: n.Link, Pinned: n.Pinned, LateJoiners: n.LateJoiners}
	if n.Announces() {
		f.Target, f.Audiences = "audience", h.boxesOf(n.Target.Audiences)
		f.StartsAt, f.EndsAt = n.StartsAt.In(zone).Format(localMoment), n.EndsAt.In(zone).Format(localMoment)
	}
	if n.State == notifier.StateScheduled {
		f.SendAt = n.SendAt.In(zone).Format(localMoment)
	}
	f.Unread = ticked(values, "unread")
	given := h.typed(r, values)
	for name, field := range map[string]struct{ shown, typed *string }{
		"title": {&f.Title, &given.Title}, "body": {&f.Body, &given.Body}, "link": {&f.Link, &given.Link},
		"send_at": {&f.SendAt, &given.SendAt}, "starts_at": {&f.StartsAt, &given.StartsAt}, "ends_at": {&f.EndsAt, &given.EndsAt},
	} {
		if values.Has(name) {
			*field.shown = *field.typed
		}
	}
	if values.Has("to") || values.Has("to_audience") {
		given.Target = f.Target
		h.chooseRecipients(r, &given)
		f.To, f.Audiences = given.To, given.Audiences
	}
	if windowed(values) {
		f.Pinned, f.LateJoiners = given.Pinned, given.LateJoiners
	}
	return f
}
