package handlers

import (
	"net/http"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// readEdit is the draft of what was sent after an edit. What the form does not
// have stays as it is.
func (h *Handlers) readEdit(r *http.Request, values url.Values, n *notifier.Notice) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := n.Draft
	for name, field := range map[string]*string{"title": &d.Title, "body": &d.Body, "link": &d.Link} {
		if values.Has(name) {
			*field = values.Get(name)
		}
	}
	readBox(values, "preview", &bad) // a wrong one must not save
	if !n.Announces() {
		return d, bad.OrNil()
	}
	d.ExpiresIn = 0 // its window says when it is over
	if values.Has("to") {
		d.Target.Audiences = h.readTo(r, values.Get("to"), &bad)
	}
	d.Window = h.readEditedWindow(r, values, n, &bad)
	return d, bad.OrNil()
}

// readEditedWindow reads the window. The form shows times to the minute, and one
// that was left as it was shown stays to the millisecond. One that has opened at
// once does not open anew.
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
	// A box that is not ticked is not sent, nor is one of a form without any.
	if !windowed(values) {
		w.Pinned, w.LateJoiners = n.Pinned, n.LateJoiners
	}
	return w
}

func windowed(values url.Values) bool {
	return values.Has("starts_at") || values.Has("ends_at") || values.Has("pinned") || values.Has("late_joiners")
}

// editTyped is the form of what was sent with what was typed over it.
func (h *Handlers) editTyped(r *http.Request, n *notifier.Notice, values url.Values) views.SendForm {
	zone := h.zones.of(r)
	f := views.SendForm{Target: "user", Title: n.Title, Body: n.Body, Link: n.Link, Pinned: n.Pinned, LateJoiners: n.LateJoiners}
	if n.Announces() {
		f.Target, f.To = "audience", typedNames(h.audienceNames(h.text(r), n.Target.Audiences))
		f.StartsAt, f.EndsAt = n.StartsAt.In(zone).Format(localMoment), n.EndsAt.In(zone).Format(localMoment)
	}
	given := typed(values)
	for name, field := range map[string]struct{ shown, typed *string }{
		"to": {&f.To, &given.To}, "title": {&f.Title, &given.Title}, "body": {&f.Body, &given.Body}, "link": {&f.Link, &given.Link},
		"starts_at": {&f.StartsAt, &given.StartsAt}, "ends_at": {&f.EndsAt, &given.EndsAt},
	} {
		if values.Has(name) {
			*field.shown = *field.typed
		}
	}
	if windowed(values) {
		f.Pinned, f.LateJoiners = given.Pinned, given.LateJoiners
	}
	return f
}
