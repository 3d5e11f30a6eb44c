package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// paused returns the line with the end of the user's pause, or "" if they have not paused.
func (h *Handlers) paused(r *http.Request) string {
	now := h.now(r)
	until := visitOf(r).user.User.PausedUntil(now)
	if until.IsZero() {
		return ""
	}
	text := h.text(r)
	return text.F("preferences.paused", "Time", text.Exact(until.In(now.Location())))
}

// pause holds back notifications that are not urgent until a given time, or ends that.
func (h *Handlers) pause(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "for", "until", "back")
	if err != nil {
		return err
	}
	until, code := pauseEnd(values, h.now(r))
	if code != "" {
		p := h.settingsPage(r, views.TabNotifications, visitOf(r).user.User.Settings, nil)
		p.Preferences.PauseFault = faultText(p.Text, notifier.FieldError{Field: "until", Code: code})
		return h.showSettings(w, r, http.StatusUnprocessableEntity, p)
	}
	user := &visitOf(r).user.User
	if _, err := h.People.SetPreferences(r.Context(), h.actor(r), user.Name, notifier.PutPreferences{PausedUntil: &until}); err != nil {
		return fmt.Errorf("pause for user %d: %w", user.Seq, err)
	}
	back := settled(views.TabNotifications, "saved")
	if from := values.Get("back"); from != "" {
		back = cameFrom(from).RequestURI() // every page shows that they have paused
	}
	redirect(w, r, back)
	return nil
}

// pauseEnd parses the end of the pause; zero ends it. code is an error code.
func pauseEnd(values url.Values, now time.Time) (until time.Time, code string) {
	if at, ok := notifier.PresetEnd(values.Get("for"), now); ok {
		return at, ""
	}
	switch values.Get("for") {
	case "off":
		return time.Time{}, ""
	case "", "until":
		until, code = readMoment(values.Get("until"), now.Location())
		if code == "" && until.IsZero() {
			code = notifier.CodeRequired
		}
		if code == "" && !until.After(now) {
			code = notifier.CodeEndsPast
		}
		return until, code
	}
	return until, codeForm
}
