// Package asking finds out who makes a request, for the pages, the event stream and the API. The
// first identity that a request carries decides: a user token, then the identity header of a proxy, then a session. A bad one is never
// passed over for the next.
package asking

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

	"github.com/carillonhq/carillon/notifier"
)

// Tokens verifies the tokens of host applications; see notifier/app.
type Tokens interface {
	// Verify returns a *notifier.TokenError for a token that is refused.
	Verify(ctx context.Context, token string) (notifier.UserToken, error)
}

// People finds and adds users; see notifier/person.
type People interface {
	// Arrive returns the user of a token, who is added or changed as it says.
	Arrive(ctx context.Context, t *notifier.UserToken) (notifier.User, error)
	// Proxied returns the user whom a proxy names, who is added or changed as it says, and what their
	// streams depend on.
	Proxied(ctx context.Context, p notifier.ProxiedUser) (u notifier.User, session string, err error)
}

// Stamps detect changes of users; see internal/session.
type Stamps interface {
	// Stamp returns a text that differs after each change of the user. ok is false while Redis does not answer.
	Stamp(ctx context.Context, seq int64) (stamp string, ok bool)
}

// Config has what Who needs to find users. Interfaces may be nil: then nobody is known that way.
type Config struct {
	Tokens   Tokens
	People   People
	Stamps   Stamps // nil: users are looked up at every request
	Sessions sessions.Store
	Header   *Header          // nil: no proxy says who is asking
	Now      func() time.Time // nil: time.Now
}

// UserFresh is how long the copy of a user is believed whose stamp is still the same. A change counts at the next
// request, by the stamp; if Redis has lost that, it counts after this time.
const UserFresh = 5 * time.Second

const (
	maxUsers    = 100_000
	sessionName = "carillon"
)

// Who finds out who makes a request. It is safe for concurrent use.
type Who struct {
	Config
	known *otter.Cache[[sha256.Size]byte, found] // by token, or identity header
}

// found is the user of a token or an identity header, as SQL had them after the stamp was read.
type found struct {
	asker   notifier.Asker
	seen    time.Time
	stamp   string
	stamped bool // the stamp is known
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
// notifier.ErrUnavailable if the identity cannot be checked. While SQL is away, a user who was known goes
// on with the same token or header.
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
// which says nothing about users.
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
	return w.remembered(ctx, sha256.Sum256([]byte(text)), func() (notifier.Asker, error) {
		user, err := w.People.Arrive(ctx, &token)
		return notifier.Asker{User: user, Session: token.Session(user.Seq).String(), Token: &token}, err
	})
}

// remembered returns the cached asker if they have not changed since, and reads them from SQL otherwise.
func (w *Who) remembered(ctx context.Context, sum [sha256.Size]byte, look func() (notifier.Asker, error)) (notifier.Asker, error) {
	known, held := w.known.GetIfPresent(sum)
	next := found{seen: w.Now()}
	if held && w.Stamps != nil {
		next.stamp, next.stamped = w.Stamps.Stamp(ctx, known.asker.User.Seq)
	}
	if known.stamped && next.stamped && known.stamp == next.stamp && next.seen.Sub(known.seen).Abs() < UserFresh {
		return known.asker, nil
	}
	asker, err := look()
	switch {
	case held && errors.Is(err, notifier.ErrUnavailable):
		return known.asker, nil
	case err != nil:
		w.known.Invalidate(sum)
		return notifier.Asker{}, err
	}
	asker.Copy = next.seen.UnixNano()
	next.asker = asker
	next.stamped = next.stamped && asker.User.Seq == known.asker.User.Seq // it is of this user
	w.known.Set(sum, next)
	return asker, nil
}
