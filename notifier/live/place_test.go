package live

import (
	"strconv"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

func (w *world) connectOf(seq int64, session string) *stream {
	w.t.Helper()
	r := request(w.t, w.srv.URL, seq)
	r.Header.Set("X-Session", session)
	s := open(w.t, w.srv.Client(), r)
	s.expect("badge", badge(1, 0))
	return s
}

// TestTheNinthStreamReplacesTheOldest simulates a phone that changes networks eight times without the server
// noticing that any of its streams has ended.
func TestTheNinthStreamReplacesTheOldest(t *testing.T) {
	t.Parallel()
	var c clock
	w := newWorld(t, redistest.Client(t), redistest.Space(t), func(cfg *Config) { cfg.Now = c.now })
	laptop := w.connectOf(7, "laptop")
	phone := make([]*stream, 7)
	for i := range phone {
		phone[i] = w.connectOf(7, "phone")
	}
	refused(t, w, 7, "5") // opening streams in a loop ends no stream that has just begun
	c.advance(11 * time.Second)
	w.connectOf(7, "phone")
	bye := phone[0].next()
	retry, err := strconv.Atoi(bye.retry)
	if bye.name != "bye" || err != nil || retry < 30_000 || retry > 60_000 {
		t.Errorf("the phone's oldest stream: %+v, want a bye with a long delay", bye)
	}
	w.connectOf(7, "tablet") // no other stream has its session, so the oldest of all is ended
	if e := laptop.next(); e.name != "bye" {
		t.Errorf("the oldest stream of all: %+v", e)
	}
	testkit.Eventually(t, "eight streams left", func() bool { return w.hub.Stats().Streams == 8 })
}
