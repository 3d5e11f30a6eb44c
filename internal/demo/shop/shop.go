// Package shop is an application that is not Carillon, with a page that has Carillon's elements in it.
// `carillon serve --demo` serves it at an origin of its own, for developers to try out.
package shop

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Path is the address of the page.
const Path = "/embed/demo"

// policy is the strictest one under which the elements work.
const policy = "default-src 'none'; style-src 'self'; script-src 'self' %[1]s; connect-src 'self' %[1]s; img-src data:; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'"

const (
	cookieName = "harbour-goods"
	tokenLife  = 15 * time.Minute
	maxForm    = 4096
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS []byte
	//go:embed page.js
	pageJS []byte
)

// users may sign in to the shop. Carillon has never heard of the last one before.
var users = []string{"bob", "carol", "erin", "customer 4711"}

// Config has what the shop needs. All fields are required.
type Config struct {
	Server   string // the address of Carillon
	TokenKey string // of the shop's app
	// Send sends a notice or an announcement.
	Send func(ctx context.Context, d notifier.Draft) error
	// Toast shows a toast without a notice.
	Toast func(ctx context.Context, d notifier.Draft) error
	// Audiences are those that an announcement goes to.
	Audiences []notifier.Audience
	Now       func() time.Time
}

type shop struct {
	Config
	page   *template.Template
	policy string
}

// New returns the handler of the shop.
func New(c Config) (http.Handler, error) {
	page, err := template.New("shop").Parse(pageHTML)
	if err != nil {
		return nil, fmt.Errorf("read the page of the shop: %w", err)
	}
	u, err := url.Parse(c.Server)
	if err != nil {
		return nil, fmt.Errorf("read the address of the server: %w", err)
	}
	c.Server = strings.TrimSuffix(c.Server, "/")
	s := &shop{c, page, fmt.Sprintf(policy, u.Scheme+"://"+u.Host)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, s.show)
	mux.HandleFunc("GET "+Path+".css", file("text/css; charset=utf-8", pageCSS))
	mux.HandleFunc("GET "+Path+".js", file("text/javascript; charset=utf-8", pageJS))
	mux.HandleFunc("GET /carillon/token", s.token)
	mux.HandleFunc("POST "+Path+"/user", s.signIn)
	mux.HandleFunc("POST "+Path+"/send", s.send)
	mux.Handle("GET /{$}", http.RedirectHandler(Path, http.StatusSeeOther))
	return http.NewCrossOriginProtection().Handler(mux), nil
}

func file(kind string, text []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(text) // the browser may have gone
	}
}

func (s *shop) show(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", s.policy)
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Cache-Control", "no-store")
	_ = s.page.Execute(w, struct { // the browser may have gone
		Server, User string
		Users        []string
	}{s.Server, userOf(r), users})
}

// userOf is who is signed in to the shop.
func userOf(r *http.Request) string {
	if c, err := r.Cookie(cookieName); err == nil && slices.Contains(users, strings.ReplaceAll(c.Value, "+", " ")) {
		return strings.ReplaceAll(c.Value, "+", " ")
	}
	return users[0]
}

func (s *shop) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if user := r.PostFormValue("user"); slices.Contains(users, user) {
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // the shop is served over http, on this machine
			Name: cookieName, Value: strings.ReplaceAll(user, " ", "+"), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
	}
	http.Redirect(w, r, Path, http.StatusSeeOther)
}

// token answers with a token of the user, as every application does.
func (s *shop) token(w http.ResponseWriter, r *http.Request) {
	kid, _, _ := strings.Cut(s.TokenKey, ".")
	now := s.Now()
	part := func(v map[string]any) string {
		text, _ := json.Marshal(v) // texts and numbers always can be encoded
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]any{"alg": "HS256", "kid": kid}) + "." +
		part(map[string]any{"sub": userOf(r), "aud": "carillon", "iat": now.Unix(), "exp": now.Add(tokenLife).Unix()})
	mac := hmac.New(sha256.New, []byte(s.TokenKey))
	_, _ = mac.Write([]byte(text)) // a hash never fails
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]string{"token": text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))})
}

// send sends the notice of the pressed button.
func (s *shop) send(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	now := s.Now()
	to := notifier.Target{Users: []string{userOf(r)}}
	clock := now.Format("15:04:05")
	var err error
	switch r.PostFormValue("what") {
	case "notice":
		err = s.Send(r.Context(), notifier.Draft{
			Target: to, Type: "order", Subject: fmt.Sprintf("order:%d", now.Unix()), Title: "Your order is on its way", Body: "It left the harbour at " + clock + ".", Link: "/embed/demo#orders",
		})
	case "toast":
		err = s.Toast(r.Context(), notifier.Draft{Target: to, Title: "Saved", Body: "At " + clock + "."})
	case "announcement":
		err = s.Send(r.Context(), notifier.Draft{
			Target: notifier.Target{Audiences: s.Audiences}, Type: "shop", Title: "The harbour is closed on Sunday", Body: "Orders leave on **Monday** again. Announced at " + clock + ".",
		})
	default:
		w.WriteHeader(http.StatusUnprocessableEntity) // not a button of the page
		return
	}
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintln(w, err) // the browser may have gone
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
