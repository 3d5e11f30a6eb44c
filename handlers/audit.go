package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// actor returns the request's user as the author of a change that writes its own audit entry.
func (h *Handlers) actor(r *http.Request) notifier.Actor {
	return notifier.Actor{Ref: notifier.UserRef(visitOf(r).user.User), Address: visitOf(r).Address}
}

// signedIn records a sign-in in the audit log. The sign-in has already happened, so a failure is only logged.
func (h *Handlers) signedIn(r *http.Request, u notifier.User, detail string) {
	web.Record(r.Context(), h.Audit, h.Log, notifier.AuditEntry{Actor: notifier.UserRef(u), Action: "session.begin", Detail: detail})
}
