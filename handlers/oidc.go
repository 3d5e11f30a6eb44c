package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// Provider signs users in at an identity provider; see internal/identity, whose errors it returns.
type Provider interface {
	Host() string
	// Begin returns where the browser goes to sign in, and a cookie for it, which Used removes.
	Begin(ctx context.Context, next string) (to string, cookie *http.Cookie, err error)
	// Finish returns the session of the user with whom the browser comes back, and where they wanted
	// to go.
	Finish(r *http.Request) (signed notifier.Signed, next string, err error)
	Used() *http.Cookie
	// Leave returns where the user of a session signs out at the provider; empty: they need not. It returns
	// identity.ErrAway.
	Leave(ctx context.Context, session string) (string, error)
}

// providerFaults say what users are told when the identity provider has not signed them in.
var providerFaults = []struct {
	err    error
	status int
	text   string
}{
	{identity.ErrAway, http.StatusServiceUnavailable, "login.provider_away"},
	{identity.ErrStale, http.StatusBadRequest, "login.provider_stale"},
	{identity.ErrRefused, http.StatusForbidden, "login.provider_refused"},
	{identity.ErrToken, http.StatusForbidden, "login.provider_token"},
	{identity.ErrName, http.StatusForbidden, "login.provider_name"},
}

// providerForm sends the browser to the identity provider.
func (h *Handlers) providerForm(w http.ResponseWriter, r *http.Request) error {
	if h.Provider == nil {
		return notifier.ErrNotFound
	}
	next := nextOf(r, r.URL.Query().Get("next"))
	if visitOf(r).known {
		redirect(w, r, next)
		return nil
	}
	to, cookie, err := h.Provider.Begin(r.Context(), next)
	if err != nil {
		return h.providerFault(w, r, next, err)
	}
	http.SetCookie(w, cookie)
	http.Redirect(w, r, to, http.StatusSeeOther) //nolint:gosec // the address is the provider's, which the operator names
	return nil
}

// providerAnswer signs in the user whom the identity provider names. The session is always a new one.
func (h *Handlers) providerAnswer(w http.ResponseWriter, r *http.Request) error {
	if h.Provider == nil {
		return notifier.ErrNotFound
	}
	takeBack, err := h.SignIns.Attempt(r.Context(), visitOf(r).Address)
	if err != nil {
		return h.providerFault(w, r, "/inbox", err)
	}
	signed, next, err := h.Provider.Finish(r)
	next = safeNext(next)
	if stale := errors.Is(err, identity.ErrStale); err == nil || stale || errors.Is(err, identity.ErrAway) {
		takeBack()
		if stale && visitOf(r).known { // they have come back to this address, or signed in on another page
			redirect(w, r, next)
			return nil
		}
	}
	if !errors.Is(err, identity.ErrStale) { // the cookie may be that of a sign-in on another page
		http.SetCookie(w, h.Provider.Used())
	}
	if err != nil {
		return h.providerFault(w, r, next, err)
	}
	if err := h.signIn(w, r, signed); err != nil {
		return err
	}
	h.signedIn(r, signed.User, "by the identity provider")
	redirect(w, r, next)
	return nil
}

// providerFault shows the login page with the reason. Operators find the details in the log.
func (h *Handlers) providerFault(w http.ResponseWriter, r *http.Request, next string, err error) error {
	for _, f := range providerFaults {
		if errors.Is(err, f.err) {
			h.Log.WarnContext(r.Context(), "the identity provider has not signed a user in", "issuer", h.Provider.Host(), "err", err)
			return h.providerPage(w, r, next, f.status, h.text(r).F(f.text, "Host", h.Provider.Host()))
		}
	}
	if status, fault := h.loginFault(w, r, err); fault != "" {
		return h.providerPage(w, r, next, status, fault)
	}
	return fmt.Errorf("sign in a user of the identity provider: %w", err)
}

func (h *Handlers) providerPage(w http.ResponseWriter, r *http.Request, next string, status int, fault string) error {
	p := h.loginPage(r, next, "")
	p.ProviderFault = fault
	return h.page(w, r, status, views.LoginPage(p))
}

// leave shows that the user has signed out, and leads on to the identity provider, where they sign out too.
// It is a page, since browsers follow no redirect from a form to another host.
func (h *Handlers) leave(w http.ResponseWriter, r *http.Request, to string) error {
	w.Header().Set("Refresh", "0; url="+to)
	p := &views.Leaving{Frame: h.bareFrame(r), Link: to}
	p.Viewer, p.Title = nil, p.Text.T("login.left_title")
	p.Line, p.Button = p.Text.F("login.left_text", "Host", h.Provider.Host()), p.Text.F("login.left_submit", "Host", h.Provider.Host())
	return h.page(w, r, http.StatusOK, views.LeavingPage(p))
}

// providerLink is where signing in at the identity provider begins, from a page that leads to next.
func providerLink(next string) string {
	return identity.OIDCPath + "?" + url.Values{"next": {next}}.Encode()
}
