package handlers

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

const eventsPath = "/events"

// events hands the connection to the user's event stream. HEAD only reports whether there would
// be one, because EventSource does not say why it failed.
//
// The stream always belongs to the session's user. A page sends the name of its own user; if
// someone else has signed in since, it gets no stream.
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
	err := h.Stream.Serve(w, r, readerOf(r), v.user.Stream(r.URL.Query().Get("visible") == "1", true, h.Now()))
	switch {
	case err == nil:
		v.Status = http.StatusOK // the stream has taken over the connection, so nobody recorded this
	case errors.Is(err, notifier.ErrTooMany):
		// The browser is not at fault for the limit; 503 makes it come back.
		err = fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}
