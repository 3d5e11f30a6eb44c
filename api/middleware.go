package api

import (
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/internal/web"
)

// middleware gives every answer the common headers, and answers panics and unknown addresses with a
// problem.
func (s *server) middleware(mux *http.ServeMux) http.Handler {
	routed := web.Routed(mux)
	site := web.Site{Log: s.Log, Now: s.Now, Proxies: s.TrustedProxies, Level: accessLevel, Fail: failed, Served: s.Served, Traced: s.Traced}
	return site.Wrap(s.sharing(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-store")
		if !clean(r.URL.EscapedPath()) {
			writeProblem(w, http.StatusNotFound, "This address does not exist.")
			return
		}
		if handler, pattern := mux.Handler(r); pattern == "" {
			nowhere(w, r, handler)
			return
		}
		routed.ServeHTTP(w, r)
	})))
}

// accessLevel logs successful calls at debug level only: there are too many of them.
func accessLevel(_ *http.Request, status int) slog.Level {
	if status >= http.StatusBadRequest {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// failed answers a call that panicked.
func failed(w http.ResponseWriter, _ *http.Request, err error) {
	_, _, detail := outcome(err)
	writeProblem(w, http.StatusInternalServerError, detail)
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
