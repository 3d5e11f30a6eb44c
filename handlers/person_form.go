package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// personFields are the fields of the forms on a person's page, and of the form for another one.
var personFields = append([]string{"action", "user", "back"}, newPersonFields...)

// personForm handles the forms of the page at this address.
func (h *Handlers) personForm(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, personFields...)
	if err != nil {
		return err
	}
	return h.changePerson(w, r, r.PathValue("name"), values)
}

// changeUsers handles the forms of the list, and of every person's page: the name is in a field, since some names cannot
// be in a path.
func (h *Handlers) changeUsers(w http.ResponseWriter, r *http.Request) error {
	values, err := formThat(r, []string{"pick"}, func(sent url.Values) []string {
		if isMany(sent) {
			return append(manyFields, "action")
		}
		return personFields
	})
	if err != nil {
		return err
	}
	if isMany(values) {
		return h.changeMany(w, r, values)
	}
	return h.changePerson(w, r, values.Get("user"), values)
}

// changePerson makes one change of a user; notifier/person does the same for the API and the command line.
func (h *Handlers) changePerson(w http.ResponseWriter, r *http.Request, name string, values url.Values) error {
	path := personPath(name)
	var err error
	var done string
	switch values.Get("action") {
	case "new":
		return h.addPerson(w, r, values)
	case "mail":
		return h.tryMailOf(w, r, name, values)
	case "add":
		done, err = "group-added", h.addToGroup(r, name, strings.TrimSpace(values.Get("role")))
	case "remove":
		done, err = "group-removed", h.revoke(r, name, values.Get("role"), &refusal{"own_staff", path, "status.back_person"})
	case "sign-out":
		done, err = "person-signed-out", h.People.SignOut(r.Context(), h.actor(r), name)
	case "password":
		done, err = "password-set", h.setPassword(r, name, values.Get("password"))
	case "delete":
		path = usersPath
		done, err = "person-deleted", h.deletePerson(r, name)
	default:
		return fault("action", codeForm, nil)
	}
	bad := (*notifier.InvalidError)(nil)
	switch {
	case err == nil:
		redirect(w, r, addQuery(path, done))
		return nil
	case errors.As(err, &bad):
		return h.personAgain(w, r, name, values, bad)
	}
	return fmt.Errorf("change a user: %w", err)
}

// personAgain shows the page with the errors of a form.
func (h *Handlers) personAgain(w http.ResponseWriter, r *http.Request, name string, values url.Values, bad *notifier.InvalidError) error {
	p, err := h.personPage(r, name)
	if err != nil {
		return err
	}
	p.Faults = faultsOf(p.Text, bad, "role", "password")
	if values.Get("action") == "password" {
		p.Deeds.Asked = askPassword
	} else {
		p.NewGroup = kept(values.Get("role"))
	}
	return h.page(w, r, http.StatusUnprocessableEntity, views.PersonPage(p))
}

// addToGroup adds a user to a role that exists; GrantRole would create it.
func (h *Handlers) addToGroup(r *http.Request, name, role string) error {
	if role == "" {
		return fault("role", notifier.CodeRequired, nil)
	}
	if err := h.roleExists(r, "role", role); err != nil {
		return err
	}
	return h.People.GrantRole(r.Context(), h.actor(r), name, role)
}

// roleExists returns a *notifier.InvalidError of the field for a role that does not exist.
func (h *Handlers) roleExists(r *http.Request, field, role string) error {
	_, err := h.Store.Role(r.Context(), role)
	if errors.Is(err, notifier.ErrNotFound) {
		return fault(field, notifier.CodeUnknownRole, map[string]any{"Name": role})
	}
	return err
}

// setPassword sets another user's password. One's own needs the present one, which Settings asks for.
func (h *Handlers) setPassword(r *http.Request, name, password string) error {
	if h.PasswordsOff || name == visitOf(r).user.User.Name {
		return notifier.ErrNotFound
	}
	if _, err := h.Store.UserByName(r.Context(), name); err != nil {
		return err // before the hash, which is slow
	}
	hash, err := session.HashPassword(password)
	if err != nil {
		return err
	}
	return h.People.SetPassword(r.Context(), h.actor(r), name, hash)
}

// deletePerson deletes a user, but not the reader.
func (h *Handlers) deletePerson(r *http.Request, name string) error {
	if name == visitOf(r).user.User.Name {
		return &refusal{"own_account", personPath(name), "status.back_person"}
	}
	_, err := h.People.Delete(r.Context(), h.actor(r), name, nil)
	return err
}
