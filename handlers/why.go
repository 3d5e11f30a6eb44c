package handlers

import (
	"errors"
	"net/http"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// why answers why the user of the query got a notice, or did not.
func (h *Handlers) why(r *http.Request, text *locale.Printer, n *notifier.Notice) (views.Why, error) {
	w := views.Why{Action: noticePath(n.ID), User: strings.TrimSpace(r.URL.Query().Get("user"))}
	if w.User == "" {
		return w, nil
	}
	found, err := h.Receptions.Why(r.Context(), n, w.User)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		w.Fault = text.T("notice.why_unknown")
	case err != nil:
		return w, err
	default:
		w.Answer = text.Reception(&found)
	}
	return w, nil
}
