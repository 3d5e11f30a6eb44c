package handlers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// audiences is those there are, by number.
func (h *Handlers) audiences() []notifier.Audience {
	if len(h.Audiences) == 0 {
		return slices.Sorted(maps.Keys(defaultAudiences))
	}
	return slices.Sorted(maps.Keys(h.Audiences))
}

// givenName is the name that the installation gave an audience.
func (h *Handlers) givenName(a notifier.Audience) string {
	if len(h.Audiences) == 0 {
		return defaultAudiences[a]
	}
	return h.Audiences[a]
}

// called says whether an audience has this name: the one that the installation
// gave it, or the one that the reader sees. Case plays no part.
func (h *Handlers) called(text *locale.Printer, a notifier.Audience, name string) bool {
	return strings.EqualFold(name, h.givenName(a)) || strings.EqualFold(name, h.audience(text, a))
}

// readAudiences reads the names in the field `to`. The first name that no
// audience has comes back as unknown.
func (h *Handlers) readAudiences(text *locale.Printer, to string) (found []notifier.Audience, unknown string) {
	all := h.audiences()
	for _, name := range notifier.ParseNames(to) {
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

// audienceNames is audiences as a reader knows them.
func (h *Handlers) audienceNames(text *locale.Printer, audiences []notifier.Audience) []string {
	names := make([]string, len(audiences))
	for i, a := range audiences {
		names[i] = h.audience(text, a)
	}
	return names
}

// typedNames is names as the field `to` takes them.
func typedNames(names []string) string { return strings.Join(names, ", ") }

// listedNames is names as a text of the reader's language has them.
func listedNames(text *locale.Printer, names []string) string {
	return strings.Join(names, text.T("notices.between_names"))
}

// sizedAudience is an audience with the number of people it has.
type sizedAudience struct {
	audience notifier.Audience
	name     string
	members  int64
}

// sizedAudiences is all audiences with their sizes.
func (h *Handlers) sizedAudiences(ctx context.Context, text *locale.Printer) ([]sizedAudience, error) {
	all := h.audiences()
	sizes, err := h.Directory.AudienceSize(ctx, all, 0)
	if err != nil {
		return nil, fmt.Errorf("count the people of %d audiences: %w", len(all), err)
	}
	sized := make([]sizedAudience, len(all))
	for i, a := range all {
		sized[i] = sizedAudience{a, h.audience(text, a), sizes[a]}
	}
	return sized, nil
}
