package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/snippets"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// app shows a host application and its keys. New keys are shown once, right after they were created.
func (h *Handlers) app(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	made := h.newAppKeys(w, r)
	p, err := h.appPage(r, id)
	if err != nil && made != nil {
		// The keys exist, and this is the only time they can be shown.
		p, err = &views.App{Frame: h.frame(r, "apps", "apps.title")}, nil
	}
	if err != nil {
		return err
	}
	p.Made = made
	if key := number(r.URL.Query().Get("revoke")); key > 0 {
		if p.Revoke = keyOfApp(p, key); p.Revoke == nil {
			return notifier.ErrNotFound
		}
	}
	return h.page(w, r, http.StatusOK, views.AppPage(p))
}

// findApp returns an app and its keys, newest first. It returns notifier.ErrNotFound for an unknown ID.
func (h *Handlers) findApp(r *http.Request, id int64) (notifier.App, []notifier.AppKey, error) {
	all, keys, err := h.Apps.List(r.Context())
	if err != nil {
		return notifier.App{}, nil, fmt.Errorf("list apps: %w", err)
	}
	i := slices.IndexFunc(all, func(a notifier.App) bool { return a.ID == id })
	if i < 0 {
		return notifier.App{}, nil, notifier.ErrNotFound
	}
	return all[i], slices.DeleteFunc(keys, func(k notifier.AppKey) bool { return k.AppID != id }), nil
}

func (h *Handlers) appPage(r *http.Request, id int64) (*views.App, error) {
	a, keys, err := h.findApp(r, id)
	if err != nil {
		return nil, err
	}
	now := h.now(r)
	p := &views.App{
		Frame: h.frame(r, "apps", "apps.title"), ID: strconv.FormatInt(id, 10), Path: appPath(id), Origins: a.Origins,
		Roles: a.Roles, Issuer: a.Issuer, JWKS: a.JWKS, Back: appsPath,
		APIKeys: apiKeysPath + "?" + url.Values{"q": {a.Name}}.Encode(),
	}
	p.Title = a.Name
	h.fillAppSettings(p, h.settingsOf(&a))
	p.Audience, p.MaxLife = h.audience(p.Text, a.Audience), lasting(p.Text, a.MaxLife)
	p.Added = momentOf(p.Text, a.CreatedAt, now)
	if !a.RevokedAt.IsZero() {
		p.Revoked = momentOf(p.Text, a.RevokedAt, now)
	}
	for _, column := range []string{"kid", "alg", "time", "action"} {
		p.Columns = append(p.Columns, listing{}.column(p.Text, "hostapp.column_", column))
	}
	for i := range keys {
		p.Keys = append(p.Keys, appKeyRow(p.Text, &keys[i], id, now))
	}
	if len(keys) > 0 {
		p.Newest = strconv.FormatInt(keys[0].ID, 10)
	}
	if !a.RevokedAt.IsZero() {
		return p, nil
	}
	if p.NewestAPIKey, err = h.newestAPIKey(r, id); err != nil {
		return nil, err
	}
	return p, h.addSnippets(r, p, keys)
}

// addSnippets adds the code to copy into the application. The endpoints sign with a shared secret, so an app without
// one gets none.
func (h *Handlers) addSnippets(r *http.Request, p *views.App, keys []notifier.AppKey) (err error) {
	server := h.PublicURL
	if server == "" {
		server = "http://" + r.Host
	}
	if p.HTML, err = snippets.HTML(server); err != nil {
		return err
	}
	if !slices.ContainsFunc(keys, func(k notifier.AppKey) bool { return k.Alg == notifier.AlgHS256 && k.RevokedAt.IsZero() }) {
		return nil
	}
	for _, stack := range snippets.Stacks() {
		text, err := snippets.Endpoint(stack.Slug, snippets.SharedSecret)
		if err != nil {
			return err
		}
		p.Endpoints = append(p.Endpoints, views.Endpoint{ID: "endpoint-" + stack.Slug, Name: stack.Name, Text: text})
	}
	return nil
}

func appKeyRow(text *locale.Printer, k *notifier.AppKey, app int64, now time.Time) views.AppKeyRow {
	row := views.AppKeyRow{ID: strconv.FormatInt(k.ID, 10), Kid: k.Kid(), Alg: string(k.Alg), Made: momentOf(text, k.CreatedAt, now)}
	if !k.RevokedAt.IsZero() {
		row.Revoked = momentOf(text, k.RevokedAt, now)
		row.Revoked.Before, row.Revoked.After = text.Around("apikeys.revoked", "Time")
		return row
	}
	row.RevokeHref = appPath(app) + "?" + url.Values{"revoke": {row.ID}}.Encode()
	row.RevokeNamed = text.F("hostapp.revoke_key_named", "Key", row.Kid)
	return row
}

// keyOfApp builds the confirmation for revoking a key, or nil if the key is unknown or already revoked.
func keyOfApp(p *views.App, id int64) *views.Revoke {
	valid := slices.DeleteFunc(slices.Clone(p.Keys), func(k views.AppKeyRow) bool { return k.RevokeHref == "" })
	for _, k := range valid {
		if k.ID != strconv.FormatInt(id, 10) {
			continue
		}
		asked := &views.Revoke{ID: k.ID, Text: p.Text.F("hostapp.revoke_key_text", "Key", k.Kid), What: p.Text.T("hostapp.revoke_key_what")}
		if len(valid) == 1 {
			asked.What = p.Text.T("hostapp.revoke_last_what")
		}
		return asked
	}
	return nil
}
