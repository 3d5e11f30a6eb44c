package handlers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// usualAudience is the audience of people and apps unless staff choose another, as for `carillon user add`.
const usualAudience = "user"

// audiences lists all audiences by number.
func (h *Handlers) audiences() []notifier.Audience {
	if len(h.Audiences) == 0 {
		return slices.Sorted(maps.Keys(defaultAudiences))
	}
	return slices.Sorted(maps.Keys(h.Audiences))
}

// givenName is an audience's name in the configuration.
func (h *Handlers) givenName(a notifier.Audience) string {
	if len(h.Audiences) == 0 {
		return defaultAudiences[a]
	}
	return h.Audiences[a]
}

// audienceGiven returns the audience with this name in the configuration; 0: there is none.
func (h *Handlers) audienceGiven(name string) notifier.Audience {
	for _, a := range h.audiences() {
		if h.givenName(a) == name {
			return a
		}
	}
	return 0
}

// audienceChoices lists the audiences as options, whose values are their configured names.
func (h *Handlers) audienceChoices(text *locale.Printer, chosen string) (options []components.Option) {
	for _, a := range h.audiences() {
		given := h.givenName(a)
		options = append(options, components.Option{Value: given, Text: h.audience(text, a), Selected: given == chosen})
	}
	return options
}

// called reports whether name means this audience, ignoring case: its configured name or its name in the reader's
// language.
func (h *Handlers) called(text *locale.Printer, a notifier.Audience, name string) bool {
	return strings.EqualFold(name, h.givenName(a)) || strings.EqualFold(name, h.audience(text, a))
}

// readAudiences parses the names in the field "to". unknown is the first name that matches no audience.
func (h *Handlers) readAudiences(text *locale.Printer, to string) (found []notifier.Audience, unknown string) {
	all := h.audiences()
	typed, _ := notifier.ReadNames(to, func(names []string) (map[string][]string, error) {
		known := map[string][]string{}
		for _, name := range names {
			if slices.ContainsFunc(all, func(a notifier.Audience) bool { return h.called(text, a, name) }) {
				known[name] = []string{name}
			}
		}
		return known, nil
	})
	return h.knownAudiences(text, typed.Names)
}

// knownAudiences returns the audiences with these names. unknown is the first name that matches no audience.
func (h *Handlers) knownAudiences(text *locale.Printer, names []string) (found []notifier.Audience, unknown string) {
	all := h.audiences()
	for _, name := range names {
		i := slices.IndexFunc(all, func(a notifier.Audience) bool { return h.called(text, a, name) })
		switch {
		case i >= 0:
			found = append(found, all[i])
		case unknown == "":
			unknown = name
		}
	}
	return found, unknown
}

// audienceNames returns the names of audiences in the reader's language.
func (h *Handlers) audienceNames(text *locale.Printer, audiences []notifier.Audience) []string {
	names := make([]string, len(audiences))
	for i, a := range audiences {
		names[i] = h.audience(text, a)
	}
	return names
}

// listedNames joins names as a list in the reader's language.
func listedNames(text *locale.Printer, names []string) string {
	return strings.Join(names, text.T("notices.between_names"))
}

// sizedAudience is an audience with its number of members.
type sizedAudience struct {
	audience notifier.Audience
	name     string
	members  int64
}

// sizedAudiences returns all audiences with their sizes. If the sizes cannot be read, it returns the audiences
// without them, and the error.
func (h *Handlers) sizedAudiences(ctx context.Context, text *locale.Printer) ([]sizedAudience, error) {
	all := h.audiences()
	sizes, err := h.Store.AudienceSize(ctx, all, 0)
	if err != nil {
		err = fmt.Errorf("count the members of %d audiences: %w", len(all), err)
	}
	sized := make([]sizedAudience, len(all))
	for i, a := range all {
		sized[i] = sizedAudience{a, h.audience(text, a), sizes[a]}
	}
	return sized, err
}
