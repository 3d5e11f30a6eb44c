package notices_test

import (
	"encoding/hex"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

// A notice that no instance claimed at first, as at the start of a server, still belongs to its sender's trace.
func TestNoticesThatWaitInSQLAreDeliveredInTheTraceOfTheirSender(t *testing.T) {
	t.Parallel()
	of := make(chan string, 10) // the traces of deliveries
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var got trace.TracesData
		if err != nil || proto.Unmarshal(body, &got) != nil {
			t.Errorf("read spans: %v", err)
		}
		for _, resource := range got.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					if span.GetName() == "deliver" {
						of <- hex.EncodeToString(span.GetTraceId())
					}
				}
			}
		}
	}))
	defer collector.Close()
	traces, err := tracing.Open(t.Context(), tracing.Collector{URL: collector.URL, Headers: http.Header{}}, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 300)
	c := r.config()
	c.Chunk, c.Wait, c.Traces = 100, 0, traces
	p := notices.New(c) // does not run yet
	var all []int64
	want := map[string]bool{}
	for i, d := range []notifier.Draft{toUsers("u1"), toRole("all")} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/notices", nil)
		id := strings.Repeat(strconv.Itoa(i+1), 32)
		request.Header.Set("Traceparent", "00-"+id+"-00f067aa0ba902b7-01")
		ctx, end := traces.Request(t.Context(), request, true)
		confirmed, err := p.Confirm(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		n, err := p.Send(ctx, notifier.Actor{}, confirmed, nil)
		if err != nil {
			t.Fatal(err)
		}
		end("POST /api/v1/notices", http.StatusAccepted)
		all, want[id] = append(all, n.ID), true
	}
	start(t, p)
	for _, id := range all {
		r.state(t, id, notifier.StateSent)
	}
	if err := traces.Close(t.Context()); err != nil { // sends the spans
		t.Fatal(err)
	}
	close(of)
	got := map[string]bool{}
	for id := range of {
		got[id] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("delivered in the traces %v, want %v", got, want)
	}
}
