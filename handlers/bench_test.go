package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// BenchmarkInbox renders a page of 30 rows, over fakes.
func BenchmarkInbox(b *testing.B) {
	var entries []notifier.Entry
	for i := range 30 {
		entries = append(entries, entry(i, noon.Add(-time.Duration(i)*time.Hour), true, false))
	}
	w := newWorld(b, func(w *world) {
		w.config.Log = nil
		w.inbox.open = func(int64) (notifier.Page, error) {
			return notifier.Page{Entries: entries, Ver: 99, Older: 44}, nil
		}
	})
	r := httptest.NewRequest(http.MethodGet, "/inbox", nil)
	r.Header.Set("X-Test-User", "alice")
	r.Header.Set("Accept-Language", "en-GB,en;q=0.7,de;q=0.3")
	r.Header.Set("Cookie", "tz=Europe/Berlin; carillon=abcdefghijklmnopqrstuvwxyz")
	b.ReportAllocs()
	for b.Loop() {
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		b.SetBytes(int64(rec.Body.Len()))
	}
}
