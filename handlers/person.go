package handlers

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// The deeds that a person's page asks about first.
const (
	askPassword = "password"
	askDelete   = "delete"
)

// personPath returns the address of a person's page. Like rolePath, it puts "." and ".." into the query.
func personPath(name string) string {
	if name == "." || name == ".." {
		return usersPath + "?" + url.Values{"user": {name}}.Encode()
	}
	return usersPath + "/" + url.PathEscape(name)
}

// person shows the page of a user.
func (h *Handlers) person(w http.ResponseWriter, r *http.Request) error {
	return h.showPerson(w, r, r.PathValue("name"))
}

func (h *Handlers) showPerson(w http.ResponseWriter, r *http.Request, name string) error {
	p, err := h.personPage(r, name)
	if err != nil {
		return err
	}
	if asked := r.URL.Query().Get("ask"); asked == askPassword && p.Deeds.Password != "" || asked == askDelete && p.Deeds.Delete != "" {
		p.Deeds.Asked = asked
	}
	return h.page(w, r, http.StatusOK, views.PersonPage(p))
}

func (h *Handlers) personPage(r *http.Request, name string) (*views.Person, error) {
	u, err := h.Store.UserByName(r.Context(), name)
	if err != nil {
		return nil, fmt.Errorf("show a user: %w", err)
	}
	own := u.Seq == seqOf(r)
	p := &views.Person{Frame: h.frame(r, "users", "users.title"), Name: u.Name, Display: u.Display, Face: faceOf(u.Name, u.Display), Action: usersPath}
	p.Title = cmp.Or(u.Display, u.Name)
	p.Notes, p.Audience = profileNotes(p.Text, u.Notes), h.audience(p.Text, u.Audience)
	p.Deeds = h.personDeeds(u.Name, own)
	for _, role := range u.Roles {
		g := views.PersonGroup{Link: views.Link{Text: role, Href: rolePath(role)}}
		if !own || role != notifier.RoleStaff {
			g.Remove = p.Text.F("person.remove_named", "Name", u.Name, "Group", role)
		}
		p.Groups = append(p.Groups, g)
	}
	p.Roles = h.roleOptions(r, p.Text.T("person.choose_group"), "")
	if err := h.personParts(r, p, &u); err != nil {
		return nil, err
	}
	return p, nil
}

// personDeeds returns what staff can do to a user. Their own password they change in Settings, which asks for the old one.
func (h *Handlers) personDeeds(name string, own bool) views.PersonDeeds {
	path := personPath(name)
	d := views.PersonDeeds{Send: sendPath + "?" + url.Values{"to": {name}}.Encode(), Cancel: path}
	if own {
		return d
	}
	d.Delete = withParam(path, "ask", askDelete)
	if !h.PasswordsOff {
		d.Password = withParam(path, "ask", askPassword)
	}
	return d
}

// personParts adds what is read from several places.
func (h *Handlers) personParts(r *http.Request, p *views.Person, u *notifier.User) error {
	if err := h.personFacts(r, p, u); err != nil {
		return err
	}
	if err := h.personWants(r, p, u); err != nil {
		return err
	}
	if err := h.personBrowsers(r, p, u); err != nil {
		return err
	}
	var err error
	if p.History, err = h.personHistory(r, p.Text, u); err != nil {
		return err
	}
	return nil
}

// faceOf returns the initials of a user, and a color that stays the same when their display name changes.
func faceOf(name, display string) components.Face {
	look := (&notifier.RowActor{ID: name, Name: cmp.Or(display, name)}).Look()
	return components.Face{Initials: look.Initials, Tint: look.Tint}
}

// unreadText is the badge of a user in words, by its halves.
func unreadText(text *locale.Printer, b notifier.Badge) string {
	return text.F("person.unread_halves", "Inbox", text.Number(b.Inbox), "Announcements", text.Number(b.Announcements))
}

func numberText(n int64) string { return strconv.FormatInt(n, 10) }
