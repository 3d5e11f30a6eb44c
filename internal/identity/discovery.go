package identity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

const (
	// answerWait bounds one answer of the provider. Pages that wait for two of them must have time left to show
	// that it is away; see handlers.answerWait.
	answerWait   = 5 * time.Second
	maxAnswer    = 1 << 20 // bytes of an answer
	maxRedirects = 3
	maxReason    = 500 // bytes of an error that may quote an answer
)

var errRedirect = errors.New("the provider redirects a secret, too often, or away from https")

// discovery is the metadata of the provider that is used.
type discovery struct {
	oauth       oauth2.Config
	verifier    *oidc.IDTokenVerifier
	endSession  string                    // where users sign out; empty: nowhere
	userinfo    string                    // where it serves claims that the ID token lacks; empty: nowhere
	claims      []string                  // that it lists as supported
	algorithms  []jose.SignatureAlgorithm // of its tokens
	keys        oidc.KeySet
	namesItself bool // its answers carry its name (RFC 9207)
}

// metadata is what go-oidc leaves out of the provider's document.
type metadata struct {
	JWKS        string   `json:"jwks_uri"`
	EndSession  string   `json:"end_session_endpoint"`
	Userinfo    string   `json:"userinfo_endpoint"`
	Algorithms  []string `json:"id_token_signing_alg_values_supported"`
	Claims      []string `json:"claims_supported"`
	Scopes      []string `json:"scopes_supported"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	NamesItself bool     `json:"authorization_response_iss_parameter_supported"`
}

// discover returns the metadata of the provider, which is fetched once.
func (p *Provider) discover(ctx context.Context) (*discovery, error) {
	p.mu.Lock()
	last := p.found
	p.mu.Unlock()
	if last != nil {
		return last, nil
	}
	// The keys are fetched with this context later, too, so that it must not end.
	provider, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.cfg.Issuer)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, brief{err})
	}
	var document metadata
	if err := provider.Claims(&document); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, brief{err})
	}
	endpoint := provider.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, document.JWKS} {
		if !p.safe(address) {
			return nil, fmt.Errorf("%w: it names the address %.200q, which is not https", ErrAway, address)
		}
	}
	endpoint.AuthStyle = p.authStyle(document.AuthMethods)
	f := &discovery{
		oauth: oauth2.Config{
			ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, Endpoint: endpoint,
			RedirectURL: p.cfg.PublicURL + callback, Scopes: []string{oidc.ScopeOpenID, "profile"},
		},
		verifier:    provider.Verifier(&oidc.Config{ClientID: p.cfg.ClientID, Now: p.cfg.Now}),
		keys:        oidc.NewRemoteKeySet(oidc.ClientContext(context.WithoutCancel(ctx), p.client), document.JWKS),
		claims:      document.Claims,
		namesItself: document.NamesItself,
	}
	for _, name := range document.Algorithms {
		if strings.HasPrefix(name, "RS") || strings.HasPrefix(name, "PS") || strings.HasPrefix(name, "ES") || name == "EdDSA" {
			f.algorithms = append(f.algorithms, jose.SignatureAlgorithm(name))
		}
	}
	if p.cfg.Email && (len(document.Scopes) == 0 || slices.Contains(document.Scopes, "email")) {
		f.oauth.Scopes = append(f.oauth.Scopes, "email")
	}
	if p.safe(document.Userinfo) {
		f.userinfo = document.Userinfo
	}
	if p.cfg.StaffGroup != "" && slices.Contains(document.Scopes, "groups") {
		f.oauth.Scopes = append(f.oauth.Scopes, "groups")
	}
	if p.safe(document.EndSession) {
		f.endSession = document.EndSession
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = f
	return f, nil
}

// scoped returns the client with the scopes that it may request.
func (p *Provider) scoped(f *discovery) *oauth2.Config {
	client := f.oauth
	if p.narrow.Load() {
		client.Scopes = []string{oidc.ScopeOpenID, "profile"}
	}
	return &client
}

// safe reports whether an address that the provider names may get secrets: it is https, as the issuer is.
func (p *Provider) safe(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http" && p.plain)
}

// authStyle returns how the provider is sent the secret. Where both ways may work, oauth2 tries them.
func (p *Provider) authStyle(methods []string) oauth2.AuthStyle {
	basic, post := slices.Contains(methods, "client_secret_basic"), slices.Contains(methods, "client_secret_post")
	switch {
	case p.cfg.ClientSecret == "", post && !basic:
		return oauth2.AuthStyleInParams
	case basic && !post:
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleAutoDetect
}

// follow decides about redirects of the provider's own addresses: a POST carries the secret and a code, and
// goes nowhere else.
func (p *Provider) follow(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet || len(via) > maxRedirects || !p.safe(req.URL.String()) {
		return errRedirect
	}
	return nil
}

// limited cuts answers off that are too large to be a provider's.
type limited struct{ http.RoundTripper }

// RoundTrip makes the call of the transport.
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

// brief shortens the text of an error that may quote an answer of the provider.
type brief struct{ error }

// Error returns the beginning of the text.
func (b brief) Error() string {
	text := b.error.Error()
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}

// Unwrap is for errors.Is.
func (b brief) Unwrap() error { return b.error }
