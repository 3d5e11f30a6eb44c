package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
	"github.com/carillonhq/carillon/views"
)

// Error codes of the form for another person.
const (
	codePersonTaken   = "person_taken"   // name: somebody has it
	codePersonLeaving = "person_leaving" // name: somebody who has it is being deleted
	codeManyPeople    = "too_many_people"
)

// newPersonFields are the fields of the form, from top to bottom.
var newPersonFields = []string{"name", "email", "audience", "role", "password"}

// addPerson adds a user and redirects to their page.
func (h *Handlers) addPerson(w http.ResponseWriter, r *http.Request, values url.Values) error {
	pasted(values)
	u, err := h.readNewPerson(r, values)
	if err == nil {
		_, err = h.People.Add(r.Context(), h.actor(r), u)
	}
	bad := (*notifier.InvalidError)(nil)
	switch {
	case err == nil:
		redirect(w, r, addQuery(personPath(u.Name), "person-added"))
		return nil
	case errors.Is(err, notifier.ErrLeaving): // an ErrConflict, too
		bad = fault("name", codePersonLeaving, map[string]any{"Name": u.Name})
	case errors.Is(err, notifier.ErrFull):
		bad = fault("", codeManyPeople, nil)
	case errors.Is(err, notifier.ErrConflict):
		bad = fault("name", codePersonTaken, map[string]any{"Name": u.Name})
	case errors.As(err, &bad):
	default:
		return fmt.Errorf("add a user: %w", err)
	}
	p, err := h.usersPage(r, url.Values{})
	if err != nil {
		return err
	}
	p.New.Name, p.New.Email, p.New.Role = kept(values.Get("name")), kept(values.Get("email")), kept(values.Get("role"))
	selectOption(p.New.Audiences, values.Get("audience"))
	selectOption(p.New.Roles, values.Get("role"))
	p.Faults = faultsOf(p.Text, bad, newPersonFields...)
	return h.page(w, r, http.StatusUnprocessableEntity, views.UsersPage(p))
}

// readNewPerson parses the form. A *notifier.InvalidError has the faults of all fields, so that they can be fixed at once.
func (h *Handlers) readNewPerson(r *http.Request, values url.Values) (notifier.NewUser, error) {
	u := notifier.NewUser{Name: strings.TrimSpace(values.Get("name")), Email: values.Get("email"), Audience: h.audienceGiven(values.Get("audience"))}
	checks := []func() error{
		func() error { return store.CheckNewUser(u) },
		func() error { return h.nameFree(r, u.Name) },
		func() error {
			role := strings.TrimSpace(values.Get("role"))
			if role == "" {
				return nil
			}
			u.Roles = []string{role}
			return h.roleExists(r, "role", role)
		},
		func() (err error) { u, err = h.withPassword(u, values.Get("password")); return err },
	}
	var all notifier.InvalidError
	for _, check := range checks {
		bad := (*notifier.InvalidError)(nil)
		switch err := check(); {
		case errors.As(err, &bad):
			all.Fields = append(all.Fields, bad.Fields...)
		case err != nil:
			return u, err
		}
	}
	return u, all.OrNil()
}

// nameFree returns a *notifier.InvalidError for a name that somebody has. Whoever takes it meanwhile is noticed when the
// user is added.
func (h *Handlers) nameFree(r *http.Request, name string) error {
	_, err := h.Store.UserByName(r.Context(), name)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fault("name", codePersonTaken, map[string]any{"Name": name})
}

// withPassword returns u with the hash of a password; without one they sign in another way.
func (h *Handlers) withPassword(u notifier.NewUser, password string) (notifier.NewUser, error) {
	if password == "" || h.PasswordsOff {
		return u, nil
	}
	var err error
	u.PasswordHash, err = session.HashPassword(password)
	return u, err
}
