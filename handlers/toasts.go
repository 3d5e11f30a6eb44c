package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// codeBadToast is the error code for an invalid toast ID, or for more IDs than a user can have pending.
const codeBadToast = "bad_toast"

// ackToasts records that toasts were shown, so that no other device shows them.
func (h *Handlers) ackToasts(w http.ResponseWriter, r *http.Request) error {
	return h.report(w, r, "id", func(id string) error {
		ids, err := notifier.ParseToastIDs(id)
		if err != nil {
			return fault("id", codeBadToast, nil)
		}
		if err := h.People.Ack(r.Context(), seqOf(r), ids); err != nil {
			return fmt.Errorf("acknowledge toasts: %w", err)
		}
		return nil
	})
}

// active records whether a page is visible in this browser, because toasts go to the device in use.
func (h *Handlers) active(w http.ResponseWriter, r *http.Request) error {
	return h.report(w, r, "visible", func(visible string) error {
		if visible != "0" && visible != "1" {
			return fault("visible", codeBadSwitch, nil)
		}
		if err := h.People.Active(r.Context(), seqOf(r), visitOf(r).user.Session, visible == "1"); err != nil {
			return fmt.Errorf("record whether a page is visible: %w", err)
		}
		return nil
	})
}

// report responds to a script's report with 204, or with errors by field. No form of a page uses it.
func (h *Handlers) report(w http.ResponseWriter, r *http.Request, field string, hear func(value string) error) error {
	values, err := form(r, field)
	if err == nil && values.Get(field) == "" {
		err = missing(field)
	}
	if err == nil {
		err = hear(values.Get(field))
	}
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return writeFaults(w, bad)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func writeFaults(w http.ResponseWriter, bad *notifier.InvalidError) error {
	faults := map[string]string{}
	for _, f := range bad.Fields {
		faults[f.Field] = f.Code
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusUnprocessableEntity)
	return json.NewEncoder(w).Encode(map[string]any{"faults": faults})
}
