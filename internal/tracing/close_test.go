package tracing_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/tracing"
)

// A collector that accepts a request and never responds does not delay the end: the spans are lost instead.
func TestACollectorThatHangsDoesNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	defer s.Close()
	defer close(end)
	traces, err := tracing.Open(t.Context(), tracing.Collector{URL: s.URL, Headers: http.Header{}}, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, done := traces.Request(t.Context(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/inbox", nil), false)
	done("GET /inbox", http.StatusOK)
	began := time.Now()
	if err := traces.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 8*time.Second { // sending alone would take ten
		t.Errorf("it took %v", took)
	}
}
