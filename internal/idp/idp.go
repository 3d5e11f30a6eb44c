// Package idp signs users in at an identity provider, by OpenID Connect: the authorization code flow with
// PKCE. The provider may be away at any time, a start of the server included; it is asked for its addresses
// when the first user signs in, and again until it answers.
//
// Sources: OpenID Connect Core 1.0, Discovery 1.0 and RP-Initiated Logout 1.0; RFC 7636 (PKCE) and RFC 9207
// (the issuer in the answer).
package idp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/carillonhq/carillon/internal/seal"
)

const (
	answerWait = 10 * time.Second // for one answer of the provider
	maxAnswer  = 1 << 20          // bytes of an answer
	maxHint    = 4096             // bytes of an ID token in an address
	maxCalls   = 32               // sign-ins that wait for the provider at a time

	// Path is where sign-ins begin. They end below it, at /callback.
	Path     = "/login/oidc"
	callback = Path + "/callback"
	purpose  = "carillon oidc"
)

var (
	// ErrAway means that the provider does not answer, or not as a provider does.
	ErrAway = errors.New("the identity provider does not answer")
	// ErrStale means that the answer belongs to no sign-in that this browser has begun in the last minutes.
	ErrStale = errors.New("the sign-in was not begun here, or has expired")
	// ErrRefused means that the provider has refused the sign-in or the user has cancelled it.
	ErrRefused = errors.New("the identity provider refused the sign-in")
	// ErrToken means that the provider answered with an ID token that proves nothing to us.
	ErrToken = errors.New("the ID token is not valid")
	// ErrName means that the claim with the user's name is missing, or is no name.
	ErrName = errors.New("the ID token names no user")
)

// Config says which provider signs users in, and who is staff.
type Config struct {
	Issuer       string
	ClientID     string
	ClientSecret string // empty: a public client
	UserClaim    string // the claim that names users
	GroupsClaim  string
	StaffGroup   string // whose members are staff for the session; empty: nobody is by their groups
	PublicURL    string // how browsers reach Carillon, without a slash at the end
	SessionKeys  [][]byte
	Client       *http.Client     // nil: one of its own
	Now          func() time.Time // nil: time.Now
}

// Provider signs users in. It is safe for concurrent use.
type Provider struct {
	cfg    Config
	client *http.Client
	sealer seal.Sealer
	cookie http.Cookie // without a value
	calls  chan struct{}

	mu    sync.Mutex
	found *found // nil until the provider has answered once
}

// found is what the provider says about itself.
type found struct {
	oauth      oauth2.Config
	verifier   *oidc.IDTokenVerifier
	endSession string // where users sign out; empty: nowhere
}

// User is who the provider says has signed in.
type User struct {
	Name    string // the claim
	Display string // their name for people; empty: the provider does not say
	Staff   bool
	IDToken string
}

// New returns a provider. It asks nothing yet.
func New(cfg Config) (*Provider, error) {
	sealer, err := seal.New(cfg.SessionKeys, purpose)
	if err != nil {
		return nil, fmt.Errorf("prepare signing in at %s: %w", cfg.Issuer, err)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	client := cfg.Client
	if client == nil {
		client = &http.Client{Timeout: answerWait, Transport: limited{http.DefaultTransport}}
	}
	public, err := url.Parse(cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("prepare signing in at %s: %w", cfg.Issuer, err)
	}
	cookie := http.Cookie{Name: plainName, Path: public.Path + callback, MaxAge: int(begunLife.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode} //nolint:gosec // Secure below, where browsers come by https
	if public.Scheme == "https" {
		cookie.Name, cookie.Secure = secureName, true
	}
	return &Provider{cfg: cfg, client: client, sealer: sealer, cookie: cookie, calls: make(chan struct{}, maxCalls)}, nil
}

// Host returns the host of the provider, as users know it.
func (p *Provider) Host() string {
	if u, err := url.Parse(p.cfg.Issuer); err == nil {
		return u.Host
	}
	return p.cfg.Issuer
}

// Check asks the provider for its addresses. It returns ErrAway.
func (p *Provider) Check(ctx context.Context) error {
	_, err := p.discover(ctx)
	return err
}

// discover returns what the provider says about itself, which is asked once.
func (p *Provider) discover(ctx context.Context) (*found, error) {
	p.mu.Lock()
	known := p.found
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}
	// The keys are fetched with this context later, too, so that it must not end.
	provider, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.cfg.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	var says struct {
		EndSession string   `json:"end_session_endpoint"`
		Scopes     []string `json:"scopes_supported"`
	}
	if err := provider.Claims(&says); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, err)
	}
	f := &found{
		oauth: oauth2.Config{
			ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, Endpoint: provider.Endpoint(),
			RedirectURL: p.cfg.PublicURL + callback, Scopes: []string{oidc.ScopeOpenID, "profile"},
		},
		verifier: provider.Verifier(&oidc.Config{ClientID: p.cfg.ClientID, Now: p.cfg.Now}),
	}
	if p.cfg.StaffGroup != "" && slices.Contains(says.Scopes, "groups") {
		f.oauth.Scopes = append(f.oauth.Scopes, "groups")
	}
	if u, err := url.Parse(says.EndSession); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
		f.endSession = says.EndSession
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = f
	return f, nil
}

// Leave returns the address where a user who has signed out here signs out of the provider, and which leads
// back; empty if there is none, or the provider has not answered yet.
func (p *Provider) Leave(idToken string) string {
	p.mu.Lock()
	known := p.found
	p.mu.Unlock()
	if known == nil || known.endSession == "" {
		return ""
	}
	u, err := url.Parse(known.endSession)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", p.cfg.ClientID)
	q.Set("post_logout_redirect_uri", p.cfg.PublicURL+"/login?done=signed-out")
	if idToken != "" && len(idToken) <= maxHint { // longer addresses are refused in places
		q.Set("id_token_hint", idToken)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// take waits for one of the places in line. It returns ErrAway when there is none: the provider is too slow.
func (p *Provider) take() (release func(), err error) {
	select {
	case p.calls <- struct{}{}:
		return func() { <-p.calls }, nil
	default:
		return nil, fmt.Errorf("%w: %d sign-ins wait for it", ErrAway, maxCalls)
	}
}

// limited cuts answers off that are too large to be a provider's.
type limited struct{ http.RoundTripper }

// RoundTrip is that of the transport.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}
