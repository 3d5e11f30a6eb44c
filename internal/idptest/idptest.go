// Package idptest runs an identity provider for tests. It asks nobody for a password: whoever comes is the
// user that the test names. It refuses what a real one refuses, and lies when it is told to.
package idptest

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
)

// ClientID and ClientSecret are what Carillon is known by.
const (
	ClientID     = "carillon"
	ClientSecret = "hunter2 & more"
)

// Provider is an identity provider with one client.
type Provider struct {
	*httptest.Server
	key *rsa.PrivateKey

	mu     sync.Mutex
	user   map[string]any // the claims of who is signed in here
	lie    func(claims map[string]any)
	says   func(document map[string]any)
	more   map[string]any // what userinfo says beside sub
	signed bool           // userinfo is a signed token
	access map[string]any // the subjects of access tokens
	secret string         // empty: Carillon is a public client
	fails  string         // the error that the next sign-in ends with
	broken map[string]int // the status of all answers of a path
	hang   chan struct{}
	codes  map[string]begun
	ended  []url.Values
}

type begun struct {
	nonce, challenge, redirect string
	claims                     map[string]any
}

// Start starts a provider at which a user with these claims is signed in.
func Start(t *testing.T, claims map[string]any) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, secret: ClientSecret, user: claims, broken: map[string]int{}, access: map[string]any{}, codes: map[string]begun{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", p.userinfo)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /logout", p.logout)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		hang, broken := p.hang, p.broken[r.URL.Path]
		p.mu.Unlock()
		if hang != nil {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
			return
		}
		if broken != 0 {
			answer(w, broken, map[string]any{"error": "server_error"})
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { p.Answer(); p.Close() })
	return p
}

// User has another user be signed in here.
func (p *Provider) User(claims map[string]any) { p.set(func() { p.user = claims }) }

// Lie has all ID tokens carry other claims, after those that are right.
func (p *Provider) Lie(change func(claims map[string]any)) { p.set(func() { p.lie = change }) }

// Fail ends the next sign-ins with an error; empty: they succeed.
func (p *Provider) Fail(code string) { p.set(func() { p.fails = code }) }

// Says has the provider say something else about itself.
func (p *Provider) Says(change func(document map[string]any)) { p.set(func() { p.says = change }) }

// Userinfo has userinfo say more than the ID token, in JSON or as a signed token. A claim sub replaces the user's own.
func (p *Provider) Userinfo(more map[string]any, signed bool) {
	p.set(func() { p.more, p.signed = more, signed })
}

// Public makes Carillon a client without a secret.
func (p *Provider) Public() { p.set(func() { p.secret = "" }) }

// Break has a path, such as /token, answer with a status; 0: it works.
func (p *Provider) Break(path string, status int) { p.set(func() { p.broken[path] = status }) }

// Forget makes all codes expire.
func (p *Provider) Forget() { p.set(func() { clear(p.codes) }) }

// Hang has the provider accept connections and answer nothing, until Answer is called.
func (p *Provider) Hang() { p.set(func() { p.hang = make(chan struct{}) }) }

// Answer ends what Hang began.
func (p *Provider) Answer() {
	p.set(func() {
		if p.hang != nil {
			close(p.hang)
			p.hang = nil
		}
	})
}

// Ended returns the queries of the sign-outs so far.
func (p *Provider) Ended() (all []url.Values) {
	p.set(func() { all = append(all, p.ended...) })
	return all
}

func (p *Provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	document := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"end_session_endpoint": p.URL + "/logout", "userinfo_endpoint": p.URL + "/userinfo", "scopes_supported": []string{"openid", "profile", "email", "groups"}, "id_token_signing_alg_values_supported": []string{"RS256"},
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
	}
	p.set(func() {
		if p.says != nil {
			p.says(document)
		}
	})
	answer(w, http.StatusOK, document)
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("state") == "" {
		answer(w, http.StatusBadRequest, map[string]any{"error": "a request that Carillon must not make: " + r.URL.RawQuery})
		return
	}
	to := url.Values{"state": {q.Get("state")}, "iss": {p.URL}}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fails != "" {
		to.Set("error", p.fails)
		to.Set("error_description", "<b>No</b>")
	} else {
		code := rand.Text()
		p.codes[code] = begun{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri"), maps.Clone(p.user)}
		to.Set("code", code)
	}
	back.RawQuery = to.Encode()
	w.Header().Set("Location", back.String())
	w.WriteHeader(http.StatusFound)
}

// logout says that the user has signed out, and leads back.
func (p *Provider) logout(w http.ResponseWriter, r *http.Request) {
	p.set(func() { p.ended = append(p.ended, r.URL.Query()) })
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, `<!doctype html><title>Signed out</title><h1>Signed out everywhere</h1><a id="back" href="%s">Back</a>`, html.EscapeString(r.URL.Query().Get("post_logout_redirect_uri")))
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
