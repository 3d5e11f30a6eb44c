// Package identity finds out who makes a request, for the pages, the event stream and the API, and signs users in at an identity
// provider.
//
// The first identity that a request carries decides: a user token, then the identity header of a proxy, then a session. A bad one
// is never passed over for the next.
//
// Signing in at a provider is OpenID Connect: the authorization code flow with PKCE. The provider may be away at any time, a start of
// the server included; its metadata is fetched when the first user signs in, and again until it answers. Sources: OpenID
// Connect Core 1.0, Discovery 1.0 and RP-Initiated Logout 1.0; RFC 7636 (PKCE) and RFC 9207 (the issuer in the answer).
package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/sessions"
	"github.com/maypok86/otter/v2"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/person"
)

// Config has what Who needs to find users. Any field may be nil: then no user is found in that way.
type Config struct {
	Tokens   *app.Verifier
	People   *person.People    // required with Tokens and with Header
	Stamps   *session.Sessions // detects changes of users; nil: SQL is read for every request
	Sessions sessions.Store
	Header   *Header          // of a proxy that has signed users in
	Now      func() time.Time // nil: time.Now
}

// UserFresh is how long the copy of a user is used while their stamp is the same. A change counts at the next
// request, by the stamp; if Redis has lost the stamp, it counts after this time.
const UserFresh = 5 * time.Second

const (
	maxUsers    = 100_000
	sessionName = "carillon"
)

// Who finds out who makes a request. It is safe for concurrent use.
type Who struct {
	Config
	copies *otter.Cache[[sha256.Size]byte, found] // by token, or identity header
}

// found is the user of a token or an identity header, as SQL had them after the stamp was read.
type found struct {
	asker   notifier.Asker
	seen    time.Time
	stamp   string
	stamped bool // there is a stamp
}

// New returns a Who.
func New(c Config) *Who {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Who{c, otter.Must(&otter.Options[[sha256.Size]byte, found]{MaximumSize: maxUsers})}
}

// Find returns the user who makes a request. It returns notifier.ErrUnauthenticated if the request
// carries no identity, a *notifier.TokenError for a token that is refused,
// notifier.ErrAmbiguous, notifier.ErrBadIdentity for an identity header of a trusted proxy, and
// notifier.ErrUnavailable if the identity cannot be checked. While SQL is away, a user with
// a copy goes on with the same token or header.
func (w *Who) Find(r *http.Request) (notifier.Asker, error) {
	token, given, err := bearer(r)
	switch {
	case err != nil:
		return notifier.Asker{}, err
	case given:
		return w.byToken(r.Context(), token)
	}
	if asker, given, err := w.byHeader(r.Context(), r); given || err != nil {
		return asker, err
	}
	if w.Sessions == nil {
		return notifier.Asker{}, notifier.ErrUnauthenticated
	}
	// Get would keep the session in the request, as long as an event stream lives.
	session, err := w.Sessions.New(r, sessionName)
	if err != nil {
		return notifier.Asker{}, fmt.Errorf("look up the session: %w", err)
	}
	signed, ok := session.Values[notifier.SessionUser].(notifier.Signed)
	if !ok {
		return notifier.Asker{}, notifier.ErrUnauthenticated
	}
	return notifier.Asker{User: signed.User, Session: signed.ID, Copy: signed.Read.UnixNano()}, nil
}

// bearer returns the token of a request. A proxy may add an Authorization header of another scheme,
// which has nothing to do with users.
func bearer(r *http.Request) (token string, given bool, err error) {
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", false, notifier.ErrAmbiguous
	}
	if len(headers) == 0 {
		return "", false, nil
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "Bearer"), nil
}

func (w *Who) byToken(ctx context.Context, text string) (notifier.Asker, error) {
	if w.Tokens == nil {
		return notifier.Asker{}, &notifier.TokenError{Code: notifier.TokenInvalid}
	}
	token, err := w.Tokens.Verify(ctx, text)
	if err != nil {
		return notifier.Asker{}, err
	}
	return w.cached(ctx, sha256.Sum256([]byte(text)), func() (notifier.Asker, error) {
		user, err := w.People.Arrive(ctx, &token)
		return notifier.Asker{User: user, Session: token.Session(user.Seq).String(), Token: &token}, err
	})
}

// cached returns the copy of an asker who has not changed since, and reads them from SQL otherwise.
func (w *Who) cached(ctx context.Context, sum [sha256.Size]byte, read func() (notifier.Asker, error)) (notifier.Asker, error) {
	last, held := w.copies.GetIfPresent(sum)
	next := found{seen: w.Now()}
	if held && w.Stamps != nil {
		next.stamp, next.stamped = w.Stamps.Stamp(ctx, last.asker.User.Seq)
	}
	if last.stamped && next.stamped && last.stamp == next.stamp && next.seen.Sub(last.seen).Abs() < UserFresh {
		return last.asker, nil
	}
	asker, err := read()
	switch {
	case held && errors.Is(err, notifier.ErrUnavailable):
		return last.asker, nil
	case err != nil:
		w.copies.Invalidate(sum)
		return notifier.Asker{}, err
	}
	asker.Copy = next.seen.UnixNano()
	next.asker = asker
	next.stamped = next.stamped && asker.User.Seq == last.asker.User.Seq // it is of this user
	w.copies.Set(sum, next)
	return asker, nil
}
