package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

func (h *Handlers) home(w http.ResponseWriter, r *http.Request) error {
	redirect(w, r, "/inbox")
	return nil
}

func (h *Handlers) loginForm(w http.ResponseWriter, r *http.Request) error {
	next := nextOf(r, r.URL.Query().Get("next"))
	if visitOf(r).known {
		redirect(w, r, next)
		return nil
	}
	return h.page(w, r, http.StatusOK, views.LoginPage(h.loginPage(r, next, "")))
}

func (h *Handlers) login(w http.ResponseWriter, r *http.Request) error {
	if h.PasswordsOff {
		return notifier.ErrNotFound
	}
	values, err := form(r, "username", "password", "next")
	if values == nil {
		return err
	}
	next, username := nextOf(r, values.Get("next")), values.Get("username")
	var user notifier.User
	var device *http.Cookie
	if err == nil {
		user, device, err = h.SignIns.Check(r, username, values.Get("password"), visitOf(r).Address)
	}
	if err == nil {
		if err := h.signIn(w, r, notifier.Signed{User: user}); err != nil {
			return err
		}
		if device != nil {
			http.SetCookie(w, device)
		}
		h.signedIn(r, user, "")
		redirect(w, r, next)
		return nil
	}
	status, fault := h.loginFault(w, r, err)
	if fault == "" {
		return fmt.Errorf("check a password: %w", err)
	}
	p := h.loginPage(r, next, fault)
	p.Username = kept(username)
	return h.page(w, r, status, views.LoginPage(p))
}

// loginFault returns the status and message of a refused sign-in. The message is empty if err is not a refusal.
func (h *Handlers) loginFault(w http.ResponseWriter, r *http.Request, err error) (status int, fault string) {
	text := h.text(r)
	switch {
	case statusOf(err) == http.StatusUnprocessableEntity:
		return http.StatusUnprocessableEntity, text.T("error." + codeForm)
	case errors.Is(err, notifier.ErrUnauthenticated):
		return http.StatusUnprocessableEntity, text.T("login.failed")
	case errors.Is(err, notifier.ErrTooMany):
		wait := time.Minute
		if busy := (*notifier.TooManyError)(nil); errors.As(err, &busy) {
			wait = max(busy.RetryAfter, time.Second)
		}
		w.Header().Set("Retry-After", retryAfter(err))
		return http.StatusTooManyRequests, text.N("login.too_many", int64((wait+time.Minute-1)/time.Minute))
	default:
		return 0, ""
	}
}

// demoLines describe the demo users.
var demoLines = map[string]string{
	"alice": "login.demo_alice", "bob": "login.demo_bob", "carol": "login.demo_carol", "dave": "login.demo_dave", "erin": "login.demo_erin",
}

func (h *Handlers) loginPage(r *http.Request, next, fault string) *views.Login {
	p := &views.Login{Frame: h.frame(r, "login", "login.title"), Next: next, Fault: fault}
	p.PasswordsOff = h.PasswordsOff
	if h.Provider != nil {
		p.Provider, p.ProviderText = providerLink(next), p.Text.F("login.provider", "Host", h.Provider.Host())
	}
	if h.PasswordsOff { // this hides the demo users too
		return p
	}
	for _, u := range h.Demo {
		d := views.DemoUser{Name: u.Name, Password: u.Password, Label: p.Text.F("login.demo_as", "Name", u.Name), Face: faceOf(u.Name, "")}
		if line, ok := demoLines[u.Name]; ok {
			d.Line = p.Text.T(line)
		}
		if u.Staff {
			d.Note = p.Text.T("login.demo_staff")
		}
		p.Demo = append(p.Demo, d)
	}
	if h.Shop != nil {
		p.Shop = h.Shop()
	}
	if users, err := h.Store.Users(r.Context(), notifier.UserQuery{Limit: 1}); err == nil && len(users) == 0 && h.Provider == nil {
		p.First = "carillon user add alice --role staff --password-stdin < password"
	}
	return p
}

// logout is open to everyone: if the session has ended, the user is signed out already.
func (h *Handlers) logout(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "everywhere")
	if err != nil {
		return err
	}
	everywhere := values.Get("everywhere") == "1" && visitOf(r).known
	leave, done := "", "signed-out"
	if h.Provider != nil && visitOf(r).known {
		if leave, err = h.Provider.Leave(r.Context(), visitOf(r).user.Session); errors.Is(err, identity.ErrAway) {
			h.Log.WarnContext(r.Context(), "the identity provider cannot sign a user out", "issuer", h.Provider.Host(), "err", err)
			done, err = "signed-out-here", nil
		}
	}
	if err == nil && everywhere {
		err = h.Accounts.EndAllSessions(r.Context(), h.actor(r), visitOf(r).user.User)
	}
	if err == nil {
		err = h.signOut(w, r)
	}
	if err != nil {
		return fmt.Errorf("sign out user %d: %w", seqOf(r), err)
	}
	if leave != "" {
		return h.leave(w, r, leave)
	}
	redirect(w, r, "/login?done="+done)
	return nil
}
