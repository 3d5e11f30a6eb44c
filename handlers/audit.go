package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// audit records an action of the request's user in the audit log. The action has already
// happened, so a failure to record it is only logged.
func (h *Handlers) audit(r *http.Request, action string, object notifier.Ref) {
	h.auditDetail(r, action, object, "")
}

// auditDetail is audit with a detail that the action's name does not tell.
func (h *Handlers) auditDetail(r *http.Request, action string, object notifier.Ref, detail string) {
	h.auditAs(r, visitOf(r).user.User, action, object, detail)
}

// actor is the request's user, for changes that write their own audit entry.
func (h *Handlers) actor(r *http.Request) notifier.Actor {
	return notifier.Actor{Ref: notifier.UserRef(visitOf(r).user.User), Address: visitOf(r).Address}
}

// auditAs is audit for a request without a signed-in user, such as a sign-in.
func (h *Handlers) auditAs(r *http.Request, actor notifier.User, action string, object notifier.Ref, detail string) {
	web.Record(r.Context(), h.Audit, h.Log, notifier.AuditEntry{
		Actor: notifier.UserRef(actor), Action: action, Object: object, Detail: detail,
	})
}
