package api

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rs/cors"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// mePath is the path below which users ask for themselves, from pages of other origins too.
const mePath = "/me"

// preflightLife is how long a browser may remember that a page may ask, in seconds.
const preflightLife = 7200

// sharing lets the pages of apps make the calls below /me. No cookie counts in such a call: only a
// token identifies the caller. All other calls stay closed to pages of other origins.
func (s *server) sharing(next http.Handler) http.Handler {
	if s.Who == nil {
		return next
	}
	open := cors.New(cors.Options{
		AllowOriginVaryRequestFunc: func(r *http.Request, origin string) (bool, []string) {
			return s.knowsOrigin(r.Context(), origin), nil
		},
		AllowedMethods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"Authorization", "Content-Type", "If-None-Match"},
		ExposedHeaders: []string{"ETag", "Retry-After"},
		MaxAge:         preflightLife,
	}).Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, prefix)
		if path != mePath && !strings.HasPrefix(path, mePath+"/") {
			next.ServeHTTP(w, r)
			return
		}
		origin := r.Header.Get("Origin")
		if origin != "" && !s.isOwn(origin, r.Host) && !s.knowsOrigin(r.Context(), origin) {
			s.refused.refuse(r.Context(), "", origin)
			send(w, newProblem(http.StatusForbidden, "origin_refused", "No app has pages at this origin."))
			return
		}
		forgetFresh(r)
		open.ServeHTTP(w, r)
	})
}

// freshParameter makes an address new: a service worker of a page, which may keep every answer, has not seen it before.
const freshParameter = "_"

// forgetFresh takes freshParameter off a query, as it means nothing here.
func forgetFresh(r *http.Request) {
	if query := r.URL.Query(); query.Has(freshParameter) {
		query.Del(freshParameter)
		r.URL.RawQuery = query.Encode()
	}
}

// knowsOrigin reports whether pages at this origin may ask as users of an app.
func (s *server) knowsOrigin(ctx context.Context, origin string) bool {
	return s.Demo && onLoopback(origin) || s.Tokens.KnowsOrigin(ctx, origin)
}

// originOf returns the origin of a URL; empty for an empty one.
func originOf(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", err
	}
	return u.Scheme + "://" + u.Host, nil
}

// isOwn reports whether a page is served by Carillon's own host: the host of the request, or the host of the public URL. They
// differ behind a proxy that passes on another host.
func (s *server) isOwn(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && (origin == s.home || strings.EqualFold(u.Host, host))
}

// onLoopback reports whether a page is served by this machine for itself.
func onLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
}

// keyInBrowser refuses an API key that a web page has sent, so everybody who opens the page can read it.
// Once an hour the audit log names the key.
func (s *server) keyInBrowser(c huma.Context, key notifier.APIKey) error {
	origin := c.Header("Origin")
	if origin == "" || s.isOwn(origin, c.Host()) {
		return nil
	}
	if _, _, first := s.shown.take(key.ID); first {
		web.Record(c.Context(), s.Audit, s.Log, notifier.AuditEntry{
			Actor: senderOf(key), Action: "key.in_browser", Object: senderOf(key), Detail: fmt.Sprintf("%.100q", origin), Address: web.Of(c.Context()).Address,
		})
	}
	return newProblem(http.StatusForbidden, "key_in_browser",
		"A web page has sent the key "+key.Name+", so it is no longer secret: revoke it. Pages use user tokens.")
}
