package handlers

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

const eventsPath = "/events"

// events serves the user's event stream. HEAD only reports whether the stream would open, because EventSource does
// not report why it failed.
//
// The stream always belongs to the session's user. A page sends its own user's name; if someone else has signed in
// since, it gets no stream.
func (h *Handlers) events(w http.ResponseWriter, r *http.Request) error {
	v := visitOf(r)
	if !v.known {
		return notifier.ErrUnauthenticated
	}
	if user := r.URL.Query().Get("user"); user != "" && user != v.user.User.Name {
		return notifier.ErrUnauthenticated
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		return nil
	}
	of := v.user.Stream(r.URL.Query().Get("visible") == "1", true, h.Now())
	of.Somebody = h.text(r).T("inbox.somebody")
	err := h.Stream.Serve(w, r, readerOf(r), of)
	switch {
	case err == nil:
		v.Status = http.StatusOK // the stream took over the connection, so no middleware recorded a status
	case errors.Is(err, notifier.ErrTooMany):
		// The browser did not cause the limit; 503 makes it retry.
		err = fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}
