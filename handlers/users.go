package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const usersPath = "/staff/users"

// users lists the directory by name.
func (h *Handlers) users(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	search, after := kept(strings.TrimSpace(values.Get("q"))), kept(values.Get("after"))
	if len(search) > notifier.MaxName || len(after) > notifier.MaxName {
		search, after = "", "" // no name is so long
	}
	found, err := h.Directory.Users(r.Context(), notifier.UserQuery{Contains: search, After: after, Limit: perPage + 1})
	if err != nil {
		return fmt.Errorf("list users: %w", err)
	}
	p := &views.Users{Frame: h.frame(r, "users", "users.title"), Query: search}
	p.Empty = components.Empty{Icon: "search", Heading: p.Text.T("users.empty_heading"), Text: p.Text.T("users.empty_text")}
	for _, name := range []string{"name", "audience", "roles", "action"} {
		p.Columns = append(p.Columns, components.Column{Text: p.Text.T("users.column_" + name)})
	}
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = usersAddress(search, found[perPage-1].Name)
	}
	if after != "" {
		p.First = usersAddress(search, "")
	}
	for _, u := range found {
		p.Rows = append(p.Rows, views.UserRow{
			Name: u.Name, Audience: h.audience(p.Text, u.Audience), Roles: strings.Join(u.Roles, ", "),
			SendHref:  "/staff/send?" + url.Values{"to": {u.Name}}.Encode(),
			SendNamed: p.Text.F("users.send_named", "Name", u.Name),
		})
	}
	return h.page(w, r, http.StatusOK, views.UsersPage(p))
}

func usersAddress(search, after string) string {
	values := url.Values{}
	if search != "" {
		values.Set("q", search)
	}
	if after != "" {
		values.Set("after", after)
	}
	if len(values) == 0 {
		return usersPath
	}
	return usersPath + "?" + values.Encode()
}

// defaultAudiences are the names that installations have unless they say
// otherwise; the catalogues translate those.
var defaultAudiences = map[notifier.Audience]string{1: "operator", 2: "user", 3: "customer"}

// audience names an audience.
func (h *Handlers) audience(text *locale.Printer, a notifier.Audience) string {
	number := strconv.Itoa(int(a))
	id := "users.audience_" + number
	name := h.Audiences[a]
	switch {
	case (name == "" || name == defaultAudiences[a]) && text.Has(id):
		return text.T(id)
	case name == "":
		return number
	default:
		return name
	}
}
