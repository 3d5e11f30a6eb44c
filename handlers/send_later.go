package handlers

import (
	"net/http"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// laterToday is the hour until which the form offers to send later today, and sendToday the hour that it offers.
const laterToday, sendToday = 16, 17

// laterAt returns the time that a choice of the menu means, from now in the sender's zone. ok is false for a choice
// that is not offered.
func laterAt(choice string, now time.Time) (at time.Time, ok bool) {
	switch choice {
	case "today":
		return time.Date(now.Year(), now.Month(), now.Day(), sendToday, 0, 0, 0, now.Location()), now.Hour() < laterToday
	case "tomorrow", "monday":
		return notifier.PresetEnd(choice, now)
	}
	return time.Time{}, false
}

// laterChoices lists the times at which the form offers to send.
func (h *Handlers) laterChoices(r *http.Request, p *views.Send) []views.LaterChoice {
	now := h.now(r)
	var all []views.LaterChoice
	for _, choice := range []string{"today", "tomorrow", "monday"} {
		if at, ok := laterAt(choice, now); ok {
			all = append(all, views.LaterChoice{Value: choice, Text: p.Text.T("send.later_" + choice), Note: p.Text.Clock(at)})
		}
	}
	all = append(all, views.LaterChoice{Value: "pick", Text: p.Text.T("send.later_pick")})
	if p.Form.SendAt != "" || p.Form.StartsAt != "" {
		all = append(all, views.LaterChoice{Value: "now", Text: p.Text.T("send.later_now")})
	}
	return all
}

// chooseTime shows the form again with the time that was chosen in the menu, or with the field for another one.
func (h *Handlers) chooseTime(w http.ResponseWriter, r *http.Request, values url.Values) error {
	given, choice := h.typed(r, values), values.Get("later")
	field := &given.SendAt
	if given.Target == "audience" {
		field = &given.StartsAt
	}
	at, ok := laterAt(choice, h.now(r))
	switch {
	case ok:
		*field = at.Format(localMoment)
	case choice == "now":
		*field = ""
	case choice != "pick":
		p := h.sendPage(r, given)
		h.showFaults(p, &notifier.InvalidError{Fields: []notifier.FieldError{{Field: "later", Code: codeForm}}})
		return h.showSend(w, r, http.StatusUnprocessableEntity, p)
	}
	p := h.sendPage(r, given)
	p.Timing = choice != "now"
	return h.showSend(w, r, http.StatusOK, p)
}

// submitText returns the text of the button that sends: when, if a time is chosen, or to how many people. A negative
// count is unknown.
func (h *Handlers) submitText(r *http.Request, p *views.Send, count int64) string {
	now := h.now(r)
	given := p.Form.SendAt
	if p.Form.Target == "audience" {
		given = p.Form.StartsAt
	}
	at, _ := readMoment(given, now.Location())
	switch {
	case p.Edit != nil:
		return ""
	case at.After(now):
		at = at.In(now.Location())
		moment := p.Text.Short(at, now)
		if clock := p.Text.Clock(at); moment != clock {
			moment += ", " + clock
		}
		return p.Text.F("send.schedule_for", "Time", moment)
	case count > 0:
		return p.Text.N("send.confirm_submit", count)
	}
	return ""
}
