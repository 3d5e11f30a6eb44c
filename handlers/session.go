package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// sessionName is the name of the session in the session store.
const sessionName = "carillon"

// signIn starts a session for a user. It gets a new ID even if the browser already has a session.
func (h *Handlers) signIn(w http.ResponseWriter, r *http.Request, signed notifier.Signed) error {
	session, err := h.Sessions.Get(r, sessionName)
	if err == nil {
		session.ID, session.Values[notifier.SessionUser] = "", signed
		err = session.Save(r, w)
	}
	if err != nil {
		return fmt.Errorf("sign in user %d: %w", signed.User.Seq, err)
	}
	return nil
}

// signOut ends the request's session and clears its cookie.
func (h *Handlers) signOut(w http.ResponseWriter, r *http.Request) error {
	session, err := h.Sessions.Get(r, sessionName)
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1
	return session.Save(r, w)
}

// admit identifies the user and checks their access to the address.
func (h *Handlers) admit(r *http.Request, who access) error {
	if who == public {
		return nil
	}
	user, err := h.Who.Find(r)
	refused := (*notifier.TokenError)(nil)
	if err != nil && (errors.As(err, &refused) || !errors.Is(err, notifier.ErrUnauthenticated)) {
		return fmt.Errorf("find out who is asking: %w", err)
	}
	v := visitOf(r)
	v.user, v.known = user, err == nil
	if zone := zoneOf(r); v.known && zone != "" && !user.ReadOnly() {
		v.user.User = h.People.SeeZone(r.Context(), user.User, zone)
	}
	switch {
	case user.ReadOnly():
		return notifier.ErrForbidden // viewing a page changes state, such as what is new
	case who == anyone:
		return nil
	case !v.known, !own(r, v.user.User.Name):
		return errSignIn
	case who == staff && (v.user.Token != nil || !v.user.User.HasRole(notifier.RoleStaff)):
		return notifier.ErrNotFound
	}
	return nil
}

// own reports whether an htmx request comes from a page of this user. A page of the previously signed-in user must
// not show or change the current user's data; it is redirected to the current user's own page.
func own(r *http.Request, name string) bool {
	said := r.Header.Get(views.UserHeader)
	return !fragment(r) || said == "" || said == url.QueryEscape(name)
}

// seqOf returns the seq of an admitted request's user.
func seqOf(r *http.Request) int64 { return visitOf(r).user.User.Seq }

// readerOf returns an admitted request's user as a reader of announcements.
func readerOf(r *http.Request) notifier.Reader { return visitOf(r).user.Reader() }

// nextOf returns where to go after sign-in, from the login page's next parameter.
func nextOf(r *http.Request, next string) string { return safeNext(web.Inside(r.Context(), next)) }

// safeNext returns next if it is an address on this server, otherwise the inbox. Browsers treat a backslash as a
// slash and drop control characters.
func safeNext(next string) string {
	const fallback = "/inbox"
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || len(next) > 2000 {
		return fallback
	}
	if strings.ContainsFunc(next, func(c rune) bool { return c <= ' ' || c == '\\' || c == 0x7f || c == '\ufffd' }) {
		return fallback
	}
	u, err := url.Parse(next)
	if err != nil || u.Host != "" || u.Scheme != "" || strings.HasPrefix(u.Path, "//") || strings.Contains(u.Path, "\\") {
		return fallback
	}
	return next
}
