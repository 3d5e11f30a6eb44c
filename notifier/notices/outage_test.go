package notices_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

// impatient returns a client that gives up at once, so that an outage is short.
func impatient(t *testing.T, s *redistest.Server) *redis.Client {
	t.Helper()
	o := *s.Client(t).Options()
	o.MaxRetries, o.DialerRetries = -1, 1
	c := redis.NewClient(&o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestNoticesSentWhileRedisIsAwayArriveAfterItsReturn(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, impatient(t, server))
	seqs := r.users(t, "all", 300)
	log, seen := newLog()
	c := r.config()
	c.Log = log
	p := notices.New(c)
	start(t, p)
	server.Crash(t)

	large := send(t, p, toRole("all"))
	ids := []int64{large.ID}
	for range 20 {
		n := send(t, p, toUsers("u1", "u2"))
		if n.State != notifier.StateAccepted {
			t.Errorf("sent without Redis, the notice is %s", n.State)
		}
		ids = append(ids, n.ID)
	}
	if got, err := p.Progress(t.Context(), large.ID); err != nil || got.Counted || got.Recipients != 300 {
		t.Errorf("progress without Redis: %+v, %v", got, err)
	}
	testkit.Eventually(t, "the outage is logged", func() bool { return seen("redis is unavailable; notices wait in sql") == 1 })

	server.Restart(t)
	for _, id := range ids {
		r.state(t, id, notifier.StateSent)
	}
	r.everyoneHas(t, seqs[2:], 1)
	r.everyoneHas(t, seqs[:2], 21)
	if n := seen("redis is unavailable; notices wait in sql"); n != 1 {
		t.Errorf("one outage was logged %d times", n)
	}
	testkit.Eventually(t, "the end of the outage is logged", func() bool { return seen("redis and sql are in use again") == 1 })
}

func TestSenderDoesNotWaitForAHangingRedis(t *testing.T) {
	t.Parallel()
	proxy := faulty.Listen(t, "unix", redistest.Own(t).Socket)
	hangs := redis.NewClient(&redis.Options{Addr: proxy.Addr(), ReadTimeout: time.Hour, ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = hangs.Close() })
	r := newRig(t, hangs)
	seqs := r.users(t, "all", 1)
	c := r.config()
	c.Wait = 100 * time.Millisecond
	p := running(t, c)
	proxy.Hole(true)
	// The point is that Send returns at all: Redis does not reply before the hole is closed.
	n := send(t, p, toUsers("u1"))
	if n.State != notifier.StateAccepted {
		t.Errorf("sent while Redis hangs: %s", n.State)
	}
	proxy.Hole(false)
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
}

func TestBrokenInboxHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	if err := r.rdb.Set(t.Context(), r.keys.State(seqs[10]), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	log, seen := newLog()
	c := r.config()
	c.Log, c.Chunk = log, 50
	p := notices.New(c)
	start(t, p)
	n := send(t, p, toRole("all"))
	testkit.Eventually(t, "all others have it", func() bool {
		d, _, err := r.counted(t.Context(), n.ID)
		return err == nil && d == 299
	})
	if r.backlog(t) == 0 && r.dead(t) == 0 {
		t.Error("no entry is left for the broken inbox")
	}
	next := send(t, p, toUsers("u1"))
	r.state(t, next.ID, notifier.StateSent)
	if err := r.rdb.Del(t.Context(), r.keys.State(seqs[10])).Err(); err != nil {
		t.Fatal(err)
	}
	r.state(t, n.ID, notifier.StateSent)
	testkit.Eventually(t, "the last user has it", func() bool {
		r.replayAll(t, p) // in case the repair took longer than the tries, of which the last may just be failing
		return r.allUnread(t, seqs[1:], 1)
	})
	r.everyoneHas(t, seqs[1:], 1)
	if got := seen("range not finished; retrying"); got != 1 {
		t.Errorf("one fault was logged %d times", got)
	}
}
