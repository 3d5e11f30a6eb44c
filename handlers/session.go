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

// sessionName is the name under which the session of a request is known.
const sessionName = "carillon"

// signIn begins a session of a user. It has no ID yet, so it gets a new one even if the browser has a
// session already.
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

// signOut ends the session of a request and clears its cookie.
func (h *Handlers) signOut(w http.ResponseWriter, r *http.Request) error {
	session, err := h.Sessions.Get(r, sessionName)
	if err != nil {
		return err
	}
	session.Options.MaxAge = -1
	return session.Save(r, w)
}

// admit identifies the user and checks that they may use the address.
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
		return notifier.ErrForbidden // pages change what they show, such as what is new
	case who == anyone:
		return nil
	case !v.known, !own(r, v.user.User.Name):
		return errSignIn
	case who == staff && (v.user.Token != nil || !v.user.User.HasRole(notifier.RoleStaff)):
		return notifier.ErrNotFound
	}
	return nil
}

// own reports whether a script's request comes from a page of this user. On a page of a user who
// was signed in before, it must neither show nor change data of the current one; it is redirected
// to a page of theirs.
func own(r *http.Request, name string) bool {
	said := r.Header.Get(views.UserHeader)
	return !fragment(r) || said == "" || said == url.QueryEscape(name)
}

// seqOf is the user of an admitted request.
func seqOf(r *http.Request) int64 { return visitOf(r).user.User.Seq }

// readerOf is the user of an admitted request, as a reader of announcements.
func readerOf(r *http.Request) notifier.Reader { return visitOf(r).user.Reader() }

// nextOf returns where to go after signing in, as the address of the login page names it.
func nextOf(r *http.Request, next string) string { return safeNext(web.Inside(r.Context(), next)) }

// safeNext returns where to go after signing in: an address of our own, otherwise the inbox.
// Browsers read a backslash as a slash and drop control characters.
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
