package live

import (
	"context"
	"net/http"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// stuckWriter is a client that reads the head and the first badge and then nothing until free is closed.
type stuckWriter struct {
	header http.Header
	writes int
	stuck  chan struct{} // closed by the second write
	free   chan struct{}
}

func (w *stuckWriter) Header() http.Header { return w.header }

func (*stuckWriter) WriteHeader(int) {}

func (w *stuckWriter) Write(b []byte) (int, error) {
	if w.writes++; w.writes == 2 {
		close(w.stuck)
	}
	if w.writes > 1 {
		<-w.free
	}
	return len(b), nil
}

func (*stuckWriter) Flush() {}

func TestExactlyQueueLenEventsWaitForAClientInAHandler(t *testing.T) {
	t.Parallel()
	const room = 7
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(c *Config) { c.Limits.QueueLen = room })
	client := &stuckWriter{header: http.Header{}, stuck: make(chan struct{}), free: make(chan struct{})}
	served := make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	r := request(t, "http://carillon.example/events", 7).WithContext(ctx)
	go func() {
		defer close(served)
		w.ServeHTTP(client, r)
	}()
	defer func() {
		leave()
		close(client.free)
		<-served
	}()
	shard := w.hub.shard(7)
	var out outlet
	testkit.Eventually(t, "one stream", func() bool {
		shard.mu.Lock()
		defer shard.mu.Unlock()
		if u := shard.users[7]; u != nil && len(u.conns) == 1 {
			out = u.conns[0].out
		}
		return out != nil
	})
	publish := func() (left bool) {
		shard.mu.Lock()
		defer shard.mu.Unlock()
		out.publish(pack(appendEvent(nil, 1, "read", `{"keys":["a:1"]}`)), false)
		return out.left()
	}
	publish()
	<-client.stuck // this event waits until it is written
	for n := 2; n <= room; n++ {
		if publish() {
			t.Fatalf("cut by event %d", n)
		}
	}
	if !publish() || w.hub.Stats().Cut != 1 {
		t.Errorf("not cut by event %d", room+1)
	}
}
