package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// Error codes of a time field: the text is not a time, or daylight saving time skips it.
const (
	codeBadTime     = "bad_time"
	codeSkippedTime = "skipped_time"
)

// localMoment is the format in which browsers send the value of a datetime-local field.
const localMoment = "2006-01-02T15:04"

// momentForms are the accepted formats. A time without a zone is in the reader's time zone.
var momentForms = []string{localMoment, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05", time.RFC3339}

// readWindow reads the window of an announcement. An invalid time is an error and counts as empty.
func readWindow(values url.Values, zone *time.Location, bad *notifier.InvalidError) notifier.Window {
	moment := func(field string) time.Time {
		at, fault := readMoment(values.Get(field), zone)
		if fault != "" {
			bad.Add(field, fault, nil)
		}
		return at
	}
	return notifier.Window{
		StartsAt: moment("starts_at"), EndsAt: moment("ends_at"),
		Pinned: readBox(values, "pinned", bad), LateJoiners: readBox(values, "late_joiners", bad),
	}
}

// readBox reads a checkbox: "1" from our forms, or "on" from a box without a value. Any value other than these, "0"
// or "" is an error and counts as unticked.
func readBox(values url.Values, field string, bad *notifier.InvalidError) bool {
	switch values.Get(field) {
	case "1", "on":
		return true
	case "", "0":
	default:
		bad.Add(field, codeBadSwitch, nil)
	}
	return false
}

// readMoment parses a time; an empty text is the zero time. fault is an error code.
func readMoment(text string, zone *time.Location) (at time.Time, fault string) {
	if strings.TrimSpace(text) == "" {
		return time.Time{}, ""
	}
	at, err := notifier.ParseMoment(text, zone, momentForms)
	switch {
	case errors.Is(err, notifier.ErrSkippedHour):
		return time.Time{}, codeSkippedTime
	case err != nil:
		return time.Time{}, codeBadTime
	}
	return at, ""
}

// schedule returns the line with an announcement's opening and closing times if the draft is sent now or, with sent,
// if it is saved now as an edit. It returns "" if the window is invalid.
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

// closes returns the closing time of a draft that opens at the given time.
func (h *Handlers) closes(d *notifier.Draft, opens time.Time) time.Time {
	switch {
	case !d.EndsAt.IsZero():
		return d.EndsAt
	case d.ExpiresIn > 0:
		return opens.Add(d.ExpiresIn)
	default:
		return opens.Add(h.closesUsually())
	}
}

// usualWindow is how long an announcement from the form is open if its sender names no end.
const usualWindow = 14 * 24 * time.Hour

func (h *Handlers) closesUsually() time.Duration { return min(usualWindow, h.Keep) }

// ending returns the draft of an announcement with an end, and any other draft as it is.
func (h *Handlers) ending(d notifier.Draft) notifier.Draft {
	if len(d.Target.Audiences) > 0 && d.EndsAt.IsZero() && d.ExpiresIn == 0 {
		d.ExpiresIn = h.closesUsually()
	}
	return d
}
