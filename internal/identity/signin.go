package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	begunLife  = 10 * time.Minute // from the first redirect to the answer
	finishWait = 8 * time.Second  // for all that the provider answers when a browser comes back
	maxBegun   = 2500             // bytes in the cookie before they are sealed: browsers drop cookies above 4 KiB
	maxTried   = 8                // cookies of this name that a request may carry
	maxToken   = 64 << 10         // bytes of an ID token, which is kept with the session
	maxGroups  = 10_000
)

// The name of the cookie that ties the answer to the browser that has begun the sign-in. As with sessions, hostPrefix
// has browsers reject one that comes from a neighboring host, and securePrefix one that comes over plain http.
const (
	cookieName   = "carillon-oidc"
	hostPrefix   = "__Host-"
	securePrefix = "__Secure-"
)

// begun is what the cookie of a sign-in holds, sealed.
type begun struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"p"`
	At       int64  `json:"t"` // seconds
}

// newCookie returns the cookie without its value.
func newCookie(public *url.URL) http.Cookie {
	c := http.Cookie{Name: cookieName, Path: public.Path + callback, MaxAge: int(begunLife.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode} //nolint:gosec // Secure below, where browsers come by https
	switch {
	case public.Scheme != "https":
	case public.Path == "":
		c.Name, c.Path, c.Secure = hostPrefix+cookieName, "/", true
	default:
		c.Name, c.Secure = securePrefix+cookieName, true
	}
	if port := public.Port(); port != "" { // of another installation on this host: browsers send a cookie to all ports
		c.Name += "-" + port
	}
	return c
}

// Begin begins a sign-in that leads to next. It returns the address at the provider, and the cookie
// that Finish needs. It returns ErrAway.
func (p *Provider) Begin(ctx context.Context, next string) (to string, cookie *http.Cookie, err error) {
	release, err := p.acquire()
	if err != nil {
		return "", nil, err
	}
	defer release()
	f, err := p.discover(ctx)
	if err != nil {
		return "", nil, err
	}
	b := begun{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: next, At: p.cfg.Now().Unix()}
	text, err := json.Marshal(b)
	if len(text) > maxBegun {
		b.Next = ""
		text, err = json.Marshal(b)
	}
	if err != nil {
		return "", nil, fmt.Errorf("begin a sign-in: %w", err)
	}
	sealed, err := p.sealer.Seal(text, p.cookie.Name)
	if err != nil {
		return "", nil, fmt.Errorf("begin a sign-in: %w", err)
	}
	c := p.cookie //nolint:gosec // see newCookie
	c.Value = base64.RawURLEncoding.EncodeToString(sealed)
	return p.scoped(f).AuthCodeURL(b.State, oidc.Nonce(b.Nonce), oauth2.S256ChallengeOption(b.Verifier)), &c, nil
}

// Used returns a cookie that removes the one of Begin.
func (p *Provider) Used() *http.Cookie {
	c := p.cookie //nolint:gosec // see newCookie
	c.MaxAge = -1
	return &c
}

// Finish returns who has signed in, and where they wanted to go, from a request to OIDCPath+"/callback" with the
// cookie of Begin. It returns ErrStale, ErrRefused, ErrToken, ErrName or ErrAway, each with the reason for the log.
func (p *Provider) Finish(r *http.Request) (u ProviderUser, next string, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), finishWait)
	defer cancel()
	answer := r.URL.Query()
	b, err := p.open(r, answer.Get("state"))
	if err != nil {
		return u, b.Next, err
	}
	switch code := answer.Get("error"); {
	case answer.Has("iss") && answer.Get("iss") != p.cfg.Issuer:
		return u, b.Next, fmt.Errorf("%w: the answer is from %.200q", ErrToken, answer.Get("iss"))
	case code == "temporarily_unavailable", code == "server_error":
		return u, b.Next, fmt.Errorf("%w: %q: %.500q", ErrAway, code, answer.Get("error_description"))
	case code == "invalid_scope" && p.narrow.CompareAndSwap(false, true):
		p.cfg.Log.WarnContext(ctx, "the identity provider does not allow this client one of the scopes: the next sign-ins request less; "+
			"allow it email and groups, or set --oidc-email=false", "issuer", p.Host())
		fallthrough
	case code != "":
		return u, b.Next, fmt.Errorf("%w: %.200q: %.500q", ErrRefused, code, answer.Get("error_description"))
	case answer.Get("code") == "":
		return u, b.Next, fmt.Errorf("%w: it has neither a code nor an error", ErrRefused)
	}
	release, err := p.acquire()
	if err != nil {
		return u, b.Next, err
	}
	defer release()
	f, err := p.discover(ctx)
	if err != nil {
		return u, b.Next, err
	}
	if f.namesItself && !answer.Has("iss") {
		return u, b.Next, fmt.Errorf("%w: the answer does not name its issuer", ErrToken)
	}
	u, err = p.redeem(oidc.ClientContext(ctx, p.client), f, b, answer.Get("code"))
	return u, b.Next, err
}

// open returns the sign-in that this browser has begun with this state. A neighboring host may have planted
// other cookies of the same name. It returns ErrStale.
func (p *Provider) open(r *http.Request, state string) (b begun, err error) {
	err = http.ErrNoCookie
	for i, cookie := range r.CookiesNamed(p.cookie.Name) {
		if i == maxTried {
			break
		}
		if b, err = p.unseal(cookie.Value); err != nil {
			continue
		}
		if subtle.ConstantTimeCompare([]byte(b.State), []byte(state)) != 1 {
			err = errors.New("another state")
			continue
		}
		if age := p.cfg.Now().Sub(time.Unix(b.At, 0)); age > begunLife || age < -begunLife {
			return b, fmt.Errorf("%w: begun %v ago", ErrStale, age.Round(time.Second))
		}
		return b, nil
	}
	return begun{}, fmt.Errorf("%w: %w", ErrStale, err)
}

// unseal reads the value of a cookie.
func (p *Provider) unseal(value string) (b begun, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return b, fmt.Errorf("decode the cookie: %w", err)
	}
	text, _, err := p.sealer.Open(sealed, p.cookie.Name)
	if err != nil {
		return b, fmt.Errorf("open the cookie: %w", err)
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return begun{}, fmt.Errorf("read the cookie: %w", err)
	}
	return b, nil
}

// redeem exchanges a code for the ID token, and reads it.
func (p *Provider) redeem(ctx context.Context, f *discovery, b begun, code string) (u ProviderUser, err error) {
	answer, err := f.oauth.Exchange(ctx, code, oauth2.VerifierOption(b.Verifier))
	if err != nil {
		return u, unredeemed(err)
	}
	text, ok := answer.Extra("id_token").(string)
	if !ok || len(text) > maxToken {
		return u, fmt.Errorf("%w: there is none, or it has more than %d bytes", ErrToken, maxToken)
	}
	token, err := f.verifier.Verify(ctx, text)
	if err != nil {
		if ctx.Err() != nil || strings.Contains(err.Error(), "fetching keys") { // go-oidc has no error for it
			return u, fmt.Errorf("%w: %w", ErrAway, brief{err})
		}
		return u, fmt.Errorf("%w: %w", ErrToken, brief{err})
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(b.Nonce)) != 1 {
		return u, fmt.Errorf("%w: another nonce", ErrToken)
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return u, fmt.Errorf("%w: %w", ErrToken, err)
	}
	if err := p.complete(ctx, f, answer, c); err != nil {
		p.warn(ctx, "a user signs in without a part of their profile or groups", err.Error())
	} else if p.cfg.StaffGroup != "" && slices.Contains(p.lacking(c), p.cfg.GroupsClaim) {
		p.warn(ctx, "a user signs in, and the identity provider sends no claim with their groups; see --oidc-groups-claim", ungrouped(c))
	}
	return p.user(c, text)
}

// unredeemed returns why the provider gave no token for a code. The body of its answer is left out: it may quote
// the request, which has the secret.
func unredeemed(err error) error {
	refused := (*oauth2.RetrieveError)(nil)
	if !errors.As(err, &refused) || refused.Response == nil {
		return fmt.Errorf("%w: %w", ErrAway, brief{err})
	}
	why := ErrRefused
	if status := refused.Response.StatusCode; status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		why = ErrAway
	}
	return fmt.Errorf("%w: it answers %s to the code: %.200q: %.500q", why, refused.Response.Status, refused.ErrorCode, refused.ErrorDescription)
}
