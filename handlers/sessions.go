package handlers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// Accounts is what users do with their own sessions and passwords; see internal/session.
type Accounts interface {
	// OwnSessions lists the sessions of a user, the one seen last first.
	OwnSessions(ctx context.Context, seq int64) ([]notifier.OwnSession, error)
	// EndSession returns notifier.ErrNotFound for an id that is not a session of the user's.
	EndSession(ctx context.Context, by notifier.Actor, u notifier.User, id string) error
	// HasPassword reports whether a user is signed in by a password, which they may change.
	HasPassword(ctx context.Context, who notifier.Asker) (bool, error)
	// ChangePassword returns the cookies of the browser after the change. A fault of a password is a
	// *notifier.InvalidError of the field current or password. Other errors are notifier.ErrNoPassword and
	// notifier.ErrTooMany.
	ChangePassword(r *http.Request, who notifier.Asker, address, current, password string) ([]*http.Cookie, error)
}

const sessionsPath = "/settings/sessions"

// addSessions lists the user's sessions, and offers to change the password if they have one.
func (h *Handlers) addSessions(r *http.Request, p *views.Settings) error {
	who := visitOf(r).user
	if who.Proxied || who.Token != nil {
		return nil
	}
	all, err := h.Accounts.OwnSessions(r.Context(), who.User.Seq)
	if err == nil {
		p.Password.Shown, err = h.Accounts.HasPassword(r.Context(), who)
	}
	if err != nil {
		return fmt.Errorf("list the sessions of user %d: %w", who.User.Seq, err)
	}
	at := func(t time.Time) string { return p.Text.Exact(t.In(h.zones.of(r))) }
	for i := range all {
		o := &all[i]
		name := deviceLabel(p.Text, o.Agent, "sessions.unknown")
		p.Sessions = append(p.Sessions, views.OwnSession{
			ID: o.ID, Name: name, Here: o.Session == who.Session,
			Times: p.Text.F("sessions.times", "Since", at(o.Since), "Seen", at(o.Seen)), End: p.Text.F("sessions.end_named", "Name", name),
		})
	}
	return nil
}

// endSession ends one session of the user.
func (h *Handlers) endSession(w http.ResponseWriter, r *http.Request) error {
	if _, err := form(r); err != nil {
		return err
	}
	if err := h.Accounts.EndSession(r.Context(), h.actor(r), visitOf(r).user.User, r.PathValue("id")); err != nil {
		return fmt.Errorf("end a session of user %d: %w", seqOf(r), err)
	}
	redirect(w, r, "/settings?done=session-ended")
	return nil
}
