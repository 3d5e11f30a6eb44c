package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
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
	p.Empty = views.Empty{Heading: p.Text.T("users.empty_heading"), Text: p.Text.T("users.empty_text")}
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

// audience names an audience: as it is configured, else as the catalogue does.
func (h *Handlers) audience(text *locale.Printer, a notifier.Audience) string {
	if name := h.Audiences[a]; name != "" {
		return name
	}
	number := strconv.Itoa(int(a))
	if id := "users.audience_" + number; text.Has(id) {
		return text.T(id)
	}
	return number
}
