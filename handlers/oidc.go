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

// Provider signs users in at an identity provider; see internal/identity for its errors.
type Provider interface {
	Host() string
	// Begin returns the address of the sign-in and a cookie for the browser. Used returns the cookie that removes it.
	Begin(ctx context.Context, next string) (to string, cookie *http.Cookie, err error)
	// Finish returns the user who came back from the provider, with their session, and the page they wanted.
	Finish(r *http.Request) (signed notifier.Signed, next string, err error)
	Used() *http.Cookie
	// Leave returns the address where the user of a session signs out at the provider, or "" if that is not needed.
	// It returns identity.ErrAway.
	Leave(ctx context.Context, session string) (string, error)
}

// providerFaults maps the identity provider's errors to statuses and messages for users.
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

// providerForm redirects the browser to the identity provider.
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

// providerAnswer signs in the user identified by the provider. It always creates a new session.
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
		if stale && visitOf(r).known { // the user came back to this address, or signed in on another page
			redirect(w, r, next)
			return nil
		}
	}
	if !errors.Is(err, identity.ErrStale) { // the cookie may belong to a sign-in on another page
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

// providerFault shows the login page with the reason. The details are in the log.
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

// leave shows that the user is signed out here and continues to the identity provider to sign out there. It is a
// page, because the Content-Security-Policy forbids redirecting a form to another host.
func (h *Handlers) leave(w http.ResponseWriter, r *http.Request, to string) error {
	w.Header().Set("Refresh", "0; url="+to)
	p := &views.Leaving{Frame: h.bareFrame(r), Link: to}
	p.Viewer, p.Title = nil, p.Text.T("login.left_title")
	p.Line, p.Button = p.Text.F("login.left_text", "Host", h.Provider.Host()), p.Text.F("login.left_submit", "Host", h.Provider.Host())
	return h.page(w, r, http.StatusOK, views.LeavingPage(p))
}

// providerLink returns the address where sign-in at the identity provider begins; next is the page after it.
func providerLink(next string) string {
	return identity.OIDCPath + "?" + url.Values{"next": {next}}.Encode()
}
