package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// role shows a role and its members.
func (h *Handlers) role(w http.ResponseWriter, r *http.Request) error {
	return h.showRole(w, r, r.PathValue("name"))
}

func (h *Handlers) showRole(w http.ResponseWriter, r *http.Request, name string) error {
	p, err := h.rolePage(r, name, r.URL.Query())
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.RolePage(p))
}

// rolePage lists a role's members, with the search and sort orders of the directory.
func (h *Handlers) rolePage(r *http.Request, name string, values url.Values) (*views.Role, error) {
	role, err := h.Store.Role(r.Context(), name)
	if err != nil {
		return nil, fmt.Errorf("look up a role: %w", err)
	}
	path, _, dots := strings.Cut(rolePath(name), "?")
	l := readList(values, path, notifier.MaxName, "name", "-name", "-seq")
	if dots {
		l.narrow = url.Values{"role": {name}}
	}
	q := usersQuery(l, values)
	q.Role = name
	found, err := h.Store.Users(r.Context(), q)
	if err != nil {
		return nil, fmt.Errorf("list the members of a role: %w", err)
	}
	p := &views.Role{Frame: h.frame(r, "roles", "roles.title"), Name: name, Path: path, Back: rolesPath}
	p.Title = p.Text.F("role.title", "Name", name)
	p.Members = p.Text.N("names.members", role.Members)
	p.List = listOf(r, p.Text, l, "users.column_", "name", "audience", "action")
	p.Empty = nothing(p.Text, "user", "role.", l.search != "")
	found = usersPage(&p.List, l, q, found)
	staff := name == notifier.RoleStaff
	for _, u := range found {
		p.Rows = append(p.Rows, views.MemberRow{
			Name: u.Name, Display: u.Display, Href: personPath(u.Name), Audience: h.audience(p.Text, u.Audience),
			Remove: p.Text.F("role.remove_named", "Name", u.Name), Fixed: staff && u.Seq == seqOf(r),
			Fields: memberFields("remove", name, u.Name),
		})
	}
	p.Say = listed(p.Text, len(p.Rows), p.Next != "", p.Empty)
	p.Staff = staff
	if dots {
		p.Narrow = []views.Hidden{{Name: "role", Value: name}}
	}
	p.Subscriptions = subscriptionsPath + "?" + url.Values{"role": {name}}.Encode()
	p.SendHref = "/staff/send?" + url.Values{"target": {"role"}, "to": {name}}.Encode()
	if done := h.takenDone(r, path, "member-removed"); done != nil {
		p.Done = done
	}
	return p, nil
}

func memberFields(action, role, user string) []views.Hidden {
	return []views.Hidden{{Name: "action", Value: action}, {Name: "role", Value: role}, {Name: "user", Value: user}}
}
