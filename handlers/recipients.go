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

// listedRoles is how many roles the form offers in a list. If there are more, the name is typed
// instead, with suggestions.
const listedRoles = 200

// maxBoxes is the largest possible number of audiences, since their numbers are bytes.
const maxBoxes = 255

// codeTwoRecipients is the error code for a form whose field `to` names other recipients than its
// list of roles or its checkboxes of audiences.
const codeTwoRecipients = "two_recipients"

// codeChoose is the error code for a list or group of checkboxes without a choice.
const codeChoose = "choose"

// readRole reads the role to send to from the field `to` or, if that is empty, from the list
// `to_role`. The list never overrides the field: a form with two different roles is sent to
// neither.
func readRole(values url.Values, bad *notifier.InvalidError) string {
	named, chosen := strings.TrimSpace(values.Get("to")), strings.TrimSpace(values.Get("to_role"))
	switch {
	case named == "":
		return chosen
	case chosen != "" && chosen != named:
		bad.Add("to", codeTwoRecipients, nil)
	}
	return named
}

// readTo reads the audiences to send to, just as readRole reads a role: from the names in `to` or
// the checkboxes `to_audience`.
func (h *Handlers) readTo(r *http.Request, values url.Values, bad *notifier.InvalidError) []notifier.Audience {
	text, to := h.text(r), values.Get("to")
	ticked, unknown := h.knownAudiences(text, tickedBoxes(values))
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

// tickedBoxes returns the names of the ticked audiences. Every form with checkboxes also sends an
// empty name, so that a form with none ticked can be told from one without checkboxes.
func tickedBoxes(values url.Values) []string {
	var names []string
	for _, name := range values["to_audience"] {
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

// chooseRecipients moves the names in the field `to` into the list of roles or the checkboxes of
// audiences, which show them as chosen. Names that those cannot show stay in the field.
func (h *Handlers) chooseRecipients(text *locale.Printer, f *views.SendForm) {
	switch named := strings.TrimSpace(f.To); {
	case named == "":
		f.To = ""
	case f.Target == "role" && (f.Role == "" || strings.TrimSpace(f.Role) == named):
		f.Role, f.To = named, ""
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

// boxOf is the checkbox value of an audience. It is the same in every language, because a draft
// outlives a change of language.
func (h *Handlers) boxOf(a notifier.Audience) string {
	if name := h.givenName(a); name != "" {
		return name
	}
	return strconv.Itoa(int(a)) // no longer configured
}

// roleOptions lists the roles with their number of members, after an empty option with the text
// none. It is nil if the name has to be typed, because there are too many roles or none, or they
// cannot be read.
func (h *Handlers) roleOptions(r *http.Request, none, chosen string) []components.Option {
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	roles, err := h.Directory.FindRoles(ctx, "", listedRoles+1)
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
			Value: role.Name, Text: text.N("send.role_members", role.Members, "Name", role.Name), Selected: role.Name == chosen,
		})
	}
	if chosen != "" && !slices.ContainsFunc(options, func(o components.Option) bool { return o.Selected }) {
		options = append(options, components.Option{Value: chosen, Text: chosen, Selected: true})
	}
	return options
}

// audienceOptions lists the audiences with their sizes, as far as those can be read. A ticked
// audience that is no longer configured is listed too, so that it can be unticked.
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

// recipientField is the control that names the recipients, and its label.
func recipientField(f *views.SendForm) (control, label string) {
	switch {
	case strings.TrimSpace(f.To) != "":
	case f.Target == "role":
		return "to_role", "send.to_role"
	case f.Target == "audience":
		return "to_audience", "send.to_audience"
	}
	return "to", "send.to"
}
