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

const rolesPath = "/staff/roles"

// rolePath returns the address of a role's page. Browsers resolve "." and ".." as path segments, so those names go
// into the query.
func rolePath(name string) string {
	if name == "." || name == ".." {
		return rolesPath + "?" + url.Values{"role": {name}}.Encode()
	}
	return rolesPath + "/" + url.PathEscape(name)
}

// roles lists the roles by name.
func (h *Handlers) roles(w http.ResponseWriter, r *http.Request) error {
	if values := r.URL.Query(); values.Has("role") {
		return h.showRole(w, r, values.Get("role"))
	}
	p, err := h.rolesPage(r, r.URL.Query())
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.RolesPage(p))
}

func (h *Handlers) rolesPage(r *http.Request, values url.Values) (*views.Roles, error) {
	l := readList(values, rolesPath, notifier.MaxName, "name")
	q := notifier.RoleQuery{Contains: l.search, Limit: perPage + 1}
	if after := kept(values.Get("after")); len(after) <= notifier.MaxName {
		q.After = after
	}
	found, err := h.Store.RolesPage(r.Context(), q)
	if err != nil {
		return nil, fmt.Errorf("list roles: %w", err)
	}
	p := &views.Roles{Frame: h.frame(r, "roles", "roles.title")}
	p.List = listOf(r, p.Text, l, "roles.column_", "name", "members", "action")
	p.Empty = nothing(p.Text, "user", "roles.", l.search != "")
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = l.address("after", found[perPage-1].Name)
	}
	if q.After != "" {
		p.First = l.address("", "")
	}
	for _, role := range found {
		p.Rows = append(p.Rows, views.RoleRow{
			Name: role.Name, Href: rolePath(role.Name), Members: p.Text.N("names.members", role.Members),
			SendHref:  "/staff/send?" + url.Values{"target": {"role"}, "to": {role.Name}}.Encode(),
			SendNamed: p.Text.F("users.send_named", "Name", role.Name),
		})
	}
	p.Say = listed(p.Text, len(p.Rows), p.Next != "", p.Empty)
	return p, nil
}

// changeRoles creates a role, or handles a form from one role's page.
func (h *Handlers) changeRoles(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "action", "role", "user", "back")
	if values == nil {
		return err
	}
	pasted(values)
	name := strings.TrimSpace(values.Get("role"))
	if action := values.Get("action"); err == nil && action != "" && action != "create" {
		return h.changeRole(w, r, values.Get("role"), values)
	}
	if err == nil {
		err = h.People.CreateRole(r.Context(), h.actor(r), name)
	}
	if err == nil {
		redirect(w, r, addQuery(rolePath(name), "role-made"))
		return nil
	}
	if errors.Is(err, notifier.ErrConflict) {
		err = fault("role", codeRoleTaken, map[string]any{"Name": name})
	}
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		return fmt.Errorf("create a role: %w", err)
	}
	p, err := h.rolesPage(r, backQuery(rolesPath, values.Get("back")))
	if err != nil {
		return err
	}
	p.New, p.Faults = kept(values.Get("role")), faultsOf(p.Text, bad, "role")
	return h.page(w, r, http.StatusUnprocessableEntity, views.RolesPage(p))
}

// codeRoleTaken is the error code for a new role whose name is taken.
const codeRoleTaken = "role_taken"

// addQuery adds a done code to an address.
func addQuery(path, done string) string { return withParam(path, "done", done) }

// withParam adds a parameter to an address.
func withParam(path, name, value string) string {
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	return path + mark + url.Values{name: {value}}.Encode()
}
