package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

// setApp changes an app's settings. A field that is missing or unchanged is left alone, so two people who change
// different fields at the same time both keep their changes.
func (h *Handlers) setApp(w http.ResponseWriter, r *http.Request, a *notifier.App, values url.Values) error {
	change, err := h.readAppChange(a, values)
	if err == nil && change.String() != "" {
		_, err = h.Apps.Change(r.Context(), h.actor(r), a.Name, change)
	}
	if errors.Is(err, notifier.ErrConflict) {
		err = fault("issuer", codeIssuerTaken, nil)
	}
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		p, err := h.appPage(r, a.ID)
		if err != nil {
			return err
		}
		h.fillAppSettings(p, values)
		p.Faults = faultsOf(p.Text, bad, "origins", "audience", "roles", "max_life", "issuer", "base", "inbox_url", "settings_url", "title", "icon")
		return h.page(w, r, http.StatusUnprocessableEntity, views.AppPage(p))
	}
	if err != nil {
		return fmt.Errorf("change app %d: %w", a.ID, err)
	}
	redirect(w, r, appPath(a.ID)+"?done=saved")
	return nil
}

// readAppChange returns the settings that the form changes.
func (h *Handlers) readAppChange(a *notifier.App, values url.Values) (change notifier.AppChange, err error) {
	for field, of := range map[string]struct {
		is string
		to **string
	}{
		"base": {a.Base, &change.Base}, "inbox_url": {a.InboxURL, &change.InboxURL}, "settings_url": {a.SettingsURL, &change.SettingsURL},
		"issuer": {a.Issuer, &change.Issuer}, "title": {a.Title, &change.Title}, "icon": {a.Icon, &change.Icon},
	} {
		if text := strings.TrimSpace(values.Get(field)); values.Has(field) && text != of.is {
			*of.to = &text
		}
	}
	if origins := strings.Fields(values.Get("origins")); values.Has("origins") && !slices.Equal(origins, a.Origins) {
		change.Origins = &origins
	}
	if roles := roleNames(values.Get("roles")); values.Has("roles") && !slices.Equal(roles, a.Roles) {
		change.Roles = &roles
	}
	if values.Has("max_life") {
		life, err := time.ParseDuration(values.Get("max_life"))
		if err != nil {
			life = 0 // Validate refuses it
		}
		if life != a.MaxLife {
			change.MaxLife = &life
		}
	}
	if values.Has("audience") {
		audience := h.audienceGiven(values.Get("audience"))
		if audience == 0 {
			return change, fault("audience", notifier.CodeUnknownAudience, map[string]any{"Name": kept(values.Get("audience"))})
		}
		if audience != a.Audience {
			change.Audience = &audience
		}
	}
	return change, nil
}

// settingsOf returns an app's stored settings as form fields.
func (h *Handlers) settingsOf(a *notifier.App) url.Values {
	return url.Values{
		"base": {a.Base}, "inbox_url": {a.InboxURL}, "settings_url": {a.SettingsURL}, "issuer": {a.Issuer},
		"title": {a.Title}, "icon": {a.Icon},
		"origins": {strings.Join(a.Origins, " ")}, "roles": {strings.Join(a.Roles, ", ")}, "max_life": {a.MaxLife.String()},
		"audience": {h.givenName(a.Audience)},
	}
}

// fillAppSettings fills in the fields that are present in values and leaves the others alone.
func (h *Handlers) fillAppSettings(p *views.App, values url.Values) {
	for field, to := range map[string]*string{
		"base": &p.Base, "inbox_url": &p.InboxURL, "settings_url": &p.SettingsURL,
		"origins": &p.Set.Origins, "roles": &p.Set.Roles, "issuer": &p.Set.Issuer,
		"title": &p.Set.Title, "icon": &p.Set.Icon,
	} {
		if values.Has(field) {
			*to = kept(values.Get(field))
		}
	}
	if values.Has("audience") {
		p.Set.Audiences = h.audienceChoices(p.Text, values.Get("audience"))
	}
	if life, err := time.ParseDuration(values.Get("max_life")); err == nil {
		lives := appLives
		if !slices.Contains(lives, life) && life >= notifier.MinTokenLife && life <= notifier.MaxTokenLife { // set by a command
			lives = append(slices.Clone(lives), life)
			slices.SortFunc(lives, cmp.Compare[time.Duration])
		}
		p.Set.Lives = nil
		for _, l := range lives {
			p.Set.Lives = append(p.Set.Lives, components.Option{Value: l.String(), Text: lasting(p.Text, l), Selected: l == life})
		}
	}
}
