package hook_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// BenchmarkSend measures storing 2,000 events in one transaction and sending them to one hook on this machine.
func BenchmarkSend(b *testing.B) {
	const events = 2000
	w := newWorldIn(b, b.TempDir())
	to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(to.Close)
	_, _, err := w.hooks.Add(b.Context(), staff, notifier.Hook{Name: "shop", URL: to.URL, Events: []notifier.EventType{notifier.EventNoticeSent}})
	if err != nil {
		b.Fatal(err)
	}
	acceptances := make([]*notifier.Acceptance, events)
	for b.Loop() {
		for i := range acceptances {
			acceptances[i] = &notifier.Acceptance{Notice: &notifier.Notice{Draft: notifier.Draft{Type: "like", Title: "t", Target: notifier.Target{Users: []string{"ann"}}}, ExpiresAt: w.now().Add(time.Hour)}}
		}
		if err := w.db.AcceptAll(b.Context(), notifier.Deed{}, acceptances); err != nil {
			b.Fatal(err)
		}
		w.move(time.Second)
		if err := w.stage.Round(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if sent := w.stage.Stats().Delivered; sent != int64(b.N*events) {
		b.Errorf("%d of %d events were sent", sent, b.N*events)
	}
	b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
}
