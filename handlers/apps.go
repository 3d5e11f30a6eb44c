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
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const appsPath = "/staff/apps"

// appPath is the page of an app. It uses the ID, because a name can be reused after its app was revoked.
func appPath(id int64) string { return appsPath + "/" + strconv.FormatInt(id, 10) }

// apps lists the host applications, newest first.
func (h *Handlers) apps(w http.ResponseWriter, r *http.Request) error {
	p, err := h.appsPage(r, r.URL.Query())
	if err != nil {
		return err
	}
	h.fillAppForm(p, url.Values{"max_life": {notifier.UsualMaxLife.String()}, "key": {keySecret}})
	return h.page(w, r, http.StatusOK, views.AppsPage(p))
}

// appsPage builds the page of the list that the query selects. There are few apps, so it reads them all.
func (h *Handlers) appsPage(r *http.Request, values url.Values) (*views.Apps, error) {
	all, keys, err := h.Apps.List(r.Context())
	if err != nil {
		return nil, fmt.Errorf("list apps: %w", err)
	}
	l := readList(values, appsPath, notifier.MaxName, "-time", "time", "name")
	p := &views.Apps{Frame: h.frame(r, "apps", "apps.title")}
	p.List = listOf(r, p.Text, l, "apps.column_", "name", "audience", "keys", "time", "state")
	p.Empty = nothing(p.Text, "package", "apps.", l.search != "")
	skip := int(min(number(values.Get("from")), int64(len(all))))
	found := appsFrom(all, l)
	found = found[min(skip, len(found)):]
	if skip > 0 {
		p.First = l.address("", "")
	}
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = l.address("from", strconv.Itoa(skip+perPage))
	}
	for i := range found {
		p.Rows = append(p.Rows, h.appRow(p.Text, &found[i], keys, h.now(r)))
	}
	p.Say = listed(p.Text, len(p.Rows), p.Next != "", p.Empty)
	return p, nil
}

// appsFrom returns the apps whose name or origins match the search, in the list's order.
func appsFrom(all []notifier.App, l listing) []notifier.App {
	part := strings.ToLower(l.search)
	found := slices.DeleteFunc(slices.Clone(all), func(a notifier.App) bool {
		return !strings.Contains(strings.ToLower(a.Name), part) && !slices.ContainsFunc(a.Origins, func(o string) bool { return strings.Contains(o, part) })
	})
	slices.SortStableFunc(found, func(a, b notifier.App) int {
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

func (h *Handlers) appRow(text *locale.Printer, a *notifier.App, keys []notifier.AppKey, now time.Time) views.AppRow {
	row := views.AppRow{
		Name: a.Name, Href: appPath(a.ID), Origins: a.Origins, Audience: h.audience(text, a.Audience), Made: momentOf(text, a.CreatedAt, now),
		State: text.T("apps.active"), Revoked: !a.RevokedAt.IsZero(),
	}
	if row.Revoked {
		row.State = text.T("apps.revoked")
	}
	if a.JWKS != "" {
		row.Keys = []string{text.T("apps.kind_jwks")}
	}
	for _, k := range keys {
		if k.AppID == a.ID && k.RevokedAt.IsZero() {
			row.Keys = append(row.Keys, k.Kid())
		}
	}
	return row
}

// Kinds of keys in the new-app form.
const (
	keySecret = "secret"
	keyPublic = "public"
	keyJWKS   = "jwks"
)

// appLives are the offered maximum token lifetimes.
var appLives = []time.Duration{5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour, notifier.MaxTokenLife}

// fillAppForm fills in the new-app form.
func (h *Handlers) fillAppForm(p *views.Apps, values url.Values) {
	p.Name, p.Origins, p.Roles = kept(values.Get("name")), kept(values.Get("origins")), kept(values.Get("roles"))
	p.PublicKey, p.JWKS, p.Issuer = kept(values.Get("public_key")), kept(values.Get("jwks")), kept(values.Get("issuer"))
	for _, kind := range []string{keySecret, keyPublic, keyJWKS} {
		p.Kinds = append(p.Kinds, components.Option{Value: kind, Text: p.Text.T("apps.key_" + kind), Selected: kind == values.Get("key")})
	}
	p.Audiences = h.audienceChoices(p.Text, cmp.Or(values.Get("audience"), usualAudience))
	for _, life := range appLives {
		p.Lives = append(p.Lives, components.Option{Value: life.String(), Text: lasting(p.Text, life), Selected: life.String() == values.Get("max_life")})
	}
}
