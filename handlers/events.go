package handlers

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

const eventsPath = "/events"

// events hands the connection to the user's stream. HEAD only says whether
// there would be one: EventSource does not tell why it failed.
//
// The stream is always that of the session. A page says whose it is: when
// somebody else has signed in since, there is none for it.
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
	v.status = http.StatusOK // a connection that is taken over writes past us
	err := h.Stream.Serve(w, r, readerOf(r), StreamOf{
		Session: v.user.ID, Visible: r.URL.Query().Get("visible") == "1", ToastsOff: v.user.User.ToastsOff,
	})
	if errors.Is(err, notifier.ErrTooMany) {
		// It is not the browser that asks too much: it should come back.
		err = fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}
