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

// request is an incoming request with its ID.
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

// length returns the announced length of the body in bytes, or -1 if none is announced.
func (r request) length() int64 {
	if r.Request == nil {
		return -1
	}
	return r.ContentLength
}

// requestID returns the ID of a request, as in the log and in the header X-Request-Id.
func requestID(ctx context.Context) string { return requestOf(ctx).id }

// answer is a response that remembers its status.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader sends the status. Later calls do nothing.
func (a *answer) WriteHeader(status int) {
	if a.status != 0 {
		return
	}
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Write sends part of the body.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap serves http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// middleware gives every request an ID and the common headers, answers panics and unknown
// addresses with a problem, and logs.
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
			writeProblem(a, http.StatusNotFound, "This address does not exist.")
			return
		}
		if handler, pattern := mux.Handler(r); pattern == "" {
			nowhere(a, r, handler)
			return
		}
		mux.ServeHTTP(a, r)
	})
}

// clean reports whether a path is in its canonical form. The mux would redirect any other.
func clean(escaped string) bool {
	tidy := path.Clean(escaped)
	return escaped == tidy || escaped == tidy+"/"
}

// nowhere answers a request for which the mux has no handler. The mux's own answer shows
// whether the address supports other methods.
func nowhere(w http.ResponseWriter, r *http.Request, mux http.Handler) {
	probe := &probe{head: http.Header{}}
	mux.ServeHTTP(probe, r)
	if allow := probe.head.Get("Allow"); allow != "" {
		methods := strings.Split(allow, ", ")
		slices.Sort(methods)
		w.Header().Set("Allow", strings.Join(methods, ", "))
		writeProblem(w, http.StatusMethodNotAllowed, "This address does not support that method.")
		return
	}
	writeProblem(w, http.StatusNotFound, "This address does not exist.")
}

// probe is a response that keeps only its headers.
type probe struct{ head http.Header }

func (p *probe) Header() http.Header         { return p.head }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(int)             {}

// recovered logs a panic and answers with a problem. An abort is passed on: the server then
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

// logAccess logs the requests that were refused or failed. Successful ones are logged at
// debug level only, as there are too many of them.
func (s *server) logAccess(r *http.Request, status int, id string, took time.Duration) {
	level := slog.LevelDebug
	if status >= http.StatusBadRequest {
		level = slog.LevelInfo
	}
	if !s.Log.Enabled(r.Context(), level) {
		return
	}
	s.Log.LogAttrs(r.Context(), level, "call served", slog.String("method", r.Method), slog.String("path", r.URL.Path),
		slog.Int("status", status), slog.Duration("duration", took), slog.String("request_id", id), slog.String("address", s.Address(r)))
}
