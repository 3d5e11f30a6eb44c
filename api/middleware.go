package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

type requestKey struct{}

// request is one that came, and its number.
type request struct {
	*http.Request
	id string
}

func requestOf(ctx context.Context) request {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		return request{}
	}
	return *r
}

// requestID is the number of a request in log and answer.
func requestID(ctx context.Context) string { return requestOf(ctx).id }

// answer remembers what was written.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader sends the status, the first time.
func (a *answer) WriteHeader(status int) {
	if a.status != 0 {
		return
	}
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// middleware is what happens to every request, from the outside in.
func (s *server) middleware(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		id := hex.EncodeToString(b[:])
		a := &answer{ResponseWriter: w}
		began := s.Now()
		head := w.Header()
		head.Set("X-Request-Id", id)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-store")
		defer func() {
			s.recovered(a, r, id, recover())
			s.logAccess(r, a.status, id, s.Now().Sub(began))
		}()
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, &request{r, id}))
		if !clean(r.URL.EscapedPath()) {
			writeProblem(a, http.StatusNotFound, "There is no such address.")
			return
		}
		if handler, pattern := mux.Handler(r); pattern == "" {
			nowhere(a, r, handler)
			return
		}
		mux.ServeHTTP(a, r)
	})
}

// clean keeps out what the mux would send elsewhere.
func clean(escaped string) bool {
	tidy := path.Clean(escaped)
	return escaped == tidy || escaped == tidy+"/"
}

// nowhere answers where the mux knows no handler: it tells in its own answer
// whether another method would do.
func nowhere(w http.ResponseWriter, r *http.Request, mux http.Handler) {
	probe := &probe{head: http.Header{}}
	mux.ServeHTTP(probe, r)
	if allow := probe.head.Get("Allow"); allow != "" {
		methods := strings.Split(allow, ", ")
		slices.Sort(methods)
		w.Header().Set("Allow", strings.Join(methods, ", "))
		writeProblem(w, http.StatusMethodNotAllowed, "This address does not take that method.")
		return
	}
	writeProblem(w, http.StatusNotFound, "There is no such address.")
}

// probe takes an answer for its headers.
type probe struct{ head http.Header }

func (p *probe) Header() http.Header         { return p.head }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(int)             {}

// recovered answers a panic with a problem. An abort is passed on: the server
// cuts the connection.
func (s *server) recovered(w *answer, r *http.Request, id string, reason any) {
	if reason == nil {
		return
	}
	if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	s.Log.LogAttrs(r.Context(), slog.LevelError, "call panicked", slog.String("path", r.URL.Path), slog.String("request_id", id),
		slog.String("err", fmt.Sprint(reason)), slog.String("stack", string(debug.Stack())))
	if w.status == 0 {
		_, detail := outcome(errors.New("panic"))
		writeProblem(w, http.StatusInternalServerError, detail)
	}
}

// logAccess tells of what went wrong. Of what went well there is too much.
func (s *server) logAccess(r *http.Request, status int, id string, took time.Duration) {
	level := slog.LevelDebug
	if status >= http.StatusBadRequest {
		level = slog.LevelInfo
	}
	if !s.Log.Enabled(r.Context(), level) {
		return
	}
	s.Log.LogAttrs(r.Context(), level, "call served", slog.String("method", r.Method), slog.String("path", r.URL.Path),
		slog.Int("status", status), slog.Duration("duration", took), slog.String("request_id", id))
}
