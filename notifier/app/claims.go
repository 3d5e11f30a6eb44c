package app

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/carillonhq/carillon/notifier"
)

const (
	leeway     = time.Minute // between the clocks of an app and ours
	maxDisplay = 200         // bytes
	scopeRead  = "read"
	ours       = "carillon" // in the claim aud, beside the public URL
	maxLocale  = 35         // bytes; longer than any tag in use
	null       = "null"
)

// claims are the claims of a token, by their exact names.
type claims map[string]json.RawMessage

// rules are what the claims of an app's tokens are compared with.
type rules struct {
	app       *notifier.App
	publicURL string
	audiences map[notifier.Audience]string
	now       time.Time
}

// refused returns an error about a claim.
func refused(claim, format string, args ...any) error {
	return &notifier.TokenError{Code: notifier.TokenClaim, Claim: claim, Detail: claim + " " + fmt.Sprintf(format, args...)}
}

// read returns what the claims say, or a *notifier.TokenError. The signature is known to be right,
// so the error says what the developer of the app has to change.
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

// profile reads name, locale, email, audience and roles.
func (r *rules) profile(c claims) (p notifier.TokenProfile, err error) {
	if p.Display, err = c.text("name"); err != nil {
		return p, err
	}
	if p.Display != nil && *p.Display != "" && (!notifier.ValidName(*p.Display) || len(*p.Display) > maxDisplay) {
		return p, refused("name", "must have at most %d bytes and no control characters", maxDisplay)
	}
	if p.Locale, err = c.text("locale"); err != nil {
		return p, err
	}
	if p.Locale != nil && *p.Locale != "" {
		if _, err := language.Parse(*p.Locale); err != nil || len(*p.Locale) > maxLocale {
			return p, refused("locale", "must be a language tag such as en or zh-Hans")
		}
	}
	if p.Email, err = c.text("email"); err != nil {
		return p, err
	}
	if p.Email != nil && *p.Email != "" && !notifier.ValidEmail(*p.Email) {
		return p, refused("email", "must be one mail address, such as bob@example.com")
	}
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

// text returns a claim that is a string. Nil: absent; empty: null or empty.
func (c claims) text(claim string) (*string, error) {
	raw, given := c[claim]
	if !given {
		return nil, nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil { // null leaves s empty
		return nil, refused(claim, "must be a string")
	}
	return &s, nil
}

// subject returns the app's id of the user.
func (c claims) subject() (string, error) {
	s, err := c.text("sub")
	switch {
	case err != nil:
		return "", err
	case s == nil || *s == "":
		return "", refused("sub", "is required")
	case !notifier.ValidName(*s):
		return "", refused("sub", "must have at most %d bytes and no control characters", notifier.MaxName)
	}
	return *s, nil
}

// audiences returns aud, which is a string or a list of strings.
func (c claims) audiences() ([]string, error) {
	raw, given := c["aud"]
	if !given || string(raw) == null {
		return nil, refused("aud", "is required")
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return nil, refused("aud", "must be a string or a list of strings")
	}
	return many, nil
}

// farthest is a time that no token needs, in seconds: beyond it, times overflow.
const farthest = 1 << 40

// time returns a claim in seconds since 1970, which may have a fraction. The zero time: absent.
func (c claims) time(claim string, required bool) (time.Time, error) {
	raw, given := c[claim]
	if !given || string(raw) == null {
		if required {
			return time.Time{}, refused(claim, "is required")
		}
		return time.Time{}, nil
	}
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil || seconds < 0 || seconds > farthest {
		return time.Time{}, refused(claim, "must be a number of seconds since 1970")
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)), nil
}
