package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// rotateApp adds a key and shows it.
func (h *Handlers) rotateApp(w http.ResponseWriter, r *http.Request, a *notifier.App, values url.Values) error {
	var publicKey []byte // nil: create a secret
	if text := strings.TrimSpace(values.Get("public_key")); text != "" {
		publicKey = []byte(text)
	}
	tokenKey, err := h.Apps.Rotate(r.Context(), h.actor(r), a.Name, publicKey)
	if errors.Is(err, notifier.ErrConflict) && a.JWKS == "" {
		err = fault("public_key", codeManyAppKeys, map[string]any{"Max": notifier.MaxAppKeys})
	}
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return h.keyAgain(w, r, a.ID, values, bad)
	}
	if err != nil {
		return fmt.Errorf("add a key to app %d: %w", a.ID, err)
	}
	return h.showAppKeys(w, r, a.ID, views.AppKeys{TokenKey: tokenKey})
}

// rotateAPIKey adds an API key and shows it.
func (h *Handlers) rotateAPIKey(w http.ResponseWriter, r *http.Request, a *notifier.App, values url.Values) error {
	newest, err := h.newestAPIKey(r, a.ID)
	if err != nil {
		return err
	}
	if values.Has("newest") && values.Get("newest") != newest {
		redirect(w, r, appPath(a.ID)+"?done=app-key-known") // the same form was submitted before
		return nil
	}
	key, err := h.Apps.RotateAPIKey(r.Context(), h.actor(r), a.Name, 0)
	if errors.Is(err, notifier.ErrConflict) {
		var bad notifier.InvalidError
		bad.Add("api_key", codeManyAppKeys, map[string]any{"Max": notifier.MaxAppKeys})
		return h.keyAgain(w, r, a.ID, values, &bad)
	}
	if err != nil {
		return fmt.Errorf("add an API key to app %d: %w", a.ID, err)
	}
	return h.showAppKeys(w, r, a.ID, views.AppKeys{APIKey: key})
}

// keyAgain shows an app's page again, with the error that kept a key from being added.
func (h *Handlers) keyAgain(w http.ResponseWriter, r *http.Request, id int64, values url.Values, bad *notifier.InvalidError) error {
	p, err := h.appPage(r, id)
	if err != nil {
		return err
	}
	p.PublicKey, p.Faults = kept(values.Get("public_key")), faultsOf(p.Text, bad, "public_key", "api_key")
	return h.page(w, r, http.StatusUnprocessableEntity, views.AppPage(p))
}

// newestAPIKey returns the ID of an app's newest API key, or "" if it has none.
func (h *Handlers) newestAPIKey(r *http.Request, app int64) (string, error) {
	all, err := h.Store.Keys(r.Context())
	if err != nil {
		return "", fmt.Errorf("list API keys: %w", err)
	}
	i := slices.IndexFunc(all, func(k notifier.APIKey) bool { return k.AppID == app })
	if i < 0 {
		return "", nil
	}
	return strconv.FormatInt(all[i].ID, 10), nil
}

// showAppKeys redirects to the app's page, which shows new keys once. They travel in a sealed cookie; see makeAPIKey.
func (h *Handlers) showAppKeys(w http.ResponseWriter, r *http.Request, id int64, made views.AppKeys) error {
	slip, err := json.Marshal([]string{made.APIKey, made.TokenKey})
	if err == nil {
		err = h.Slips.Put(w, r, appPath(id), seqOf(r), string(slip))
	}
	if err != nil {
		return fmt.Errorf("show the keys of app %s: %w", strconv.FormatInt(id, 10), err)
	}
	redirect(w, r, appPath(id))
	return nil
}

// newAppKeys returns the keys that were just created, or nil if there are none or they were already shown.
func (h *Handlers) newAppKeys(w http.ResponseWriter, r *http.Request) *views.AppKeys {
	if r.Method != http.MethodGet {
		return nil
	}
	var made [2]string
	text, ok := h.Slips.Take(w, r, seqOf(r))
	if !ok || json.Unmarshal([]byte(text), &made) != nil {
		return nil
	}
	return &views.AppKeys{APIKey: made[0], TokenKey: made[1]}
}
