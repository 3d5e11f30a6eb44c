package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/maypok86/otter/v2"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// Tokens verifies the tokens of host applications; see notifier/app.
type Tokens interface {
	// Verify returns a *notifier.TokenError for a token that is refused.
	Verify(ctx context.Context, token string) (notifier.UserToken, error)
	// KnowsOrigin reports whether pages of any app are at this origin.
	KnowsOrigin(ctx context.Context, origin string) bool
}

const (
	askerFresh = 2 * time.Second // a user is looked up again after this: a sign-out counts within seconds
	maxAskers  = 100_000
)

// asker is the user who makes a call about themselves.
type asker struct {
	user  notifier.User
	token notifier.UserToken
	sum   [sha256.Size]byte // of the token's text
	seen  time.Time
}

// session names what the streams and toasts of the user's page depend on.
func (a *asker) session() string { return a.token.Session(a.user.Seq).String() }

func (a *asker) reader() notifier.Reader {
	return notifier.Reader{Seq: a.user.Seq, Audience: a.user.Audience}
}

// askers finds out who makes the calls below /me.
type askers struct {
	*server
	known *otter.Cache[[sha256.Size]byte, *asker] // by token
	rates *buckets                                // by user
}

func newAskers(s *server) *askers {
	window := time.Second * UserBurst / UserRate
	return &askers{
		server: s, rates: newBuckets(s.UserRate*UserBurst/UserRate, window, s.Now),
		known: otter.Must(&otter.Options[[sha256.Size]byte, *asker]{MaximumSize: maxAskers}),
	}
}

type askerKey struct{}

func askerOf(ctx context.Context) *asker {
	a, _ := ctx.Value(askerKey{}).(*asker)
	return a
}

// admit lets a call of a user pass.
func (k *askers) admit(c huma.Context, next func(huma.Context)) {
	who, err := k.find(c)
	if err == nil {
		err = k.allow(c, who)
	}
	if err == nil && k.UserRate > 0 {
		if _, wait, ok := k.rates.take(who.user.Seq); !ok {
			err = &notifier.TooManyError{RetryAfter: wait}
		}
	}
	if err != nil {
		k.refuse(c, err)
		return
	}
	leave, err := k.room.enter(c)
	if err != nil {
		k.refuse(c, err)
		return
	}
	defer leave()
	next(huma.WithValue(c, askerKey{}, who))
}

// errTwice is a request with two identities. Which of them counted would be a matter of chance.
var errTwice = newProblem(http.StatusBadRequest, "There is more than one Authorization header.")

// find returns the user that the token of a call is about. While SQL is away, a user who was known goes
// on with the same token.
func (k *askers) find(c huma.Context) (*asker, error) {
	headers := 0
	c.EachHeader(func(name, _ string) {
		if strings.EqualFold(name, "Authorization") {
			headers++
		}
	})
	scheme, text, _ := strings.Cut(c.Header("Authorization"), " ")
	switch {
	case headers > 1:
		return nil, errTwice
	case headers == 0:
		return nil, notifier.ErrUnauthenticated
	case !strings.EqualFold(scheme, "Bearer"):
		return nil, &notifier.TokenError{Code: notifier.TokenInvalid}
	}
	text = strings.TrimSpace(text)
	if k.Tokens == nil {
		return nil, &notifier.TokenError{Code: notifier.TokenInvalid}
	}
	token, err := k.Tokens.Verify(c.Context(), text)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(text))
	known, held := k.known.GetIfPresent(sum)
	if now := k.Now(); held && now.Sub(known.seen).Abs() < askerFresh {
		return known, nil
	}
	user, err := k.People.Arrive(c.Context(), &token)
	switch {
	case held && errors.Is(err, notifier.ErrUnavailable):
		return known, nil
	case err != nil:
		k.known.Invalidate(sum)
		return nil, err
	}
	fresh := &asker{user, token, sum, k.Now()}
	k.known.Set(sum, fresh)
	return fresh, nil
}

// forget has a user looked up again at their next call.
func (k *askers) forget(who *asker) { k.known.Invalidate(who.sum) }

// allow checks the rights of a token, and that the page that uses it is one of its app's.
func (k *askers) allow(c huma.Context, who *asker) error {
	op := callOf(c.Operation())
	if who.token.ReadOnly && op.method != http.MethodGet {
		return coded(http.StatusForbidden, "scope_read", "The token may only read: its scope is read.")
	}
	origin := c.Header("Origin")
	if origin == "" || sameOrigin(origin, c.Host()) {
		return nil
	}
	for _, own := range who.token.App.Origins {
		if own == origin {
			return nil
		}
	}
	k.Log.WarnContext(c.Context(), "a page of another origin used a token", "app", who.token.App.Name, "origin", origin)
	return coded(http.StatusForbidden, "origin_refused", "The app of this token has no pages at "+origin+".")
}

// sameOrigin reports whether a page is served by this host.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// codedError is a problem with the member `code`, by which programs tell apart what has the same
// status.
type codedError struct {
	huma.ErrorModel
	Code string `json:"code"`
}

func coded(status int, code, detail string) *codedError {
	return &codedError{*newProblem(status, detail), code}
}

// refuse answers a call before its input is read.
func (k *askers) refuse(c huma.Context, err error) {
	var token *notifier.TokenError
	switch {
	case errors.As(err, &token):
		status := http.StatusUnauthorized
		if errors.Is(err, notifier.ErrForbidden) {
			status = http.StatusForbidden
		}
		detail := "The token is not valid."
		if token.Detail != "" {
			detail = "The token is not valid: " + token.Detail + "."
		}
		err = coded(status, string(token.Code), detail)
	case errors.Is(err, notifier.ErrUnauthenticated):
		c.SetHeader("WWW-Authenticate", `Bearer realm="carillon"`)
		_ = huma.WriteErr(k.api, c, http.StatusUnauthorized, "A token is required: Authorization: Bearer …")
		return
	}
	k.server.refuse(c, err)
}

// writeCoded answers a call with a problem that has a code.
func (s *server) writeCoded(c huma.Context, problem *codedError) {
	if problem.Status == http.StatusUnauthorized {
		c.SetHeader("WWW-Authenticate", `Bearer realm="carillon", error="invalid_token"`)
	}
	c.SetHeader("Content-Type", typeProblem)
	c.SetStatus(problem.Status)
	if err := json.NewEncoder(c.BodyWriter()).Encode(problem); err != nil {
		s.Log.LogAttrs(c.Context(), slog.LevelDebug, "could not answer", slog.String("request_id", web.Of(c.Context()).ID), slog.Any("err", err))
	}
}
