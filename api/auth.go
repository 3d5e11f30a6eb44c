package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

type callerKey struct{}

// callerOf returns the key that a call was made with.
func callerOf(ctx context.Context) notifier.APIKey {
	key, _ := ctx.Value(callerKey{}).(notifier.APIKey)
	return key
}

// senderOf returns the sender of the notices that are sent with a key. All keys of one name
// share their notices, so that a new key can replace an old one.
func senderOf(key notifier.APIKey) notifier.Ref { return notifier.KeyRef(key.Name) }

// admit lets a call pass if its key allows it and is within its rate limit. The body takes room
// until the call has its answer.
func (s *server) admit(c huma.Context, next func(huma.Context)) {
	if callOf(c.Operation()).user {
		s.askers.admit(c, next)
		return
	}
	key, err := s.authenticate(c)
	if err == nil {
		err = s.keyInBrowser(c, key)
	}
	if err == nil && !key.Allows(scopeOf(c.Operation())) {
		err = s.scopeMissing(c, key)
	}
	if err == nil {
		err = s.count(c, key)
	}
	if err != nil {
		s.refuse(c, err)
		return
	}
	body := s.room.seat(key.ID)
	defer body.leave()
	next(huma.WithValue(huma.WithValue(c, seatKey{}, body), callerKey{}, key))
}

// scopeMissing names the scope that a call needs and those of the key.
func (*server) scopeMissing(c huma.Context, key notifier.APIKey) error {
	need, has := string(scopeOf(c.Operation())), make([]string, len(key.Scopes))
	for i, scope := range key.Scopes {
		has[i] = string(scope)
	}
	if need != string(notifier.ScopeAdmin) {
		need += " or " + string(notifier.ScopeAdmin)
	}
	return newProblem(http.StatusForbidden, "scope_missing", "The call needs a key with the scope "+need+". This one has "+strings.Join(has, " and ")+".")
}

// bearerOf returns the text after Bearer in the header Authorization.
func bearerOf(c huma.Context) string {
	_, token, _ := strings.Cut(c.Header("Authorization"), " ")
	return strings.TrimSpace(token)
}

func (s *server) authenticate(c huma.Context) (notifier.APIKey, error) {
	scheme, _, _ := strings.Cut(c.Header("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return notifier.APIKey{}, notifier.ErrUnauthenticated
	}
	return s.ring.find(c.Context(), bearerOf(c))
}

// count takes one request from the allowance of a key and reports the rest of it in the
// RateLimit headers.
func (s *server) count(c huma.Context, key notifier.APIKey) error {
	if s.Rate == 0 {
		return nil
	}
	remaining, reset, ok := s.buckets.take(key.ID)
	c.SetHeader("RateLimit-Policy", `"key";q=`+strconv.Itoa(s.Rate)+";w="+seconds(limitWindow))
	c.SetHeader("RateLimit", `"key";r=`+strconv.Itoa(remaining)+";t="+seconds(reset))
	if !ok {
		return &notifier.TooManyError{RetryAfter: reset}
	}
	return nil
}

// seconds formats a duration as whole seconds, rounded up.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// refuse answers a call with an error before its input is read.
func (s *server) refuse(c huma.Context, err error) {
	p := s.problem(c.Context(), err)
	var he huma.HeadersError
	if errors.As(p, &he) {
		for name, values := range he.GetHeaders() {
			for _, v := range values {
				c.SetHeader(name, v)
			}
		}
	}
	known := newProblem(http.StatusInternalServerError, "", "")
	_ = errors.As(p, &known)
	c.SetHeader("Content-Type", typeProblem)
	c.SetStatus(known.Status)
	if err := json.NewEncoder(c.BodyWriter()).Encode(known); err != nil {
		s.Log.LogAttrs(c.Context(), slog.LevelDebug, "could not answer", slog.String("request_id", web.Of(c.Context()).ID), slog.Any("err", err))
	}
}
