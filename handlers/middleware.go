package handlers

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// maxBody is the maximum size of a request body, in bytes, but for imports.
const maxBody = 64 << 10

// bodyLimit returns the maximum size of the body of a request, in bytes.
func bodyLimit(r *http.Request) int64 {
	if r.URL.Path == importPath {
		return maxImport
	}
	return maxBody
}

// maxOriginHost is the maximum length of a logged host, in bytes.
const maxOriginHost = 260

// policyOf returns the policy of the pages, which may show pictures of these hosts.
func policyOf(imageHosts []string) string {
	images := strings.Join(append([]string{"img-src 'self' data:"}, notifier.ImageSources(imageHosts)...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; " + images + "; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'"
}

// visit holds a request's data while it is processed.
type visit struct {
	*web.Exchange
	user  notifier.Asker
	known bool // the user is signed in
}

type visitKey struct{}

func visitOf(r *http.Request) *visit {
	v, _ := r.Context().Value(visitKey{}).(*visit)
	return v
}

// middleware wraps every request, from the outside in.
func (h *Handlers) middleware(next http.Handler) http.Handler {
	site := web.Site{
		Log: h.Log, Now: h.Now, Proxies: h.TrustedProxies, Level: accessLevel, Fail: h.fail, Served: h.Served, Traced: h.Traced,
		Begin: func(ctx context.Context, x *web.Exchange) context.Context {
			return context.WithValue(ctx, visitKey{}, &visit{Exchange: x})
		},
		Attrs: func(ctx context.Context) []slog.Attr {
			v, _ := ctx.Value(visitKey{}).(*visit)
			return []slog.Attr{slog.Int64("user_id", v.user.User.Seq)}
		},
	}
	return site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), h.headers)
		if r.Header.Get(formHeader) != "" {
			w = &scripted{w}
		}
		if err := h.origin.Check(r); err != nil {
			h.otherOrigin(r.Context(), r)
			h.fail(w, r, fmt.Errorf("%w: %w", errOrigin, err))
			return
		}
		if r.ContentLength > bodyLimit(r) {
			w.Header().Set("Connection", "close")
			h.fail(w, r, notifier.ErrTooLarge)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, bodyLimit(r))
		next.ServeHTTP(w, r)
	}))
}

// otherOrigin logs, once per process, why a form was refused. The usual cause is a proxy that does not pass on the
// Host header, and then every form is refused.
func (h *Handlers) otherOrigin(ctx context.Context, r *http.Request) {
	h.refusedOrigin.Do(func() {
		h.Log.LogAttrs(ctx, slog.LevelWarn, "a form was refused: it comes from another address than the one that is asked",
			slog.String("host", r.Host), slog.String("origin", hostOf(r.Header.Get("Origin"))),
			slog.String("cure", "let the proxy pass on the host (nginx: proxy_set_header Host $host), or set --public-url to the address that browsers use"))
	})
}

// hostOf returns the host and port of an origin, or "unreadable" if it is invalid or too long: clients choose its
// length.
func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil || len(u.Host) > maxOriginHost {
		return "unreadable"
	}
	return u.Host
}

// accessLevel logs static files and health checks at debug level only.
func accessLevel(r *http.Request, _ int) slog.Level {
	if strings.HasPrefix(r.URL.Path, "/static/") || strings.HasSuffix(r.URL.Path, "z") {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// headersOf returns the headers of every response, with canonical keys. All responses share the slices, so replace
// them; never change them in place.
func headersOf(policy string) http.Header {
	return http.Header{
		"Content-Security-Policy":      {policy},
		"X-Content-Type-Options":       {"nosniff"},
		"X-Frame-Options":              {"DENY"},
		"Referrer-Policy":              {"same-origin"},
		"Cross-Origin-Opener-Policy":   {"same-origin"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
	}
}

// formHeader marks a form submitted by script; see static/js/forms.js.
const formHeader = "Carillon-Form"

// scripted is the response to a form submitted by script, which loads the next page itself. With a 303 the page would
// be fetched twice, and a page that is shown only once would be lost.
type scripted struct{ http.ResponseWriter }

func (s *scripted) WriteHeader(status int) {
	if status == http.StatusSeeOther {
		status = http.StatusNoContent // with the Location header
	}
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap supports http.ResponseController.
func (s *scripted) Unwrap() http.ResponseWriter { return s.ResponseWriter }
