package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestEveryKindOfAnswerIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"5"`)
		switch {
		case r.Header.Get("If-None-Match") == `"5"`:
			w.WriteHeader(http.StatusNotModified)
		case r.URL.Path == "/long": // sent in chunks
			_, _ = fmt.Fprint(w, strings.Repeat("x", 10_000))
		default:
			_, _ = fmt.Fprint(w, "short")
		}
	}))
	t.Cleanup(srv.Close)
	addr := srv.Listener.Addr().String()
	c, err := DialPage(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask := func(path, header string, want Answer) {
		t.Helper()
		got, err := c.Ask([]byte("GET " + path + " HTTP/1.1\r\nHost: h\r\n" + header + "\r\n"))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", path, got, err, want)
		}
	}
	ask("/", "", Answer{Status: 200, Bytes: 5, ETag: `"5"`})
	ask("/long", "", Answer{Status: 200, Bytes: 10_000, ETag: `"5"`})
	ask("/", "If-None-Match: \"5\"\r\n", Answer{Status: 304, ETag: `"5"`})
	ask("/", "Connection: close\r\n", Answer{Status: 200, Bytes: 5, ETag: `"5"`, Close: true})

	cfg := PageConfig{Addr: addr, Conns: 3, Requests: 50, Status: 200, Request: func(int) []byte {
		return []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	}}
	r, err := Pages(t.Context(), cfg)
	if err != nil || r.Latency.Total() != 50 || r.Bytes != 5 {
		t.Errorf("%d pages of %d bytes, %v; want 50 of 5", r.Latency.Total(), r.Bytes, err)
	}
	cfg.Status = 304
	if _, err := Pages(t.Context(), cfg); err == nil {
		t.Error("an answer with another status was counted")
	}
}
