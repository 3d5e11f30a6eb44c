package live

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// BenchmarkToast measures a toast of an active user from raising to acknowledgement: the script, Pub/Sub,
// claiming, the write, reading by the client and the acknowledgement, 16 at a time.
func BenchmarkToast(b *testing.B) {
	const users = 16
	w := newToaster(b, redistest.Client(b), redistest.Space(b), nil)
	free := make(chan int64, users)
	streams := make([]*stream, users+1)
	for seq := int64(1); seq <= users; seq++ {
		r := request(b, w.srv.URL, seq)
		r.Header.Set("X-Session", fmt.Sprint("of-", seq))
		r.Header.Set("X-Visible", "1")
		streams[seq] = open(b, w.srv.Client(), r)
		streams[seq].next()
		free <- seq
	}
	content := []byte(`{"title":"Hello","body":"` + strings.Repeat("x", 200) + `","link":"/x"}`)
	ctx := context.Background()
	b.SetParallelism(users / 2)
	b.RunParallel(func(pb *testing.PB) {
		seq := <-free
		for n := int64(1); pb.Next(); n++ {
			if err := w.toasts.RaiseAll(ctx, []notifier.ToastRaise{{NoticeID: n, Content: content, Seqs: []int64{seq}}}); err[0] != nil {
				b.Error(err[0])
			}
			id, _, _ := strings.Cut(strings.TrimPrefix(streams[seq].next().data, `{"id":"`), `"`)
			if err := w.toasts.Ack(ctx, seq, []string{id}); err != nil {
				b.Error(err)
			}
			w.hub.Acked(seq, []string{id})
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "toasts/s")
	if s := w.hub.Stats(); s.ToastRetries > 0 {
		b.Errorf("%d toasts given again", s.ToastRetries)
	}
}
