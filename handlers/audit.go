package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// actor is the request's user, for changes that write their own audit entry.
func (h *Handlers) actor(r *http.Request) notifier.Actor {
	return notifier.Actor{Ref: notifier.UserRef(visitOf(r).user.User), Address: visitOf(r).Address}
}

// signedIn records in the audit log that a user has signed in. That has already happened, so a failure to record it
// is only logged.
func (h *Handlers) signedIn(r *http.Request, u notifier.User, detail string) {
	web.Record(r.Context(), h.Audit, h.Log, notifier.AuditEntry{Actor: notifier.UserRef(u), Action: "session.begin", Detail: detail})
}
