package handlers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// maxBody is the largest request body, in bytes.
const maxBody = 64 << 10

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'"

// visit is what is known about a request while it is being answered.
type visit struct {
	id      string
	user    notifier.Signed
	known   bool // a user is signed in
	written bool // the response has begun
	status  int
}

type visitKey struct{}

func visitOf(r *http.Request) *visit {
	v, _ := r.Context().Value(visitKey{}).(*visit)
	return v
}

// middleware wraps every request, from the outside in.
func (h *Handlers) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{id: newRequestID()}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		aw := &answer{ResponseWriter: w, visit: v, byScript: r.Header.Get(formHeader) != ""}
		began := h.Now()
		defer func() {
			h.recovered(aw, r, recover())
			h.logAccess(r, v, h.Now().Sub(began))
		}()
		h.setHeaders(aw.Header(), v.id)
		if err := h.origin.Check(r); err != nil {
			h.fail(aw, r, fmt.Errorf("%w: %w", notifier.ErrForbidden, err))
			return
		}
		if r.ContentLength > maxBody {
			aw.Header().Set("Connection", "close")
			h.fail(aw, r, notifier.ErrTooLarge)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(aw, r)
	})
}

// always are the headers of every response, with canonical keys. All responses share the slices,
// so replace them; never change them in place.
var always = http.Header{
	"Content-Security-Policy":      {policy},
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"Referrer-Policy":              {"same-origin"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
}

func (h *Handlers) setHeaders(head http.Header, id string) {
	maps.Copy(head, always)
	head.Set("X-Request-Id", id)
	if h.secure {
		head.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// recovered answers a panic with an error page. http.ErrAbortHandler is passed on: the server
// cuts the connection.
func (h *Handlers) recovered(w *answer, r *http.Request, fault any) {
	if fault == nil {
		return
	}
	if err, ok := fault.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	h.Log.LogAttrs(r.Context(), slog.LevelError, "handler panicked",
		slog.String("path", r.URL.Path), slog.String("request_id", w.visit.id),
		slog.Any("err", fault), slog.String("stack", string(debug.Stack())))
	h.fail(w, r, fmt.Errorf("panic: %v", fault))
}

func (h *Handlers) logAccess(r *http.Request, v *visit, took time.Duration) {
	level := slog.LevelInfo
	if strings.HasPrefix(r.URL.Path, "/static/") || strings.HasSuffix(r.URL.Path, "z") {
		level = slog.LevelDebug // files and health checks
	}
	if !h.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", v.status),
		slog.Duration("duration", took), slog.String("request_id", v.id), slog.Int64("user_id", v.user.User.Seq),
		slog.String("address", h.addressOf(r)),
	}
	h.Log.LogAttrs(r.Context(), level, "request served", attrs...)
}

func newRequestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
