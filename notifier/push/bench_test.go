package push_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/notifier/push"
)

// BenchmarkSend measures messages to a service on this machine, which accepts them unchecked, over 32 connections, as
// many as a server uses.
func BenchmarkSend(b *testing.B) {
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) }))
	service.EnableHTTP2 = true // as real services do
	service.StartTLS()
	defer service.Close()
	key, err := push.NewKey()
	if err != nil {
		b.Fatal(err)
	}
	sender := &push.Sender{Key: key, Contact: "mailto:ops@example.com", Client: service.Client(), Now: time.Now}
	sub := pushtest.Browser(service.URL + "/device")
	var work errgroup.Group
	work.SetLimit(32)
	b.ResetTimer()
	for range b.N {
		work.Go(func() error {
			out, err := sender.Send(b.Context(), sub, message)
			if err == nil && out.Verdict != push.Accepted {
				b.Errorf("outcome %+v", out)
			}
			return err
		})
	}
	if err := work.Wait(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pushes/s")
}
