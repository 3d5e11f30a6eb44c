package handlers

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// listedRoles is the maximum number of roles that the form lists. If there are more, the user types the name, with
// suggestions.
const listedRoles = 200

// maxBoxes is the maximum number of ticked boxes read from a group: audience numbers are bytes, and a notice goes to
// fewer roles.
const maxBoxes = 255

// codeTwoRecipients is the error code for a form whose field "to" and whose list or checkboxes have different
// recipients.
const codeTwoRecipients = "two_recipients"

// codeChoose is the error code for a list or checkbox group without a choice.
const codeChoose = "choose"

// readRoles reads the target roles from the field "to" or, if that is empty, from the checkboxes "to_role". The boxes
// never override the field: two different choices are an error.
func (h *Handlers) readRoles(r *http.Request, values url.Values, bad *notifier.InvalidError) (t notifier.Target) {
	named, chosen := h.rolesIn(r, values.Get("to")), h.tickedRoles(r, values)
	if len(named) > 0 && len(chosen) > 0 && !sameNames(named, chosen) {
		bad.Add("to", codeTwoRecipients, nil)
	}
	if t.Roles = named; len(named) == 0 {
		t.Roles = chosen
	}
	if len(t.Roles) == 1 {
		t = notifier.Target{Role: t.Roles[0]}
	}
	return t
}

// tickedRoles returns the ticked roles, or the typed ones if there are too many to list.
func (h *Handlers) tickedRoles(r *http.Request, values url.Values) []string {
	names := tickedBoxes(values, "to_role")
	if len(names) == 1 {
		return h.rolesIn(r, names[0])
	}
	return names
}

// rolesIn parses role names: the whole text if there is such a role, otherwise the parts between commas, semicolons
// and line breaks.
func (h *Handlers) rolesIn(r *http.Request, text string) []string {
	text = strings.TrimSpace(text)
	parts := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",;，；、\r\n", c) })
	if len(parts) > 1 {
		if _, err := h.Store.Role(r.Context(), text); err == nil {
			parts = []string{text}
		}
	}
	var names []string
	for _, name := range parts[:min(len(parts), maxBoxes)] {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// readTo reads the target audiences as readRoles reads roles: from the names in "to" or the checkboxes "to_audience".
func (h *Handlers) readTo(r *http.Request, values url.Values, bad *notifier.InvalidError) []notifier.Audience {
	text, to := h.text(r), values.Get("to")
	ticked, unknown := h.knownAudiences(text, tickedBoxes(values, "to_audience"))
	if strings.TrimSpace(to) != "" {
		var named []notifier.Audience
		named, unknown = h.readAudiences(text, to)
		if len(ticked) > 0 && (unknown != "" || !sameAudiences(named, ticked)) {
			bad.Add("to", codeTwoRecipients, nil)
			return named
		}
		ticked = named
	}
	if unknown != "" {
		bad.Add("to", notifier.CodeUnknownAudience, map[string]any{"Name": unknown})
	}
	return ticked
}

// tickedBoxes returns the values of a field's ticked boxes. Every form with checkboxes also sends an empty value,
// which distinguishes a form with none ticked from one without checkboxes.
func tickedBoxes(values url.Values, field string) []string {
	var names []string
	for _, name := range values[field] {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) > maxBoxes {
			break
		}
	}
	return names
}

func sameAudiences(a, b []notifier.Audience) bool {
	normal := func(list []notifier.Audience) []notifier.Audience {
		return slices.Compact(slices.Sorted(slices.Values(list)))
	}
	return slices.Equal(normal(a), normal(b))
}

// chooseRecipients moves the names in the field "to" to the checkboxes of roles or audiences. Names without a
// checkbox stay in the field.
func (h *Handlers) chooseRecipients(r *http.Request, f *views.SendForm) {
	text := h.text(r)
	switch named := strings.TrimSpace(f.To); {
	case named == "":
		f.To = ""
	case f.Target == "role":
		if names := h.rolesIn(r, named); len(f.Roles) == 0 || sameNames(f.Roles, names) {
			f.Roles, f.To = names, ""
		}
	case f.Target == "audience":
		audiences, unknown := h.readAudiences(text, f.To)
		ticked, _ := h.knownAudiences(text, f.Audiences)
		if unknown == "" && len(audiences) > 0 && (len(f.Audiences) == 0 || sameAudiences(audiences, ticked)) {
			f.Audiences, f.To = h.boxesOf(audiences), ""
		}
	}
}

// boxesOf returns the checkbox values of audiences.
func (h *Handlers) boxesOf(audiences []notifier.Audience) []string {
	names := make([]string, len(audiences))
	for i, a := range audiences {
		names[i] = h.boxOf(a)
	}
	return names
}

// boxOf is the checkbox value of an audience. It does not depend on the language, because a draft outlives a change
// of language.
func (h *Handlers) boxOf(a notifier.Audience) string {
	if name := h.givenName(a); name != "" {
		return name
	}
	return strconv.Itoa(int(a)) // no longer configured
}

// roleOptions lists the roles with their number of members, after an empty option with the text none. It returns nil
// if the name must be typed because there are no roles, too many, or they cannot be read.
func (h *Handlers) roleOptions(r *http.Request, none, chosen string) []components.Option {
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	roles, err := h.Store.FindRoles(ctx, "", listedRoles+1)
	if err != nil {
		h.lacks(r, "roles", err)
	}
	if len(roles) == 0 || len(roles) > listedRoles {
		return nil
	}
	text := h.text(r)
	options := []components.Option{{Text: none}}
	for _, role := range roles {
		options = append(options, components.Option{
			Value: role.Name, Text: text.N("send.role_members", role.Members, "Name", role.Name), Note: text.N("names.members", role.Members), Selected: role.Name == chosen,
		})
	}
	if chosen != "" && !slices.ContainsFunc(options, func(o components.Option) bool { return o.Selected }) {
		options = append(options, components.Option{Value: chosen, Text: chosen, Selected: true})
	}
	return options
}

// roleBoxes is roleOptions for checkboxes, with any number of roles chosen.
func (h *Handlers) roleBoxes(r *http.Request, chosen []string) []components.Option {
	options := h.roleOptions(r, "", "")
	if len(options) == 0 {
		return nil
	}
	boxes := options[1:] // without the empty option
	left := slices.Clone(chosen)
	for i := range boxes {
		boxes[i].Text = boxes[i].Value
		boxes[i].Selected = slices.Contains(chosen, boxes[i].Value)
		left = slices.DeleteFunc(left, func(name string) bool { return name == boxes[i].Value })
	}
	for _, name := range left {
		boxes = append(boxes, components.Option{Value: name, Text: name, Selected: true})
	}
	return boxes
}

// audienceOptions lists the audiences, with their sizes if those can be read. A ticked audience that is no longer
// configured is listed too, so that it can be unticked.
func (h *Handlers) audienceOptions(r *http.Request, text *locale.Printer, ticked []string) []components.Option {
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	sized, err := h.sizedAudiences(ctx, text)
	if err != nil {
		h.lacks(r, "audiences", err)
	}
	left := slices.Clone(ticked)
	options := make([]components.Option, len(sized))
	for i, a := range sized {
		o := components.Option{Value: h.boxOf(a.audience), Text: a.name}
		if err == nil {
			o.Note = text.N("names.members", a.members)
		}
		left = slices.DeleteFunc(left, func(name string) bool {
			meant := h.called(text, a.audience, name)
			o.Selected = o.Selected || meant
			return meant
		})
		options[i] = o
	}
	for _, name := range left {
		options = append(options, components.Option{Value: name, Text: name, Selected: true})
	}
	return options
}

// recipientField returns the control that contains the recipients, and its label. All are one field to its sender; an edit
// has only the audiences.
func recipientField(p *views.Send) (control, label string) {
	switch f := &p.Form; {
	case strings.TrimSpace(f.To) != "":
	case f.Target == "role":
		return "to_role", "send.to"
	case f.Target == "audience" && p.Edit != nil:
		return "to_audience", "send.to_audience"
	case f.Target == "audience":
		return "to_audience", "send.to"
	}
	return "to", "send.to"
}
