package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// roleForm handles the forms on a role's page.
func (h *Handlers) roleForm(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "action", "role", "user", "back")
	if err != nil {
		return err
	}
	return h.changeRole(w, r, r.PathValue("name"), values)
}

// changeRole adds or removes a member, or deletes the role.
func (h *Handlers) changeRole(w http.ResponseWriter, r *http.Request, name string, values url.Values) error {
	user := strings.TrimSpace(values.Get("user"))
	path, _, _ := strings.Cut(rolePath(name), "?")
	switch values.Get("action") {
	case "add":
		return h.addMember(w, r, name, user, values)
	case "remove":
		if err := h.revoke(r, user, name, &refusal{"own_staff", rolePath(name), "status.back_role"}); err != nil {
			return err
		}
		h.removed(w, r, path, values.Get("back"), "member-removed", views.Done{
			Text: h.text(r).F("role.removed", "Name", user),
			Undo: &views.Undo{
				Action: path, Target: "#results", Select: "#results",
				Fields: append(memberFields("add", name, user), views.Hidden{Name: "back", Value: kept(values.Get("back"))}),
			},
		})
		return nil
	case "delete":
		if err := h.People.DeleteRole(r.Context(), h.actor(r), name); err != nil {
			if errors.Is(err, notifier.ErrConflict) {
				err = &refusal{"staff_role", rolePath(name), "status.back_role"}
			}
			return fmt.Errorf("delete a role: %w", err)
		}
		redirect(w, r, rolesPath+"?done=role-deleted")
		return nil
	}
	return fault("action", codeForm, nil)
}

// addMember adds a user to a role, or shows the page again if the user is unknown.
func (h *Handlers) addMember(w http.ResponseWriter, r *http.Request, name, user string, values url.Values) error {
	if _, err := h.Store.Role(r.Context(), name); err != nil {
		return fmt.Errorf("look up a role: %w", err) // GrantRole would create it
	}
	path, _, _ := strings.Cut(rolePath(name), "?")
	var err error
	if user == "" {
		err = fault("user", notifier.CodeRequired, nil)
	} else if err = h.People.GrantRole(r.Context(), h.actor(r), user, name); errors.Is(err, notifier.ErrNotFound) {
		err = fault("user", notifier.CodeUnknownUser, map[string]any{"Name": user})
	}
	if err == nil {
		redirect(w, r, backOn(path, values.Get("back"), "member-added"))
		return nil
	}
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		return fmt.Errorf("add a user to a role: %w", err)
	}
	p, err := h.rolePage(r, name, backQuery(path, values.Get("back")))
	if err != nil {
		return err
	}
	p.New, p.Faults = kept(values.Get("user")), faultsOf(p.Text, bad, "user")
	return h.page(w, r, http.StatusUnprocessableEntity, views.RolePage(p))
}

// revoke removes a user from a role. Staff cannot remove themselves from staff: that returns own.
func (h *Handlers) revoke(r *http.Request, user, role string, own *refusal) error {
	if role == notifier.RoleStaff && user == visitOf(r).user.User.Name {
		return fmt.Errorf("leave the staff: %w", own)
	}
	if err := h.People.RevokeRole(r.Context(), h.actor(r), user, role); err != nil {
		return fmt.Errorf("remove a user from a role: %w", err)
	}
	return nil
}
