package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// Error codes of the app forms.
const (
	codeAppTaken    = "app_taken"     // name: another app has it
	codeIssuerTaken = "issuer_taken"  // issuer: another app with a JWKS has it
	codeManyApps    = "too_many_apps" // Max
	codeManyAppKeys = "too_many_keys_of_app"
)

// appFields lists the fields of the new-app form, top to bottom.
var appFields = []string{"name", "origins", "audience", "roles", "max_life", "key", "public_key", "jwks", "issuer"}

// addApp adds a host application and redirects to its page, which shows its keys once.
func (h *Handlers) addApp(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, append([]string{"action"}, appFields...)...)
	if values == nil {
		return err
	}
	pasted(values)
	if err == nil && !contains([]string{"", "add"}, values.Get("action")) {
		err = fault("", codeForm, nil)
	}
	a, publicKey, faults := h.readApp(values)
	if bad := merge(err, faults); len(bad.Fields) > 0 {
		return h.appAgain(w, r, values, bad)
	}
	added, err := h.Apps.Add(r.Context(), h.actor(r), a, publicKey)
	if errors.Is(err, notifier.ErrConflict) {
		err = h.appConflict(r, &a)
	}
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return h.appAgain(w, r, values, bad)
	}
	if err != nil {
		return fmt.Errorf("add an app: %w", err)
	}
	return h.showAppKeys(w, r, added.ID, views.AppKeys{APIKey: added.APIKey, TokenKey: added.TokenKey})
}

// readApp parses the new-app form. It ignores fields that belong to a kind of key that is not chosen.
func (h *Handlers) readApp(values url.Values) (a notifier.App, publicKey []byte, err error) {
	var bad notifier.InvalidError
	a = notifier.App{Name: strings.TrimSpace(values.Get("name")), Origins: strings.Fields(values.Get("origins")), Roles: roleNames(values.Get("roles"))}
	a.Audience = h.audienceGiven(values.Get("audience"))      // Validate refuses 0
	a.MaxLife, _ = time.ParseDuration(values.Get("max_life")) // Validate refuses 0
	issuer := strings.TrimSpace(values.Get("issuer"))
	switch values.Get("key") {
	case "", keySecret:
	case keyPublic:
		a.Issuer = issuer
		if publicKey = []byte(strings.TrimSpace(values.Get("public_key"))); len(publicKey) == 0 {
			bad.Add("public_key", notifier.CodeRequired, nil)
		}
	case keyJWKS:
		a.Issuer = issuer
		if a.JWKS = strings.TrimSpace(values.Get("jwks")); a.JWKS == "" {
			bad.Add("jwks", notifier.CodeRequired, nil)
			if issuer == "" {
				bad.Add("issuer", notifier.CodeIssuerNeeded, nil)
			}
		}
	default:
		bad.Add("key", codeForm, nil)
	}
	known := h.Audiences
	if len(known) == 0 {
		known = defaultAudiences
	}
	return a, publicKey, merge(a.Validate(known), bad.OrNil()).OrNil()
}

// roleNames splits a list of roles at commas and line breaks.
func roleNames(text string) (names []string) {
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",\n，、", r) }) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// appConflict returns the form error that explains why a new app conflicts with the existing ones.
func (h *Handlers) appConflict(r *http.Request, a *notifier.App) error {
	all, _, err := h.Apps.List(r.Context())
	if err != nil {
		return fmt.Errorf("list apps: %w", err)
	}
	for i := range all {
		switch other := &all[i]; {
		case !other.RevokedAt.IsZero():
		case other.Name == a.Name:
			return fault("name", codeAppTaken, map[string]any{"Name": a.Name})
		case a.JWKS != "" && other.JWKS != "" && other.Issuer == a.Issuer:
			return fault("issuer", codeIssuerTaken, nil)
		}
	}
	return fault("", codeManyApps, map[string]any{"Max": notifier.MaxApps})
}

// appAgain shows the form again with the input and its errors.
func (h *Handlers) appAgain(w http.ResponseWriter, r *http.Request, values url.Values, bad *notifier.InvalidError) error {
	p, err := h.appsPage(r, url.Values{})
	if err != nil {
		return err
	}
	h.fillAppForm(p, values)
	p.Faults = faultsOf(p.Text, bad, appFields...)
	return h.page(w, r, http.StatusUnprocessableEntity, views.AppsPage(p))
}

// changeApp handles the forms of an app's page: add a key, change settings, revoke a key or the app.
func (h *Handlers) changeApp(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	values, err := form(r, "action", "key", "newest", "public_key",
		"base", "inbox_url", "settings_url", "origins", "audience", "roles", "max_life", "issuer", "title", "icon")
	if err != nil {
		return err
	}
	pasted(values)
	a, keys, err := h.findApp(r, id)
	switch {
	case err != nil:
		return err
	case !a.RevokedAt.IsZero():
		return notifier.ErrNotFound
	}
	switch values.Get("action") {
	case "rotate":
		if len(keys) > 0 && values.Has("newest") && number(values.Get("newest")) != keys[0].ID {
			redirect(w, r, appPath(id)+"?done=app-key-known") // the same form was submitted before
			return nil
		}
		return h.rotateApp(w, r, &a, values)
	case "rotate-api-key":
		return h.rotateAPIKey(w, r, &a, values)
	case "places", "set":
		return h.setApp(w, r, &a, values)
	case "revoke-key":
		if _, err := h.Apps.RevokeKey(r.Context(), h.actor(r), a.Name, number(values.Get("key"))); err != nil {
			return fmt.Errorf("revoke a key of app %d: %w", id, err)
		}
		redirect(w, r, appPath(id)+"?done=app-key-revoked")
		return nil
	case "revoke":
		if _, err := h.Apps.Revoke(r.Context(), h.actor(r), a.Name); err != nil {
			return fmt.Errorf("revoke app %d: %w", id, err)
		}
		redirect(w, r, appsPath+"?done=app-revoked")
		return nil
	}
	return fault("action", codeForm, nil)
}
