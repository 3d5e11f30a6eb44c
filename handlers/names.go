package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// Maximum numbers of names suggested while the user types. The lists of categories and of recipients can be opened before
// anything is typed.
const (
	offeredNames = 8
	offeredTypes = 100
)

// offer is a suggested name.
type offer struct {
	Name string `json:"name"`
	Note string `json:"note"` // in the reader's language; may be empty

	Label    string `json:"label,omitempty"`    // what people read instead of its name
	Icon     string `json:"icon,omitempty"`     // its name in the sprite; empty: it has initials
	Initials string `json:"initials,omitempty"` // instead of an icon
	Tint     string `json:"tint,omitempty"`

	// Of a recipient only.
	Kind    string `json:"kind,omitempty"`    // as in the field "target"
	Section string `json:"section,omitempty"` // the heading for its kind
	Scope   string `json:"scope,omitempty"`   // of a topic

	box string // the value of an audience in the form
}

// tintOfGroups is the colour of the icon of a group or an audience.
const tintOfGroups = "gray"

// names suggests users, roles, audiences, types or, for the field of recipients, any of them for the input so far.
func (h *Handlers) names(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	part := strings.TrimSpace(values.Get("q"))
	offers := []offer{} // an empty list, not null
	var err error
	switch {
	case len(part) > notifier.MaxName: // no name is that long
	case values.Get("target") == "to":
		offers, err = h.offerRecipients(r, part, values.Get("of"))
	case values.Get("target") == "role":
		offers, err = h.offerRoles(r, part, offers)
	case values.Get("target") == "audience":
		offers, err = h.offerAudiences(r, part, offers)
	case values.Get("target") == "type":
		offers = h.offerTypes(r, part, offers)
	default:
		offers, err = h.offerUsers(r, part, offers)
	}
	if err != nil {
		return fmt.Errorf("suggest names: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	return json.NewEncoder(w).Encode(map[string][]offer{"names": offers})
}

func (h *Handlers) offerUsers(r *http.Request, part string, offers []offer) ([]offer, error) {
	users, err := h.Store.FindUsers(r.Context(), part, offeredNames)
	text := h.text(r)
	for _, u := range users {
		note := h.audience(text, u.Audience)
		if u.Display != "" {
			note = u.Display + " · " + note
		}
		face := faceOf(u.Name, u.Display)
		offers = append(offers, offer{Name: u.Name, Note: note, Initials: face.Initials, Tint: face.Tint})
	}
	return offers, err
}

func (h *Handlers) offerRoles(r *http.Request, part string, offers []offer) ([]offer, error) {
	roles, err := h.Store.FindRoles(r.Context(), part, offeredNames)
	text := h.text(r)
	for _, role := range roles {
		offers = append(offers, offer{Name: role.Name, Note: text.N("names.members", role.Members), Icon: "users", Tint: tintOfGroups})
	}
	return offers, err
}

// offerTypes suggests types by slug or name.
func (h *Handlers) offerTypes(r *http.Request, part string, offers []offer) []offer {
	names := h.typeNames(h.text(r))
	for _, slug := range names.matching(part, offeredTypes) {
		offers = append(offers, h.offerType(slug, names.words(slug)))
	}
	return offers
}

func (h *Handlers) offerType(slug, name string) offer {
	look := h.lookOf(slug)
	return offer{Name: slug, Note: slug, Label: name, Icon: look.Icon, Initials: look.Initials, Tint: look.Tint}
}

func (h *Handlers) offerAudiences(r *http.Request, part string, offers []offer) ([]offer, error) {
	text := h.text(r)
	audiences, err := h.sizedAudiences(r.Context(), text)
	part = strings.ToLower(part)
	for _, a := range audiences {
		// Staff may also type the name in the configuration.
		names := strings.ToLower(a.name + "\n" + h.givenName(a.audience))
		if strings.Contains(names, part) && len(offers) < offeredNames {
			offers = append(offers, offer{Name: a.name, Note: text.N("names.members", a.members), Icon: "megaphone", Tint: tintOfGroups, box: h.boxOf(a.audience)})
		}
	}
	return offers, err
}
