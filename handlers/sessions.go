package handlers

import (
	"fmt"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/views"
)

const sessionsPath = "/settings/sessions"

// addSessions lists the user's sessions and offers to change the password if they signed in with one.
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

// endSession ends one of the user's sessions.
func (h *Handlers) endSession(w http.ResponseWriter, r *http.Request) error {
	if _, err := form(r); err != nil {
		return err
	}
	if err := h.Accounts.EndSession(r.Context(), h.actor(r), visitOf(r).user.User, r.PathValue("id")); err != nil {
		return fmt.Errorf("end a session of user %d: %w", seqOf(r), err)
	}
	redirect(w, r, settled(views.TabAccount, "session-ended"))
	return nil
}
