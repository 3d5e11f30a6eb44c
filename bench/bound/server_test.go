//go:build linux

package bound_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/bench/bound"
	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(m)) }

// Not parallel, because the bound servers share one channel.
func TestEveryStreamGetsOnlyItsMessages(t *testing.T) {
	for _, kind := range []string{bound.Stdlib, bound.R3Lean} {
		t.Run(kind, func(t *testing.T) {
			addr := serve(t, kind)
			fleet := open(t, addr, 20)
			rdb := redistest.Client(t)
			fleet.Begin(1)
			for n := range 3 {
				for user := range 10 {
					m := load.Mark{Run: 1, User: int64(user), N: int64(n), Due: time.Now()}
					text := fmt.Sprintf("%d\n%s", user, m.Append(nil))
					if err := rdb.Publish(t.Context(), bound.Channel, text).Err(); err != nil {
						t.Fatal(err)
					}
				}
			}
			all := load.Mark{Run: 1, User: load.Everyone, N: 3, Due: time.Now()}
			if err := rdb.Publish(t.Context(), bound.Channel, "*\n"+string(all.Append(nil))).Err(); err != nil {
				t.Fatal(err)
			}
			r := fleet.Wait(t.Context(), 80, testkit.Patience)
			if r.Marks != 80 || r.Doubled != 0 || r.Astray != 0 || r.Dropped != 0 {
				t.Errorf("%d marks, %d doubled, %d astray, %d dropped; want 80 and nothing else", r.Marks, r.Doubled, r.Astray, r.Dropped)
			}
		})
	}
}

func TestAStalledStreamCostsTheOthersNothing(t *testing.T) {
	addr := serve(t, bound.Stdlib)
	cfg := config(addr, 4)
	cfg.Stalled = func(i int) bool { return i == 0 }
	fleet, _, err := load.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer fleet.Close()
	fleet.Begin(1)
	m := load.Mark{Run: 1, User: load.Everyone, Due: time.Now()}
	if err := redistest.Client(t).Publish(t.Context(), bound.Channel, "*\n"+string(m.Append(nil))).Err(); err != nil {
		t.Fatal(err)
	}
	if r := fleet.Wait(t.Context(), 3, testkit.Patience); r.Marks != 3 {
		t.Errorf("%d marks, want those of the three streams that read", r.Marks)
	}
}

func serve(t *testing.T, kind string) (addr string) {
	t.Helper()
	addr = testkit.Address()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- bound.Serve(ctx, bound.Config{Kind: kind, Addr: addr, Redis: redistest.Socket(t), PageBytes: 100})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	testkit.Until(t, addr+" answers", func() (fault string, ok bool) {
		select {
		case err := <-done:
			done <- err
			t.Fatal(err)
		default:
		}
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp4", addr)
		if err != nil {
			return err.Error(), false
		}
		_ = c.Close()
		return "", true
	})
	return addr
}

func config(addr string, streams int) load.Config {
	return load.Config{
		Addr: addr, Streams: streams, Users: streams / 2, Loops: 2, InFlight: 4, Sources: 3, Patience: testkit.Patience,
		Request: func(i int) []byte {
			return fmt.Appendf(nil, "GET /events?stream=%d HTTP/1.1\r\nHost: %s\r\n\r\n", i%(streams/2), addr)
		},
	}
}

func open(t *testing.T, addr string, streams int) *load.Fleet {
	t.Helper()
	fleet, o, err := load.Open(t.Context(), config(addr, streams))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fleet.Close)
	if o.Opened != streams {
		t.Fatalf("%d of %d streams open: %v", o.Opened, streams, o.FirstErr)
	}
	return fleet
}
