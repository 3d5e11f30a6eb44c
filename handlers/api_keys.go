package handlers

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

const apiKeysPath = "/staff/keys"

// apiKeys lists the API keys, newest first.
func (h *Handlers) apiKeys(w http.ResponseWriter, r *http.Request) error {
	made := h.newKey(w, r)
	p, err := h.apiKeysPage(r, r.URL.Query())
	if err != nil && made != nil {
		// The key exists, and this is the only time it can be shown.
		p, err = &views.APIKeys{Frame: h.frame(r, "apikeys", "apikeys.title"), Scopes: scopeChoices(h.text(r), nil)}, nil
	}
	if err != nil {
		return err
	}
	p.Key, p.Once = made, newOnce()
	if id := number(r.URL.Query().Get("revoke")); id > 0 && p.Revoke == nil {
		return notifier.ErrNotFound
	}
	return h.page(w, r, http.StatusOK, views.APIKeysPage(p))
}

// apiKeysPage builds the page of the list that the query selects. There are few keys, so it reads them all.
func (h *Handlers) apiKeysPage(r *http.Request, values url.Values) (*views.APIKeys, error) {
	all, err := h.Store.Keys(r.Context())
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	l := readList(values, apiKeysPath, notifier.MaxName, "-time", "time", "name")
	p := &views.APIKeys{Frame: h.frame(r, "apikeys", "apikeys.title")}
	p.List = listOf(r, p.Text, l, "apikeys.column_", "name", "scopes", "time", "used", "action")
	p.Empty = nothing(p.Text, "shield", "apikeys.", l.search != "")
	skip := int(min(number(values.Get("from")), int64(len(all))))
	found := keysFrom(all, l)
	found = found[min(skip, len(found)):]
	if skip > 0 {
		p.First = l.address("", "")
	}
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = l.address("from", strconv.Itoa(skip+perPage))
	}
	for i := range found {
		p.Rows = append(p.Rows, keyRow(p.Text, &found[i], h.now(r)))
	}
	p.Say = listed(p.Text, len(p.Rows), p.Next != "", p.Empty)
	p.Revoke = keyToRevoke(p.Text, all, number(values.Get("revoke")), h.now(r))
	p.Scopes = scopeChoices(p.Text, nil)
	return p, nil
}

// keysFrom returns the keys that match the search, in the list's order.
func keysFrom(all []notifier.APIKey, l listing) []notifier.APIKey {
	part := strings.ToLower(l.search)
	found := slices.Clone(all)
	found = slices.DeleteFunc(found, func(k notifier.APIKey) bool { return !strings.Contains(strings.ToLower(k.Name), part) })
	slices.SortStableFunc(found, func(a, b notifier.APIKey) int {
		switch l.sort {
		case "time":
			return cmp.Compare(a.ID, b.ID)
		case "name":
			return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(b.ID, a.ID))
		}
		return cmp.Compare(b.ID, a.ID)
	})
	return found
}

func keyRow(text *locale.Printer, k *notifier.APIKey, now time.Time) views.APIKeyRow {
	row := views.APIKeyRow{
		ID: strconv.FormatInt(k.ID, 10), Name: k.Name, Made: momentOf(text, k.CreatedAt, now), Never: text.T("apikeys.never"),
	}
	for _, s := range k.Scopes {
		row.Scopes = append(row.Scopes, scopeText(text, s))
	}
	if !k.UsedAt.IsZero() {
		row.Used = momentOf(text, k.UsedAt, now)
	}
	if k.Revoked(now) {
		row.Revoked = momentOf(text, k.RevokedAt, now)
		row.Revoked.Before, row.Revoked.After = text.Around("apikeys.revoked", "Time")
		return row
	}
	if !k.RevokedAt.IsZero() {
		row.Ends = momentOf(text, k.RevokedAt, now)
		row.Ends.Before, row.Ends.After = text.Around("apikeys.ends", "Time")
	}
	row.RevokeHref = apiKeysPath + "?" + url.Values{"revoke": {row.ID}}.Encode()
	row.RevokeNamed = text.F("apikeys.revoke_named", "Name", k.Name, "ID", row.ID)
	return row
}

func scopeText(text *locale.Printer, s notifier.KeyScope) string {
	if id := "apikeys.scope_" + string(s); text.Has(id) {
		return text.T(id)
	}
	return string(s)
}

// scopeChoices returns the checkboxes for a key's scopes.
func scopeChoices(text *locale.Printer, chosen []string) []views.ScopeChoice {
	var choices []views.ScopeChoice
	for _, s := range notifier.KeyScopes() {
		choices = append(choices, views.ScopeChoice{
			Value: string(s), Label: scopeText(text, s), Hint: text.T("apikeys.hint_" + string(s)), Chosen: contains(chosen, string(s)),
		})
	}
	return choices
}

// keyToRevoke builds the confirmation for revoking a key, or nil if the key is unknown or already revoked.
func keyToRevoke(text *locale.Printer, all []notifier.APIKey, id int64, now time.Time) *views.Revoke {
	for i := range all {
		if all[i].ID == id && !all[i].Revoked(now) {
			return &views.Revoke{
				ID: strconv.FormatInt(id, 10), Text: text.F("apikeys.revoke_text", "Name", all[i].Name, "ID", strconv.FormatInt(id, 10)),
			}
		}
	}
	return nil
}
