package pipeline_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/store"
)

// trips counts the round trips to Redis.
type trips struct{ n atomic.Int64 }

func (c *trips) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (c *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}

func (c *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}

// queries counts the questions about recipients.
type queries struct {
	*store.Store
	n atomic.Int64
}

func (q *queries) FirstRecipients(ctx context.Context, ids []int64) (map[int64]int64, error) {
	q.n.Add(1)
	return q.Store.FirstRecipients(ctx, ids)
}

func TestAPageOfNoticesIsCountedInTwoRoundTrips(t *testing.T) {
	t.Parallel()
	rdb := redistest.Client(t)
	counted, asked := &trips{}, &queries{}
	rdb.AddHook(counted)
	r := newRig(t, rdb)
	seqs := r.users(t, "all", 3)
	asked.Store = r.store
	c := r.config()
	c.Store = asked
	p := pipeline.New(c)

	var sent []notifier.Notice
	for range 16 {
		sent = append(sent, send(t, p, toRole("all")), send(t, p, toUsers("u2")), send(t, p, toUsers("u3")))
	}
	if err := r.store.AddRole(t.Context(), "u1", "left"); err != nil {
		t.Fatal(err)
	}
	if err := r.store.RemoveRole(t.Context(), "u1", "left"); err != nil {
		t.Fatal(err)
	}
	early := notifier.Notice{Draft: toRole("all"), ExpiresAt: time.Now().Add(time.Hour)}
	if err := r.store.Accept(t.Context(), &early); err != nil {
		t.Fatal(err)
	}
	sent = append(sent, send(t, p, toRole("left")), early)
	for _, seq := range seqs[:2] { // u1 and u2 have read theirs
		if _, err := r.inbox.Open(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}

	counted.n.Store(0)
	began := time.Now()
	got, err := p.ProgressOf(t.Context(), sent)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("50 notices in %v", time.Since(began))
	if counted.n.Load() != 2 || asked.n.Load() != 1 {
		t.Errorf("it took %d round trips to Redis and %d questions to SQL, want 2 and 1", counted.n.Load(), asked.n.Load())
	}
	var want []notifier.Progress
	for i, n := range sent {
		w := notifier.Progress{Notice: n, Counted: true}
		if i < 48 {
			tally := []notifier.Tally{{Delivered: 3, Read: 2}, {Delivered: 1, Read: 1}, {Delivered: 1}}[i%3]
			w.Delivered, w.Read = tally.Delivered, tally.Read
		}
		want = append(want, w)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	counted.n.Store(0)
	if none, err := p.ProgressOf(t.Context(), nil); err != nil || len(none) != 0 || counted.n.Load() != 0 {
		t.Errorf("of no notice: %v, %v, in %d round trips", none, err, counted.n.Load())
	}
}

func TestWithoutRedisAPageOfNoticesIsNotCounted(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, impatient(t, server))
	r.users(t, "all", 3)
	p := pipeline.New(r.config())
	sent := []notifier.Notice{send(t, p, toRole("all")), send(t, p, toUsers("u1"))}
	server.Crash(t)
	got, err := p.ProgressOf(t.Context(), sent)
	want := []notifier.Progress{{Notice: sent[0]}, {Notice: sent[1]}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestWhatTheOneInboxForgotIsNotKnown(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := pipeline.New(r.config())
	deleted, retracted, expired := send(t, p, toUsers("u1")), send(t, p, toUsers("u2")), send(t, p, toUsers("u1"))
	if _, err := r.inbox.Open(t.Context(), seqs[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.inbox.Delete(t.Context(), seqs[0], deleted.Key()); err != nil {
		t.Fatal(err)
	}
	retract(t, p, retracted.ID)
	// Long after it left, the inbox remembers nothing of a notice.
	if _, err := r.inbox.Delete(t.Context(), seqs[0], expired.Key()); err != nil {
		t.Fatal(err)
	}
	if err := r.rdb.ZRem(t.Context(), r.keys.Gone(seqs[0]), expired.ID).Err(); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{deleted.ID, retracted.ID} {
		if got, err := p.Progress(t.Context(), id); err != nil || got.Delivered != 1 || !got.ReadUnknown || !got.Counted {
			t.Errorf("notice %d: %+v, %v", id, got, err)
		}
	}
	if got, err := p.Progress(t.Context(), expired.ID); err != nil || got.Counted {
		t.Errorf("a notice that is forgotten: %+v, %v", got, err)
	}
}
