package idp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/carillonhq/carillon/notifier"
)

const (
	begunLife = 10 * time.Minute // from the first redirect to the answer
	maxNext   = 2000
	maxGroups = 10_000
)

// The name of the cookie that ties the answer to the browser that has begun the sign-in. secureName makes
// browsers reject it over plain http.
const (
	plainName  = "carillon-oidc"
	secureName = "__Secure-carillon-oidc"
)

// begun is what the cookie of a sign-in holds, sealed.
type begun struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"p"`
	At       int64  `json:"t"` // seconds
}

// Begin begins a sign-in that leads to next. It returns the address at the provider, and the cookie
// that Finish needs. It returns ErrAway.
func (p *Provider) Begin(ctx context.Context, next string) (to string, cookie *http.Cookie, err error) {
	release, err := p.take()
	if err != nil {
		return "", nil, err
	}
	defer release()
	f, err := p.discover(ctx)
	if err != nil {
		return "", nil, err
	}
	if len(next) > maxNext {
		next = ""
	}
	b := begun{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: next, At: p.cfg.Now().Unix()}
	text, err := json.Marshal(b)
	if err != nil {
		return "", nil, fmt.Errorf("begin a sign-in: %w", err)
	}
	sealed, err := p.sealer.Seal(text, p.cookie.Name)
	if err != nil {
		return "", nil, fmt.Errorf("begin a sign-in: %w", err)
	}
	c := p.cookie //nolint:gosec // see New
	c.Value = base64.RawURLEncoding.EncodeToString(sealed)
	return f.oauth.AuthCodeURL(b.State, oidc.Nonce(b.Nonce), oauth2.S256ChallengeOption(b.Verifier)), &c, nil
}

// Used returns a cookie that removes the one of Begin.
func (p *Provider) Used() *http.Cookie {
	c := p.cookie //nolint:gosec // see New
	c.MaxAge = -1
	return &c
}

// Finish returns who has signed in, and where they wanted to go, from a request to Path+"/callback" with the
// cookie of Begin. It returns ErrStale, ErrRefused, ErrToken, ErrName or ErrAway, each with the reason for the log.
func (p *Provider) Finish(r *http.Request) (u User, next string, err error) {
	ctx, answer := r.Context(), r.URL.Query()
	b, err := p.open(r, answer.Get("state"))
	if err != nil {
		return u, "", err
	}
	switch code := answer.Get("error"); {
	case answer.Has("iss") && answer.Get("iss") != p.cfg.Issuer:
		return u, b.Next, fmt.Errorf("%w: the answer is from %.200q", ErrToken, answer.Get("iss"))
	case code != "":
		return u, b.Next, fmt.Errorf("%w: %.200q: %.500q", ErrRefused, code, answer.Get("error_description"))
	case answer.Get("code") == "":
		return u, b.Next, fmt.Errorf("%w: it has neither a code nor an error", ErrRefused)
	}
	release, err := p.take()
	if err != nil {
		return u, b.Next, err
	}
	defer release()
	f, err := p.discover(ctx)
	if err != nil {
		return u, b.Next, err
	}
	u, err = p.redeem(oidc.ClientContext(ctx, p.client), f, b, answer.Get("code"))
	return u, b.Next, err
}

// open returns the sign-in that this browser has begun with this state.
func (p *Provider) open(r *http.Request, state string) (b begun, err error) {
	cookie, err := r.Cookie(p.cookie.Name)
	if err != nil {
		return b, fmt.Errorf("%w: %w", ErrStale, err)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return b, fmt.Errorf("%w: %w", ErrStale, err)
	}
	text, _, err := p.sealer.Open(sealed, p.cookie.Name)
	if err != nil {
		return b, fmt.Errorf("%w: %w", ErrStale, err)
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return b, fmt.Errorf("%w: %w", ErrStale, err)
	}
	age := p.cfg.Now().Sub(time.Unix(b.At, 0))
	if subtle.ConstantTimeCompare([]byte(b.State), []byte(state)) != 1 {
		return begun{}, fmt.Errorf("%w: another state", ErrStale)
	}
	if age > begunLife || age < -begunLife {
		return b, fmt.Errorf("%w: begun %v ago", ErrStale, age.Round(time.Second))
	}
	return b, nil
}

// redeem exchanges a code for the ID token, and reads it.
func (p *Provider) redeem(ctx context.Context, f *found, b begun, code string) (u User, err error) {
	answer, err := f.oauth.Exchange(ctx, code, oauth2.VerifierOption(b.Verifier))
	if err != nil {
		if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < http.StatusInternalServerError {
			return u, fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return u, fmt.Errorf("%w: %w", ErrAway, err)
	}
	text, ok := answer.Extra("id_token").(string)
	if !ok {
		return u, fmt.Errorf("%w: there is none", ErrToken)
	}
	token, err := f.verifier.Verify(ctx, text)
	if err != nil {
		if ctx.Err() != nil {
			return u, fmt.Errorf("%w: %w", ErrAway, err)
		}
		return u, fmt.Errorf("%w: %w", ErrToken, err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(b.Nonce)) != 1 {
		return u, fmt.Errorf("%w: another nonce", ErrToken)
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return u, fmt.Errorf("%w: %w", ErrToken, err)
	}
	return p.user(claims, text)
}

// user reads who has signed in from the claims of a token.
func (p *Provider) user(claims map[string]any, idToken string) (u User, err error) {
	u.IDToken = idToken
	u.Name, _ = claims[p.cfg.UserClaim].(string)
	if !notifier.ValidName(u.Name) {
		return User{}, fmt.Errorf("%w: the claim %s is %.200q", ErrName, p.cfg.UserClaim, fmt.Sprint(claims[p.cfg.UserClaim]))
	}
	if name, _ := claims["name"].(string); notifier.ValidName(strings.TrimSpace(name)) {
		u.Display = strings.TrimSpace(name)
	}
	u.Staff = p.cfg.StaffGroup != "" && slices.Contains(groups(claims[p.cfg.GroupsClaim]), p.cfg.StaffGroup)
	return u, nil
}

// groups reads the claim of groups: a list, or one name.
func groups(claim any) []string {
	if one, ok := claim.(string); ok {
		return []string{one}
	}
	list, _ := claim.([]any)
	var all []string
	for _, g := range list[:min(len(list), maxGroups)] {
		if name, ok := g.(string); ok {
			all = append(all, name)
		}
	}
	return all
}
