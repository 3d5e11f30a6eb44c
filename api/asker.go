package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

// askers lets users make the calls below /me.
type askers struct {
	*server
	rates *buckets // by user
	own   *http.CrossOriginProtection
}

func newAskers(s *server) (*askers, error) {
	window := time.Second * UserBurst / UserRate
	k := &askers{s, newBuckets(s.UserRate*UserBurst/UserRate, window, s.Now), http.NewCrossOriginProtection()}
	if s.home == "" {
		return k, nil
	}
	if err := k.own.AddTrustedOrigin(s.home); err != nil {
		return nil, fmt.Errorf("trust the public URL: %w", err)
	}
	return k, nil
}

// userCall is a request of a user.
type userCall struct {
	asker   notifier.Asker
	request *http.Request
}

type userCallKey struct{}

func userCallOf(ctx context.Context) *userCall {
	c, _ := ctx.Value(userCallKey{}).(*userCall)
	return c
}

// askerOf returns the user who makes a call about themselves.
func askerOf(ctx context.Context) *notifier.Asker { return &userCallOf(ctx).asker }

// admit lets a call of a user pass. Its body must be small: users have no room for large ones.
func (k *askers) admit(c huma.Context, next func(huma.Context)) {
	r, _ := humago.Unwrap(c)
	who, err := k.Who.Find(r)
	if err == nil {
		err = k.allow(r, &who)
	}
	if err == nil && k.UserRate > 0 {
		if _, wait, ok := k.rates.take(who.User.Seq); !ok {
			err = &notifier.TooManyError{RetryAfter: wait}
		}
	}
	if err != nil {
		k.refuse(c, err)
		return
	}
	next(huma.WithValue(c, userCallKey{}, &userCall{who, r}))
}

// allow checks the rights of a user: a token that may only read changes nothing, its pages are those
// of its app, and a session counts on our own pages only.
func (k *askers) allow(r *http.Request, who *notifier.Asker) error {
	if who.ReadOnly() && r.Method != http.MethodGet {
		return newProblem(http.StatusForbidden, "scope_read", "The token may only read: its scope is read.")
	}
	origin := r.Header.Get("Origin")
	own := origin == "" || k.isOwn(origin, r.Host)
	switch {
	case who.Token == nil && own && k.own.Check(r) == nil, who.Token != nil && own:
		return nil
	case who.Token == nil:
		return newProblem(http.StatusForbidden, "origin_refused", "A session counts on pages of this host only. Other pages use user tokens.")
	case slices.Contains(who.Token.App.Origins, origin), k.Demo && onLoopback(origin):
		return nil
	}
	k.refused.refuse(r.Context(), who.Token.App.Name, origin)
	return newProblem(http.StatusForbidden, "origin_refused", "The app of this token has no pages at "+cleanOrigin(origin)+".")
}

// refuse answers a call before its input is read.
func (k *askers) refuse(c huma.Context, err error) {
	var token *notifier.TokenError
	if errors.Is(err, notifier.ErrUnauthenticated) && c.Header("Authorization") != "" && !errors.As(err, &token) {
		err = &notifier.TokenError{Code: notifier.TokenInvalid} // of another scheme
	}
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
		if _, key := app.HashAPIKey(bearerOf(c)); key {
			detail = "This is an API key. Calls below /me take the token of a user, which your application signs, or a session."
			token.Code = "key_not_token"
		}
		c.SetHeader("WWW-Authenticate", `Bearer realm="carillon", error="invalid_token"`)
		err = newProblem(status, string(token.Code), detail)
	case errors.Is(err, notifier.ErrAmbiguous):
		err = newProblem(http.StatusBadRequest, "ambiguous_identity", "There is more than one Authorization header.")
	case errors.Is(err, notifier.ErrBadIdentity):
		err = newProblem(http.StatusBadRequest, "identity_invalid", "The identity header must name one user, by 1 to 200 bytes without control characters.")
	case errors.Is(err, notifier.ErrUnauthenticated):
		c.SetHeader("WWW-Authenticate", `Bearer realm="carillon"`)
		err = newProblem(http.StatusUnauthorized, "", "A token is required: Authorization: Bearer …")
	}
	k.server.refuse(c, err)
}
