package handlers

import (
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

// codeChooseOne is the fault of boxes of which none is ticked.
const codeChooseOne = "choose_one"

// changeAPIKeys makes a key and shows it, this once, or revokes one.
func (h *Handlers) changeAPIKeys(w http.ResponseWriter, r *http.Request) error {
	if h.Keys == nil || h.NewKey == nil {
		return notifier.ErrNotFound
	}
	values, err := formWith(r, "scope", "action", "id", "name")
	if values == nil {
		return err
	}
	if err == nil && values.Get("action") == "revoke" {
		return h.revokeAPIKey(w, r, number(values.Get("id")))
	}
	if err == nil && !contains([]string{"", "add"}, values.Get("action")) {
		err = fault("", codeForm, nil)
	}
	k := notifier.APIKey{Name: strings.TrimSpace(values.Get("name"))}
	for _, scope := range slices.Compact(slices.Sorted(slices.Values(values["scope"]))) {
		k.Scopes = append(k.Scopes, notifier.KeyScope(scope))
	}
	if bad := merge(err, k.Validate()); len(bad.Fields) > 0 {
		for i, f := range bad.Fields {
			if f.Field == "scope" && f.Code == notifier.CodeRequired {
				bad.Fields[i].Code = codeChooseOne
			}
		}
		return h.apiKeyAgain(w, r, values, bad)
	}
	token, hash := h.NewKey()
	k, err = h.Keys.AddKey(r.Context(), k, hash)
	if err != nil {
		if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
			return h.apiKeyAgain(w, r, values, bad)
		}
		return fmt.Errorf("make a key: %w", err)
	}
	h.auditDetail(r, visitOf(r).user.User.Name, "key.add", auditedKey(k.ID), k.Name+" "+scopesOf(k))
	p, err := h.apiKeysPage(r, url.Values{})
	if err != nil {
		// It is made, and this is the only time it can be shown.
		p = &views.APIKeys{Frame: h.frame(r, "apikeys", "apikeys.title"), Scopes: scopeChoices(h.text(r), nil)}
	}
	p.Key = &views.NewKey{Key: token, Text: p.Text.F("apikeys.made", "Name", k.Name)}
	return h.page(w, r, http.StatusOK, views.APIKeysPage(p))
}

func (h *Handlers) apiKeyAgain(w http.ResponseWriter, r *http.Request, values url.Values, bad *notifier.InvalidError) error {
	p, err := h.apiKeysPage(r, url.Values{})
	if err != nil {
		return err
	}
	p.Name, p.Scopes = kept(values.Get("name")), scopeChoices(p.Text, values["scope"])
	p.Faults = faultsOf(p.Text, bad, "name", "scope")
	return h.page(w, r, http.StatusUnprocessableEntity, views.APIKeysPage(p))
}

func (h *Handlers) revokeAPIKey(w http.ResponseWriter, r *http.Request, id int64) error {
	k, err := h.Keys.RevokeKey(r.Context(), id)
	if err != nil {
		return fmt.Errorf("revoke key %d: %w", id, err)
	}
	h.auditDetail(r, visitOf(r).user.User.Name, "key.revoke", auditedKey(id), k.Name)
	redirect(w, apiKeysPath+"?done=key-revoked")
	return nil
}

func auditedKey(id int64) string { return "key " + strconv.FormatInt(id, 10) }

func scopesOf(k notifier.APIKey) string {
	names := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ",")
}
