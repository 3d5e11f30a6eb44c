package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/carillonhq/carillon/internal/testkit"
)

// collected is a trace collector that stores all spans.
type collected struct {
	mu    sync.Mutex
	spans []*trace.Span
	text  strings.Builder // everything received
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var got trace.TracesData
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &got) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.WriteString(got.String())
	for _, resource := range got.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
}

// An application that is itself traced sends a notice. Its trace continues through the API, SQL, the stream of
// accepted notices and the delivering script.
func TestATraceLeadsFromTheAPIToTheInbox(t *testing.T) {
	t.Parallel()
	const of, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	var got collected
	server := httptest.NewServer(&got)
	defer server.Close()
	c := in(t.TempDir()).with("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	must(t, c.run(t.Context(), "user", "add", "zacharias"))
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "send,read")).out)
	s := serve(t, c)
	call := func(method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Traceparent", "00-"+of+"-"+caller+"-01")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(answer)
	}
	if status, answer := call(http.MethodPost, "/notices", `{"target": {"users": ["zacharias"]}, "type": "order", "title": "Quetzal", "body": "Xylophone"}`); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, answer)
	}
	testkit.Eventually(t, "it is delivered", func() bool {
		_, answer := application(t, s, key, http.MethodGet, "/users/zacharias/notices", "")
		return strings.Contains(answer, "Quetzal")
	})
	s.stop() // sends the remaining spans

	got.mu.Lock()
	defer got.mu.Unlock()
	parents, names := map[string]string{}, map[string]string{}
	var seen []string
	for _, span := range got.spans {
		if hex.EncodeToString(span.GetTraceId()) != of {
			continue
		}
		id := hex.EncodeToString(span.GetSpanId())
		parents[id], names[id] = hex.EncodeToString(span.GetParentSpanId()), span.GetName()
		seen = append(seen, span.GetName())
	}
	chain := func(name string) (way []string) {
		for id, is := range names {
			if is != name {
				continue
			}
			for way = nil; id != caller && id != ""; id = parents[id] {
				way = append(way, names[id])
			}
			if id == caller {
				break
			}
		}
		slices.Reverse(way)
		return way
	}
	if want := []string{"POST /api/v1/notices", "deliver", "redis deliver_notice"}; !slices.Equal(chain("redis deliver_notice"), want) {
		t.Errorf("the way to the inbox is %v in %v, want %v", chain("redis deliver_notice"), seen, want)
	}
	if want := []string{"POST /api/v1/notices", "sql accept"}; !slices.Equal(chain("sql accept"), want) {
		t.Errorf("the way to SQL is %v in %v, want %v", chain("sql accept"), seen, want)
	}
	for _, named := range []string{"zacharias", "Quetzal", "Xylophone", key} {
		if strings.Contains(got.text.String(), named) {
			t.Errorf("%q is in the spans", named)
		}
	}
	if !strings.Contains(got.text.String(), "/api/v1/users/{name}/notices") {
		t.Error("requests of callers without a trace have no span")
	}
}
