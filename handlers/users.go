package handlers

import (
	"cmp"
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

// users lists the directory by name, or newest first.
func (h *Handlers) users(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	if values.Has("user") {
		return h.showPerson(w, r, values.Get("user"))
	}
	p, err := h.usersPage(r, values)
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.UsersPage(p))
}

// usersPage builds the page of the list that the query selects.
func (h *Handlers) usersPage(r *http.Request, values url.Values) (*views.Users, error) {
	l := readUsers(values)
	q := h.filteredQuery(l, values)
	found, reached, err := h.findUsers(r, q)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	p := &views.Users{Frame: h.frame(r, "users", "users.title"), ByMail: h.Mailing}
	p.List = listOf(r, p.Text, l, "users.column_", "name", "groups", "unread", "seen")
	p.Empty = components.Empty{Icon: "search", Heading: p.Text.T("users.empty_heading"), Text: p.Text.T("users.empty_text")}
	p.NextText = p.Text.T("users.next")
	shown := usersPage(&p.List, l, q, found)
	if reached != "" && p.Next == "" {
		p.Next, p.NextText = l.address("after", reached), p.Text.T("notices.search_on")
		p.Empty.Heading, p.Empty.Text = p.Text.T("notices.nothing_yet"), p.Text.F("users.searched", "Name", reached)
	}
	for _, u := range shown {
		p.Rows = append(p.Rows, h.userRow(p.Text, u))
	}
	h.addMailFaults(r, p.Text, shown, p.Rows)
	h.addActivity(r, p.Text, shown, p.Rows)
	roles := h.roleOptions(r, p.Text.T("users.no_group"), "")
	h.addFilter(r, p, l, roles)
	h.addCounts(r, p, q)
	h.addMany(r, p, l, kept(values.Get("after")), roles)
	p.New = views.NewPerson{Audiences: h.audienceChoices(p.Text, usualAudience), Roles: roles, ByMail: h.Mailing, ByPassword: !h.PasswordsOff}
	p.Say = listed(p.Text, len(p.Rows), p.Next != "", p.Empty)
	return p, nil
}

// readUsers parses the list's address. A search or a filter is listed by name only, so that it can stop and continue.
func readUsers(values url.Values) listing {
	narrow := readNarrow(values, "group", "state")
	orders := []string{"name", "-name", "-seq"}
	if role, audience := groupOf(narrow.Get("group")); role == "" && audience == 0 {
		narrow.Del("group")
	}
	if !contains(userStates, narrow.Get("state")) {
		narrow.Del("state")
	}
	if strings.TrimSpace(values.Get("q")) != "" || len(narrow) > 0 {
		orders = orders[:1]
	}
	l := readList(values, usersPath, notifier.MaxName, orders...)
	l.narrow = narrow
	return l
}

// findUsers lists users. By name it stops after searchPatience, and reached is the last name examined.
func (h *Handlers) findUsers(r *http.Request, q notifier.UserQuery) (found []notifier.User, reached string, err error) {
	if q.ByNewest || q.Descending {
		found, err = h.Store.Users(r.Context(), q)
		return found, "", err
	}
	return h.Store.SearchUsers(r.Context(), q, searchPatience)
}

// filteredQuery is usersQuery with the filters of the list.
func (h *Handlers) filteredQuery(l listing, values url.Values) notifier.UserQuery {
	q := usersQuery(l, values)
	q.ByMail = h.Mailing
	q.Role, q.Audience = groupOf(l.narrow.Get("group"))
	q.Unread, q.Inactive = l.narrow.Get("state") == stateUnread, l.narrow.Get("state") == stateInactive
	return q
}

// usersQuery returns the query for a page of users and one more.
func usersQuery(l listing, values url.Values) notifier.UserQuery {
	q := notifier.UserQuery{Contains: l.search, Limit: perPage + 1, Descending: l.sort == "-name", ByNewest: l.sort == "-seq"}
	after := kept(values.Get("after"))
	switch {
	case q.ByNewest:
		q.Before = number(after)
	case len(after) <= notifier.MaxName:
		q.After = after
	}
	return q
}

// usersPage returns the users of a page and adds the links to the other pages.
func usersPage(list *views.List, l listing, q notifier.UserQuery, found []notifier.User) []notifier.User {
	if q.After != "" || q.Before > 0 {
		list.First = l.address("", "")
	}
	if len(found) <= perPage {
		return found
	}
	found = found[:perPage]
	cursor := found[perPage-1].Name
	if q.ByNewest {
		cursor = strconv.FormatInt(found[perPage-1].Seq, 10)
	}
	list.Next = l.address("after", cursor)
	return found
}

func (h *Handlers) userRow(text *locale.Printer, u notifier.User) views.UserRow {
	row := views.UserRow{
		Pick: strconv.FormatInt(u.Seq, 10), PickText: text.F("users.pick", "Name", cmp.Or(u.Display, u.Name)), Name: u.Name, Display: u.Display, Href: personPath(u.Name), Face: faceOf(u.Name, u.Display), Audience: h.audience(text, u.Audience),
	}
	row.Notes = profileNotes(text, u.Notes)
	for _, role := range u.Roles {
		row.Roles = append(row.Roles, views.Link{Text: role, Href: rolePath(role)})
	}
	return row
}

// profileNotes describes what was corrected or dropped in a user's profile.
func profileNotes(text *locale.Printer, stored string) (all []string) {
	notes := notifier.ParseProfileNotes(stored)
	for _, of := range []struct {
		field string
		mend  notifier.Mend
	}{{"name", notes.Name}, {"email", notes.Email}, {"locale", notes.Locale}, {"zone", notes.Zone}} {
		if id := "users.note_" + of.field + "_" + string(of.mend); of.mend != notifier.Unsaid && text.Has(id) {
			all = append(all, text.T(id))
		}
	}
	return all
}

// defaultAudiences apply if no audiences are configured; the catalogues translate their names.
var defaultAudiences = map[notifier.Audience]string{1: "operator", 2: "user", 3: "customer"}

// audience returns an audience's name in the reader's language.
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
