package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

type pathKey struct{}

// Mount serves requests below path, the path of the public URL, such as /notifications, by next. Everything beside it is 404,
// except for these addresses, which answer with and without it. An empty path serves everything. Handlers and views use
// addresses without the path, such as /inbox: Mount removes it from each request, and At adds it to each address that is sent.
func Mount(path string, next http.Handler, beside ...string) http.Handler {
	if path == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		escaped := r.URL.EscapedPath()
		rest, below := strings.CutPrefix(escaped, path)
		switch {
		case slices.Contains(beside, escaped):
			rest = escaped
		case below && rest == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			w.Header().Set("Location", path+"/")
			w.WriteHeader(http.StatusPermanentRedirect)
			return
		case !below || !plain(rest):
			w.Header().Set("X-Content-Type-Options", "nosniff")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("This address does not exist.\n")) // the client may have gone
			return
		}
		inside := r.WithContext(context.WithValue(r.Context(), pathKey{}, path))
		u := *r.URL
		u.Path, u.RawPath = unescaped(rest), rest
		inside.URL = &u
		next.ServeHTTP(w, inside)
	})
}

// At returns the address that browsers use for a path of our own. It leaves everything else as it is:
// fragments, queries and addresses of other hosts.
func At(ctx context.Context, address string) string {
	if !strings.HasPrefix(address, "/") {
		return address
	}
	return Base(ctx) + address
}

// Inside removes the path from an address that a browser has sent, the reverse of At. An address without
// the path stays as it is.
func Inside(ctx context.Context, address string) string {
	path := Base(ctx)
	if rest, ok := strings.CutPrefix(address, path); ok && path != "" && strings.HasPrefix(rest, "/") {
		return rest
	}
	return address
}

// Base returns the path that a request was served below; it is empty at the top of the host.
func Base(ctx context.Context) string {
	path, _ := ctx.Value(pathKey{}).(string)
	return path
}

// plain reports whether a path leads where it seems to: it begins with a slash, and no segment is
// empty but the last, or a dot segment in any spelling.
func plain(escaped string) bool {
	segments := strings.Split(escaped, "/")
	if segments[0] != "" || len(segments) < 2 {
		return false
	}
	for i, s := range segments[1:] {
		switch unescaped(s) {
		case ".", "..":
			return false
		case "":
			if i < len(segments)-2 {
				return false
			}
		}
	}
	return true
}

// unescaped decodes a path that the server has decoded before.
func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
