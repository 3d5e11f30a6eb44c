// Package web wraps every request for a page or for the API: it gives the request an id, finds the
// client's address, records the response, answers a panic, and writes the access log. It also serves an instance below a path of a
// host.
package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

// Exchange is a request and the state of its response so far. One goroutine at a time may
// use it.
type Exchange struct {
	ID      string // 16 hex digits, also in the header X-Request-Id
	Address string // the client's IP address
	Length  int64  // of the request's body in bytes, as announced; -1: not announced
	Status  int    // 0: the response has not begun
	Bytes   int64  // of the response's body, without those sent after a handler has taken over the connection
	Route   string // the pattern that Routed has found; empty: none
}

type exchangeKey struct{}

// Of returns the exchange that a context belongs to. Outside of a request it is empty, with the
// Length -1.
func Of(ctx context.Context) *Exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return x
	}
	return &Exchange{Length: -1}
}

// Site configures how requests are wrapped. Begin, Attrs, Served and Traced may be nil.
type Site struct {
	Log     *slog.Logger
	Now     func() time.Time
	Proxies Proxies
	// Begin returns the context that the handler, Attrs and Fail get for an exchange.
	Begin func(ctx context.Context, x *Exchange) context.Context
	// Level returns the level of a request's line in the access log.
	Level func(r *http.Request, status int) slog.Level
	// Attrs returns what the line has besides the exchange.
	Attrs func(ctx context.Context) []slog.Attr
	// Fail answers a request whose handler panicked, unless the response has begun.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
	// Served is called after each request.
	Served Served
	// Traced is called before each request; nil: there are no traces.
	Traced Traced
}

// Served is called with the method of a request, the pattern of its route, the status of its response and how
// long it took. The route is empty if no pattern was found, and the status 0 if a handler took over the
// connection.
type Served func(method, route string, status int, took time.Duration)

// Traced begins the span of a request. It returns the context with the span, and how to end it with the
// pattern and the status that Served is called with.
type Traced func(ctx context.Context, r *http.Request) (with context.Context, end func(route string, status int))

// Routed returns a handler that notes in the exchange which pattern of mux served the request.
func Routed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := Of(r.Context())
		defer func() { x.Route = r.Pattern }() // mux has set it by then
		mux.ServeHTTP(w, r)
	})
}

// Wrap returns a handler that answers requests by next.
func (s *Site) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &Exchange{ID: newID(), Address: s.Proxies.Address(r), Length: r.ContentLength}
		ctx := context.WithValue(r.Context(), exchangeKey{}, x)
		traced := func(string, int) {}
		if s.Traced != nil {
			ctx, traced = s.Traced(ctx, r)
		}
		if s.Begin != nil {
			ctx = s.Begin(ctx, x)
		}
		r = r.WithContext(ctx)
		rec := &recorder{w, x}
		began := s.Now()
		defer func() {
			s.recovered(rec, r, recover())
			took := s.Now().Sub(began)
			traced(x.Route, x.Status)
			if s.Served != nil {
				s.Served(r.Method, x.Route, x.Status, took)
			}
			s.logAccess(r, x, took)
		}()
		w.Header().Set("X-Request-Id", x.ID)
		next.ServeHTTP(rec, r)
	})
}

// recovered answers a panic. http.ErrAbortHandler is passed on: the server cuts the connection.
func (s *Site) recovered(rec *recorder, r *http.Request, reason any) {
	if reason == nil {
		return
	}
	if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	s.Log.LogAttrs(r.Context(), slog.LevelError, "handler panicked",
		slog.String("path", Shown(r)), slog.String("request_id", rec.ID),
		slog.Any("err", reason), slog.String("stack", string(debug.Stack())))
	if rec.Status == 0 {
		s.Fail(rec, r, fmt.Errorf("panic: %v", reason))
	}
}

// logAccess writes the line of a request. It has no query, no body and no header: they may hold
// secrets.
func (s *Site) logAccess(r *http.Request, x *Exchange, took time.Duration) {
	level := s.Level(r, x.Status)
	if !s.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", Shown(r)), slog.Int("status", x.Status),
		slog.Int64("bytes", x.Bytes), slog.Duration("duration", took), slog.String("request_id", x.ID),
		slog.String("address", x.Address),
	}
	if s.Attrs != nil {
		attrs = append(attrs, s.Attrs(r.Context())...)
	}
	s.Log.LogAttrs(r.Context(), level, "request served", attrs...)
}

// Shown returns the path of a request for logs. A path that holds a token, which is a right, is given by its
// pattern.
func Shown(r *http.Request) string {
	route := cmp.Or(Of(r.Context()).Route, r.Pattern) // the first once mux has answered, the second until then
	if _, path, _ := strings.Cut(route, "/"); strings.Contains(path, "{token}") {
		return "/" + path
	}
	return r.URL.Path
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// recorder records the status and the length of a response. The event stream takes over the
// connection through Unwrap.
type recorder struct {
	http.ResponseWriter
	*Exchange
}

// WriteHeader sends the status. Later calls do nothing.
func (rec *recorder) WriteHeader(status int) {
	if rec.Status != 0 {
		return
	}
	rec.Status = status
	rec.ResponseWriter.WriteHeader(status)
}

// Write sends part of the body.
func (rec *recorder) Write(b []byte) (int, error) {
	if rec.Status == 0 {
		rec.WriteHeader(http.StatusOK)
	}
	n, err := rec.ResponseWriter.Write(b)
	rec.Bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }
