package notifier

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// AppPlaces contains the pages of an app that mail and push link to. Each may be empty.
type AppPlaces struct {
	Base        string // prepended to links of notices that begin with /; empty: the app's first origin
	InboxURL    string // where its users read their notices; empty: the base
	SettingsURL string // where its users set their preferences; empty: a page of Carillon
}

// AppChange contains the fields of an app to change. Nil leaves a field unchanged; an empty text clears it.
type AppChange struct {
	Base, InboxURL, SettingsURL *string
	Title, Icon                 *string

	Origins                   *[]string // replaces all origins
	AddOrigins, RemoveOrigins []string  // changes single origins
	Audience                  *Audience
	Roles                     *[]string
	MaxLife                   *time.Duration
	Issuer                    *string
}

// Apply applies the change to a.
func (c *AppChange) Apply(a *App) {
	put(&a.Origins, c.Origins)
	a.Origins = append(slices.Clone(a.Origins), c.AddOrigins...)
	a.Origins = slices.DeleteFunc(a.Origins, func(has string) bool {
		return slices.ContainsFunc(c.RemoveOrigins, func(text string) bool {
			origin, ok := Origin(text)
			return has == text || ok && has == origin
		})
	})
	put(&a.Base, c.Base)
	put(&a.InboxURL, c.InboxURL)
	put(&a.SettingsURL, c.SettingsURL)
	put(&a.Title, c.Title)
	put(&a.Icon, c.Icon)
	put(&a.Audience, c.Audience)
	put(&a.Roles, c.Roles)
	put(&a.MaxLife, c.MaxLife)
	put(&a.Issuer, c.Issuer)
}

// String lists the names of the changed fields.
func (c *AppChange) String() string {
	var names []string
	for name, given := range map[string]bool{
		"base": c.Base != nil, "inbox_url": c.InboxURL != nil, "settings_url": c.SettingsURL != nil, "origins": c.Origins != nil || len(c.AddOrigins)+len(c.RemoveOrigins) > 0,
		"audience": c.Audience != nil, "roles": c.Roles != nil, "max_life": c.MaxLife != nil, "issuer": c.Issuer != nil,
		"title": c.Title != nil, "icon": c.Icon != nil,
	} {
		if given {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// home returns the base of the app's pages, or its first origin; empty if it has neither.
func (a *App) home() string {
	if a.Base == "" && len(a.Origins) > 0 {
		return a.Origins[0]
	}
	return a.Base
}

// Resolve returns the full address of a link in one of the app's notices: a link that begins with / is relative to the
// app's pages. Other links, and all links of an app without pages, are returned unchanged.
func (a *App) Resolve(link string) string {
	if strings.HasPrefix(link, "/") {
		return a.home() + link
	}
	return link
}

// Sites returns the origins of the app's pages, to which its notices may link.
func (a *App) Sites() []string {
	sites := slices.Clone(a.Origins)
	if u, err := url.Parse(a.Base); err == nil && u.Host != "" {
		sites = append(sites, u.Scheme+"://"+u.Host)
	}
	return sites
}

// Opens returns the address that a link of a notice opens on the app's pages, or nothing if the pages are unknown. An
// empty link opens the app's inbox.
func (a *App) Opens(link string) string {
	switch to := a.Resolve(link); {
	case link == "" && a.InboxURL != "":
		return a.InboxURL
	case link == "" && a.home() != "":
		return a.home() + "/"
	case strings.HasPrefix(to, "/"):
		return ""
	default:
		return to
	}
}

// checkPlaces normalises the places of an app: scheme and host as browsers write them, and a base without a trailing
// slash.
func (a *App) checkPlaces(bad *InvalidError) {
	for _, place := range []*string{&a.Base, &a.InboxURL, &a.SettingsURL} {
		*place = sameOrigin(*place)
	}
	if base := strings.TrimRight(a.Base, "/"); base != "" { // slashes alone do not clear it
		a.Base = base
	}
	if a.Base != "" && (!validPlace(a.Base) || strings.ContainsAny(a.Base, "?#")) {
		bad.Add("base", CodeBadPlace, map[string]any{"Name": excerpt(a.Base)})
	}
	for field, place := range map[string]string{"inbox_url": a.InboxURL, "settings_url": a.SettingsURL} {
		if place != "" && !validPlace(place) {
			bad.Add(field, CodeBadPlace, map[string]any{"Name": excerpt(place)})
		}
	}
}

// sameOrigin normalises the origin at the beginning of an address. Any other text is returned unchanged.
func sameOrigin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	begin := len(u.Scheme) + len("://") + len(u.Host)
	origin, ok := Origin(text[:min(begin, len(text))])
	if !ok {
		return text
	}
	return origin + text[begin:]
}

// validPlace reports whether mail can link to the address: https, or http on the reader's own machine for
// development.
func validPlace(text string) bool {
	if len(text) > maxPlace || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\\"<>`{}|^", r) }) {
		return false
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" {
		return false
	}
	if _, ok := Origin(u.Scheme + "://" + u.Host); !ok {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

// loopback reports whether host is the local machine.
func loopback(host string) bool {
	host = strings.ToLower(host)
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && addr.Unmap().IsLoopback()
}
