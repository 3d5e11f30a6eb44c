package handlers

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// codeBadTime is the fault of a field that holds no time.
const codeBadTime = "bad_time"

// localMoment is how browsers write the value of a field for date and time.
const localMoment = "2006-01-02T15:04"

// momentForms are the ways to write a time. One without a zone is of the reader's.
var momentForms = []string{localMoment, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05", time.RFC3339}

// readWindow reads when an announcement is open. A field that holds no time is a
// fault, and counts as empty.
func readWindow(values url.Values, zone *time.Location, bad *notifier.InvalidError) notifier.Window {
	moment := func(field string) time.Time {
		at, ok := readMoment(values.Get(field), zone)
		if !ok {
			bad.Add(field, codeBadTime, nil)
		}
		return at
	}
	return notifier.Window{
		StartsAt: moment("starts_at"), EndsAt: moment("ends_at"),
		Pinned: values.Get("pinned") == "1", LateJoiners: values.Get("late_joiners") == "1",
	}
}

// readMoment reads a time; an empty text is none.
func readMoment(text string, zone *time.Location) (at time.Time, ok bool) {
	if text = strings.TrimSpace(text); text == "" {
		return time.Time{}, true
	}
	for _, form := range momentForms {
		if at, err := time.ParseInLocation(form, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// schedule says when a draft for audiences opens and closes if it is sent now, or
// one that was sent before if it is changed now; empty: it has no such times.
func (h *Handlers) schedule(r *http.Request, text *locale.Printer, d *notifier.Draft, sent bool) string {
	now := h.now(r)
	if !d.StartsAt.IsZero() && d.StartsAt.After(now) {
		return scheduled(text, d.StartsAt.In(now.Location()), h.closes(d, d.StartsAt).In(now.Location()))
	}
	opened := now
	if !d.StartsAt.IsZero() {
		opened = d.StartsAt
	}
	ends := h.closes(d, opened).In(now.Location())
	switch {
	case !ends.After(now):
		return ""
	case sent && !d.StartsAt.IsZero():
		return text.F("notice.open_until", "End", text.Exact(ends))
	default:
		return text.F("send.opens_now", "End", text.Exact(ends))
	}
}

func scheduled(text *locale.Printer, starts, ends time.Time) string {
	if !ends.After(starts) {
		return ""
	}
	return text.F("send.opens_on", "Start", text.Exact(starts), "End", text.Exact(ends))
}

// closes is when a draft that opens then closes.
func (h *Handlers) closes(d *notifier.Draft, opens time.Time) time.Time {
	switch {
	case !d.EndsAt.IsZero():
		return d.EndsAt
	case d.ExpiresIn > 0:
		return opens.Add(d.ExpiresIn)
	default:
		return opens.Add(h.Keep)
	}
}
