package config_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
)

func TestEveryResponseHasTheHSTSHeader(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		public string
		scope  config.HSTS
		want   string
	}{
		{"https://bell.example", config.HSTSHost, "max-age=31536000"},
		{"https://bell.example", config.HSTSSubdomains, "max-age=31536000; includeSubDomains"},
		{"https://bell.example", config.HSTSOff, ""},
		{"http://bell.example", config.HSTSSubdomains, ""},
	} {
		public, err := url.Parse(test.public)
		if err != nil {
			t.Fatal(err)
		}
		c := config.Config{PublicURL: public, HSTS: test.scope}
		w := httptest.NewRecorder()
		c.StrictTransport(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/me", nil))
		if got := w.Header().Get("Strict-Transport-Security"); got != test.want {
			t.Errorf("%s, %s: %q, want %q", test.public, test.scope, got, test.want)
		}
	}
}
