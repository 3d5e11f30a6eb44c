package handlers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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

// codeChooseOne is the error code for a group of checkboxes with none ticked.
const codeChooseOne = "choose_one"

// changeAPIKeys creates a key or revokes one.
func (h *Handlers) changeAPIKeys(w http.ResponseWriter, r *http.Request) error {
	values, err := formWith(r, []string{"scope"}, "action", "id", "name", "once")
	if values == nil {
		return err
	}
	pasted(values)
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
	err = h.makeAPIKey(w, r, k, onceOf(values.Get("once")))
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return h.apiKeyAgain(w, r, values, bad)
	}
	return err
}

// makeAPIKey creates a key and redirects to the page that shows it. The token travels in a sealed cookie: if the
// form's response showed it, a reload would create another key; in the address it would stay in the history and in
// logs.
func (h *Handlers) makeAPIKey(w http.ResponseWriter, r *http.Request, k notifier.APIKey, once string) error {
	k, token, repeated, err := h.APIKeys.Add(r.Context(), h.actor(r), k, keyForm(seqOf(r), once, k))
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	if repeated {
		redirect(w, r, apiKeysPath+"?done=key-known")
		return nil
	}
	slip, err := json.Marshal(madeKey{k.Name, token})
	if err == nil {
		err = h.Slips.Put(w, r, apiKeysPath, seqOf(r), string(slip))
	}
	if err != nil {
		return fmt.Errorf("show key %d: %w", k.ID, err)
	}
	redirect(w, r, apiKeysPath)
	return nil
}

// madeKey is the new key, as carried over the redirect.
type madeKey struct{ Name, Token string }

// newKey returns the key that was just created, or nil if there is none or it was already shown.
func (h *Handlers) newKey(w http.ResponseWriter, r *http.Request) *views.NewKey {
	if r.Method != http.MethodGet {
		return nil
	}
	var made madeKey
	text, ok := h.Slips.Take(w, r, seqOf(r))
	if !ok || json.Unmarshal([]byte(text), &made) != nil {
		return nil
	}
	return &views.NewKey{Key: made.Token, Text: h.text(r).F("apikeys.made", "Name", made.Name)}
}

// keyForm identifies a submitted form, so that submitting it twice creates one key. After Back and a changed name it
// counts as a new form. Without a token, every submission does.
func keyForm(seq int64, once string, k notifier.APIKey) string {
	if once == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{strconv.FormatInt(seq, 10), once, scopesOf(k), k.Name}, " ")))
	return hex.EncodeToString(sum[:])
}

func (h *Handlers) apiKeyAgain(w http.ResponseWriter, r *http.Request, values url.Values, bad *notifier.InvalidError) error {
	p, err := h.apiKeysPage(r, url.Values{})
	if err != nil {
		return err
	}
	p.Once = cmp.Or(onceOf(values.Get("once")), newOnce())
	p.Name, p.Scopes = kept(values.Get("name")), scopeChoices(p.Text, values["scope"])
	p.Faults = faultsOf(p.Text, bad, "name", "scope")
	return h.page(w, r, http.StatusUnprocessableEntity, views.APIKeysPage(p))
}

func (h *Handlers) revokeAPIKey(w http.ResponseWriter, r *http.Request, id int64) error {
	if _, err := h.APIKeys.Revoke(r.Context(), h.actor(r), id); err != nil {
		return fmt.Errorf("revoke key %d: %w", id, err)
	}
	redirect(w, r, apiKeysPath+"?done=key-revoked")
	return nil
}

func scopesOf(k notifier.APIKey) string {
	names := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ",")
}
