package handlers

import "net/http"

// paused says until when the request's user has paused; empty: they have not.
func (h *Handlers) paused(r *http.Request) string {
	now := h.now(r)
	until := visitOf(r).user.User.PausedUntil(now)
	if until.IsZero() {
		return ""
	}
	text := h.text(r)
	return text.F("preferences.paused", "Time", text.Exact(until.In(now.Location())))
}
