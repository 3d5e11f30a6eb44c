package pipeline_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/pipeline"
)

// impatient is a client that gives up at once, so that an outage is short.
func impatient(t *testing.T, s *redistest.Server) *redis.Client {
	t.Helper()
	o := *s.Client(t).Options()
	o.MaxRetries, o.DialerRetries = -1, 1
	c := redis.NewClient(&o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestWhatIsSentWhileRedisIsAwayArrivesAfterItsReturn(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, impatient(t, server))
	seqs := r.users(t, "all", 300)
	log, seen := newLog()
	c := r.config()
	c.Log = log
	p := pipeline.New(c)
	start(t, p)
	server.Crash(t)

	large := send(t, p, toRole("all"))
	ids := []int64{large.ID}
	for range 20 {
		began := time.Now()
		n := send(t, p, toUsers("u1", "u2"))
		if n.State != notifier.StateAccepted {
			t.Errorf("sent without Redis: %s", n.State)
		}
		if waited := time.Since(began); waited > 5*time.Second {
			t.Errorf("the sender waited %v", waited)
		}
		ids = append(ids, n.ID)
	}
	if got, err := p.Progress(t.Context(), large.ID); err != nil || got.Counted || got.Recipients != 300 {
		t.Errorf("progress without Redis: %+v, %v", got, err)
	}
	eventually(t, "it says that it waits", func() bool { return seen("notices wait in sql") == 1 })

	began := time.Now()
	server.Restart(t)
	for _, id := range ids {
		r.state(t, id, notifier.StateSent)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("caught up after %v", took)
	}
	r.everyoneHas(t, seqs[2:], 1)
	r.everyoneHas(t, seqs[:2], 21)
	if n := seen("notices wait in sql"); n != 1 {
		t.Errorf("one outage was logged %d times", n)
	}
	eventually(t, "it says that it works again", func() bool { return seen("notices are delivered again") == 1 })
}

func TestASenderDoesNotWaitForARedisThatHangs(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, server.Client(t))
	seqs := r.users(t, "all", 1)
	c := r.config()
	c.Wait = 100 * time.Millisecond
	p := running(t, c)
	pause := server.Client(t)
	if err := pause.Do(t.Context(), "CLIENT", "PAUSE", "2000", "ALL").Err(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	n := send(t, p, toUsers("u1"))
	if waited := time.Since(began); n.State != notifier.StateAccepted || waited > time.Second {
		t.Errorf("%s after %v", n.State, waited)
	}
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
}

func TestOneBrokenInboxHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	if err := r.rdb.Set(t.Context(), r.keys.State(seqs[10]), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	log, seen := newLog()
	c := r.withoutRelay(t)
	c.Log, c.Chunk = log, 50
	p := pipeline.New(c)
	start(t, p)
	n := send(t, p, toRole("all"))
	eventually(t, "all others have it", func() bool {
		d, _, err := r.counted(t.Context(), n.ID)
		return err == nil && d == 299
	})
	if r.backlog(t) == 0 && r.dead(t) == 0 {
		t.Error("nobody is going to try on")
	}
	next := send(t, p, toUsers("u1"))
	r.state(t, next.ID, notifier.StateSent)
	if err := r.rdb.Del(t.Context(), r.keys.State(seqs[10])).Err(); err != nil {
		t.Fatal(err)
	}
	r.replayAll(t, p) // should it have taken us longer than they try
	r.state(t, n.ID, notifier.StateSent)
	eventually(t, "the last one has it", func() bool { return r.allUnread(t, seqs[1:], 1) })
	r.everyoneHas(t, seqs[1:], 1)
	if got := seen("range not finished, trying on"); got != 1 {
		t.Errorf("one fault was logged %d times", got)
	}
}
