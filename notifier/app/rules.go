package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	leeway    = time.Minute // between the clock of an app and ours
	scopeRead = "read"
	ours      = "carillon" // in the claim aud, as an alternative to the public URL
	maxLocale = 35         // bytes; longer than any tag in use
)

// rules contains the values with which the claims of an app's tokens are compared.
type rules struct {
	app       *notifier.App
	publicURL string
	audiences map[notifier.Audience]string
	now       time.Time
}

// read returns the content of the claims, or a *notifier.TokenError. The signature has been verified, so the error
// states what the developer of the app must change.
func (r *rules) read(payload []byte) (t notifier.UserToken, err error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil || c == nil {
		return t, refused("payload", "must be a JSON object")
	}
	t.App = *r.app
	if t.Subject, err = c.subject(); err != nil {
		return t, err
	}
	if err = r.times(c, &t); err != nil {
		return t, err
	}
	if err = r.parties(c); err != nil {
		return t, err
	}
	if t.ReadOnly, err = c.readOnly(); err != nil {
		return t, err
	}
	t.Profile, err = r.profile(c)
	return t, err
}

// times checks iat, exp and nbf.
func (r *rules) times(c claims, t *notifier.UserToken) (err error) {
	if t.IssuedAt, err = c.time("iat", true); err != nil {
		return err
	}
	if t.Expires, err = c.time("exp", true); err != nil {
		return err
	}
	from, err := c.time("nbf", false)
	switch life := t.Expires.Sub(t.IssuedAt); {
	case err != nil:
		return err
	case life <= 0:
		return refused("exp", "must be after iat")
	case life > r.app.MaxLife:
		return &notifier.TokenError{Code: notifier.TokenLifetime, Detail: fmt.Sprintf(
			"exp is %v after iat, and the app allows at most %v", life, r.app.MaxLife)}
	case !r.now.Before(t.Expires.Add(leeway)):
		return &notifier.TokenError{Code: notifier.TokenExpired, Detail: fmt.Sprintf(
			"it expired %d s ago", int64(r.now.Sub(t.Expires).Seconds()))}
	}
	if from.Before(t.IssuedAt) {
		from = t.IssuedAt
	}
	if ahead := from.Sub(r.now); ahead > leeway {
		return &notifier.TokenError{Code: notifier.TokenEarly, Detail: fmt.Sprintf(
			"your clock is %d s ahead", int64(ahead.Seconds()))}
	}
	return nil
}

// parties checks aud and iss.
func (r *rules) parties(c claims) error {
	all, err := c.audiences()
	if err != nil {
		return err
	}
	own := strings.TrimSuffix(r.publicURL, "/")
	if !slices.ContainsFunc(all, func(aud string) bool {
		return aud == ours || own != "" && strings.TrimSuffix(aud, "/") == own
	}) {
		detail := "aud must be " + ours
		if own != "" {
			detail += " or " + own
		}
		return &notifier.TokenError{Code: notifier.TokenAudience, Detail: detail}
	}
	if r.app.Issuer == "" {
		return nil
	}
	if iss, err := c.text("iss"); err != nil || iss == nil || *iss != r.app.Issuer {
		return refused("iss", "must be %q", r.app.Issuer)
	}
	return nil
}

// readOnly reads scope.
func (c claims) readOnly() (bool, error) {
	raw, given := c["scope"]
	if !given {
		return false, nil
	}
	var scope string
	if json.Unmarshal(raw, &scope) != nil || scope != scopeRead {
		return false, refused("scope", "must be %q or absent", scopeRead)
	}
	return true, nil
}

// profile reads name, locale and email, which never cause a refusal, and audience and roles, which must be valid.
func (r *rules) profile(c claims) (p notifier.TokenProfile, err error) {
	p.Display, p.Notes.Name = c.cleaned("name", notifier.CleanDisplay)
	p.Locale, p.Notes.Locale = c.cleaned("locale", notifier.CleanLocale)
	p.Email, p.Notes.Email = c.cleaned("email", notifier.CleanEmail)
	p.Zone, p.Notes.Zone = c.cleaned("zoneinfo", notifier.CleanZone)
	if p.Audience, err = r.audience(c); err != nil {
		return p, err
	}
	p.Roles, err = r.roles(c)
	return p, err
}

func (r *rules) audience(c claims) (*notifier.Audience, error) {
	name, err := c.text("audience")
	if err != nil || name == nil {
		return nil, err
	}
	if *name == "" {
		var cleared notifier.Audience
		return &cleared, nil
	}
	for number, known := range r.audiences {
		if known == *name {
			return &number, nil
		}
	}
	return nil, &notifier.TokenError{Code: notifier.TokenAudienceUnknown, Detail: fmt.Sprintf("unknown audience %q", *name)}
}

func (r *rules) roles(c claims) (*[]string, error) {
	raw, given := c["roles"]
	if !given {
		return nil, nil
	}
	roles := []string{}
	if string(raw) != null {
		if json.Unmarshal(raw, &roles) != nil {
			return nil, refused("roles", "must be a list of strings")
		}
		if len(roles) > notifier.MaxAppRoles {
			return nil, refused("roles", "has more than %d entries", notifier.MaxAppRoles)
		}
	}
	for _, role := range roles {
		if role == notifier.RoleStaff || !slices.Contains(r.app.Roles, role) {
			return nil, &notifier.TokenError{Code: notifier.TokenRoleRefused, Detail: fmt.Sprintf("the app may not give the role %.200q", role)}
		}
	}
	slices.Sort(roles)
	roles = slices.Compact(roles)
	return &roles, nil
}
