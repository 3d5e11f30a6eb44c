package api

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
)

// crowd adds users u1 to uN.
func (w *world) crowd(t testing.TB, n int) {
	t.Helper()
	i := 0
	_, err := w.store.ImportUsers(t.Context(), n, func() (notifier.NewUser, int, error) {
		if i++; i > n {
			return notifier.NewUser{}, i, io.EOF
		}
		return notifier.NewUser{Name: fmt.Sprint("u", i), Audience: 3}, i, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkAccept sends notices over persistent connections, one or many per request. SQL
// has written each to disk before it is answered. Nothing delivers.
func BenchmarkAccept(b *testing.B) {
	for _, sql := range []string{"sqlite", "postgres"} {
		for _, size := range []int{1, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", sql, size), func(b *testing.B) {
				url := ""
				if sql == "postgres" {
					url = sqltest.URL(b)
				}
				w := newStillWorld(b, url, redistest.Own(b).Client(b))
				w.crowd(b, 5000)
				server := httptest.NewServer(w.handler)
				b.Cleanup(server.Close)
				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
				b.Cleanup(client.CloseIdleConnections)
				var next, sent atomic.Int64
				b.SetParallelism(max(32/size, 2))
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						w.post(b, client, server.URL, size, &next)
						sent.Add(int64(size))
					}
				})
				b.ReportMetric(float64(sent.Load())/b.Elapsed().Seconds(), "accepted/s")
			})
		}
	}
}

func benchNotice(n int64) string {
	return fmt.Sprintf(`{"target":{"users":["u%d"]},"type":"like","subject":"photo_id:%d","title":"Carol likes your photo",`+
		`"body":"Harbour at dusk, from the old crane","link":"/photos/1"}`, 1+n%5000, n)
}

func benchBatch(size int, next func() int64) string {
	many := make([]string, size)
	for i := range many {
		many[i] = benchNotice(next())
	}
	return `{"notices":[` + strings.Join(many, ",") + `]}`
}

// post sends size notices in one request.
func (w *world) post(b *testing.B, client *http.Client, url string, size int, next *atomic.Int64) {
	b.Helper()
	one := func() int64 { return next.Add(1) }
	path, body := prefix+"/notices", benchNotice(one())
	if size > 1 {
		path, body = path+"/batch", benchBatch(size, one)
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		b.Error(err)
		return
	}
	r.Header.Set("Authorization", "Bearer "+w.send)
	r.Header.Set("Content-Type", "application/json")
	res, err := client.Do(r)
	if err != nil {
		b.Error(err)
		return
	}
	text, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		b.Errorf("status %d: %.300s", res.StatusCode, text)
	}
}
