package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

const (
	maxHint  = 4096 // bytes of an ID token in an address
	maxCalls = 32   // sign-ins that wait for the provider at a time

	// OIDCPath is where sign-ins begin. They end below it, at /callback.
	OIDCPath = "/login/oidc"
	callback = OIDCPath + "/callback"
	oidcSeal = "carillon oidc" // separates its cookies from secrets under the same session keys
)

var (
	// ErrAway means that the provider does not answer, or not as a provider does.
	ErrAway = errors.New("the identity provider does not answer")
	// ErrStale means that the answer belongs to no sign-in that this browser has begun in the last minutes.
	ErrStale = errors.New("the sign-in was not begun here, or has expired")
	// ErrRefused means that the provider has refused the sign-in or the user has cancelled it.
	ErrRefused = errors.New("the identity provider refused the sign-in")
	// ErrToken means that the ID token of the provider is not valid.
	ErrToken = errors.New("the ID token is not valid")
	// ErrName means that the claim with the user's name is missing, or is no name.
	ErrName = errors.New("the ID token names no user")
)

// ProviderConfig configures the provider that signs users in, and who is staff.
type ProviderConfig struct {
	Issuer       string
	ClientID     string
	ClientSecret string // empty: a public client
	UserClaim    string // the claim that names users
	GroupsClaim  string
	StaffGroup   string // whose members are staff for the session; empty: groups make no user staff
	Email        bool   // whether to read the mail address
	PublicURL    string // how browsers reach Carillon, without a slash at the end
	SessionKeys  [][]byte
	Client       *http.Client     // nil: one of its own
	Now          func() time.Time // nil: time.Now
	Log          *slog.Logger     // nil: silent
}

// Provider signs users in. It is safe for concurrent use.
type Provider struct {
	cfg    ProviderConfig
	plain  bool // the issuer is on this machine, and called by http
	client *http.Client
	direct *http.Client // the same, but follows no redirect: it carries a user's access token
	sealer app.Sealer
	cookie http.Cookie // without a value
	calls  chan struct{}

	narrow atomic.Bool // request only the scopes that every client may have

	mu      sync.Mutex
	found   *discovery // nil until the provider has answered once
	warning string     // the last one
}

// ProviderUser is a user who has signed in at the provider.
type ProviderUser struct {
	Name    string  // the claim
	Display *string // their name for people; nil: there is no such claim
	Email   *string // where they get mail; nil: there is no such claim, or it is unverified
	Zone    *string // their time zone; nil: there is no such claim
	Notes   notifier.ProfileNotes
	Staff   bool
	IDToken string
}

// NewProvider returns a provider. It makes no call yet.
func NewProvider(cfg ProviderConfig) (*Provider, error) {
	sealer, err := app.NewSealer(cfg.SessionKeys, oidcSeal)
	if err != nil {
		return nil, fmt.Errorf("prepare signing in at %s: %w", cfg.Issuer, err)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	issuer, err1 := url.Parse(cfg.Issuer)
	public, err2 := url.Parse(cfg.PublicURL)
	if err := cmp.Or(err1, err2); err != nil {
		return nil, fmt.Errorf("prepare signing in at %s: %w", cfg.Issuer, err)
	}
	p := &Provider{cfg: cfg, plain: issuer.Scheme == "http", client: cfg.Client, sealer: sealer, cookie: newCookie(public), calls: make(chan struct{}, maxCalls)}
	if p.client == nil {
		p.client = &http.Client{Timeout: answerWait, Transport: limited{http.DefaultTransport}, CheckRedirect: p.follow}
	}
	direct := *p.client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p.direct = &direct
	return p, nil
}

// Host returns the host of the provider, which pages show.
func (p *Provider) Host() string {
	if u, err := url.Parse(p.cfg.Issuer); err == nil {
		return u.Host
	}
	return p.cfg.Issuer
}

// Check fetches the metadata of the provider, and returns the claims that it lists as supported; none: it has no such list. It
// returns ErrAway.
func (p *Provider) Check(ctx context.Context) (claims []string, err error) {
	f, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	return f.claims, nil
}

// Leave returns the address where a user who has signed out here signs out of the provider, and which leads
// back; empty if there is none. It returns ErrAway.
func (p *Provider) Leave(ctx context.Context, idToken string) (string, error) {
	release, err := p.acquire()
	if err != nil {
		return "", err
	}
	defer release()
	f, err := p.discover(ctx)
	if err != nil || f.endSession == "" {
		return "", err
	}
	u, err := url.Parse(f.endSession)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrAway, err)
	}
	q := u.Query()
	q.Set("client_id", p.cfg.ClientID)
	q.Set("post_logout_redirect_uri", p.cfg.PublicURL+"/login?done=signed-out")
	if idToken != "" && len(idToken) <= maxHint { // longer addresses are refused in places
		q.Set("id_token_hint", idToken)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// acquire returns one of the places for calls. It returns ErrAway when there is none: the provider is too slow.
func (p *Provider) acquire() (release func(), err error) {
	select {
	case p.calls <- struct{}{}:
		return func() { <-p.calls }, nil
	default:
		return nil, fmt.Errorf("%w: %d sign-ins wait for it", ErrAway, maxCalls)
	}
}
