package handlers

import (
	"net/http"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// audit writes down what has been done. That it cannot be undoes nothing: it
// goes to the log then.
func (h *Handlers) audit(r *http.Request, actor, action, object string) {
	h.auditDetail(r, actor, action, object, "")
}

// auditDetail is audit of what one word does not say.
func (h *Handlers) auditDetail(r *http.Request, actor, action, object, detail string) {
	e := notifier.AuditEntry{Actor: actor, Action: action, Object: object, Detail: detail, Address: h.addressOf(r)}
	if err := h.Audit.Audit(r.Context(), e); err != nil {
		h.Log.WarnContext(r.Context(), "not in the audit log", "action", action, "object", object,
			"user_id", seqOf(r), "request_id", visitOf(r).id, "err", err)
	}
}

func auditedNotice(id int64) string { return "notice " + strconv.FormatInt(id, 10) }
