package instance

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A command line may hold secrets, and a page of another site may lead a name of its own to this address.
func TestProfilesAreForOperatorsOnly(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	profile(mux, "metrics.example.com:9090")
	for _, test := range []struct {
		host, path string
		want       int
	}{
		{"127.0.0.1:9090", "/debug/pprof/", http.StatusOK},
		{"[::1]:9090", "/debug/pprof/symbol", http.StatusOK},
		{"localhost:9090", "/debug/pprof/goroutine", http.StatusOK},
		{"carillon:9090", "/debug/pprof/", http.StatusOK},
		{"metrics.example.com:9090", "/debug/pprof/", http.StatusOK},
		{"evil.example.com:9090", "/debug/pprof/heap", http.StatusMisdirectedRequest},
		{"evil.example.com:9090", "/debug/pprof/profile", http.StatusMisdirectedRequest},
		{"127.0.0.1.evil.example", "/debug/pprof/", http.StatusMisdirectedRequest},
		{"127.0.0.1:9090", "/debug/pprof/cmdline", http.StatusNotFound},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, test.path, nil)
		r.Host = test.host
		mux.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s%s: %d, want %d", test.host, test.path, w.Code, test.want)
		}
	}
}
