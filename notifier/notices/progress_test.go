package notices_test

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

// trips counts the round trips to Redis.
type trips struct{ n atomic.Int64 }

func (c *trips) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (c *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "hello" { // a new connection
			c.n.Add(1)
		}
		return next(ctx, cmd)
	}
}

func (c *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}

// queries counts the lookups of recipients.
type queries struct {
	*store.Store
	n atomic.Int64
}

func (q *queries) FirstRecipients(ctx context.Context, ids []int64) (map[int64]int64, error) {
	q.n.Add(1)
	return q.Store.FirstRecipients(ctx, ids)
}

func TestProgressOfAPageTakesTwoRoundTrips(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	sender := running(t, r.config())
	counted, asked := &trips{}, &queries{Store: r.store}
	rdb := redistest.Client(t)
	rdb.AddHook(counted)
	c := r.config()
	c.Store, c.Redis, c.Inbox = asked, rdb, inbox.New(rdb, r.keys, inbox.Options{SQL: r.store})
	p := notices.New(c) // not running, so it makes no other calls

	var sent []notifier.Notice
	for range 16 {
		sent = append(sent, send(t, sender, toRole("all")), send(t, sender, toUsers("u2")), send(t, sender, toUsers("u3")))
	}
	if err := r.store.AddRole(t.Context(), "u1", "left"); err != nil {
		t.Fatal(err)
	}
	if err := r.store.RemoveRole(t.Context(), "u1", "left"); err != nil {
		t.Fatal(err)
	}
	early := notifier.Notice{Draft: toRole("all"), ExpiresAt: time.Now().Add(time.Hour)}
	r.accept(t, &early)
	sent = append(sent, send(t, sender, toRole("left")), early)
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
		t.Errorf("it took %d round trips to Redis and %d queries, want 2 and 1", counted.n.Load(), asked.n.Load())
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
		t.Errorf("without notices: %v, %v, in %d round trips", none, err, counted.n.Load())
	}
}

func TestProgressOfAPageIsNotCountedWithoutRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, impatient(t, server))
	r.users(t, "all", 3)
	p := running(t, r.config())
	sent := []notifier.Notice{send(t, p, toRole("all")), send(t, p, toUsers("u1"))}
	server.Crash(t)
	got, err := p.ProgressOf(t.Context(), sent)
	want := []notifier.Progress{{Notice: sent[0]}, {Notice: sent[1]}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestSingleRecipientNoticeIsUncountedOnceItsInboxForgetsIt(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := running(t, r.config())
	deleted, retracted, expired := send(t, p, toUsers("u1")), send(t, p, toUsers("u2")), send(t, p, toUsers("u1"))
	if _, err := r.inbox.Open(t.Context(), seqs[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.inbox.Delete(t.Context(), seqs[0], deleted.Key()); err != nil {
		t.Fatal(err)
	}
	retract(t, p, retracted.ID)
	// Long after a notice was removed, the inbox no longer has a record of it.
	if _, err := r.inbox.Delete(t.Context(), seqs[0], expired.Key()); err != nil {
		t.Fatal(err)
	}
	if err := r.rdb.ZRem(t.Context(), r.keys.Gone(seqs[0]), expired.ID).Err(); err != nil {
		t.Fatal(err)
	}
	for id, read := range map[int64]int64{deleted.ID: 1, retracted.ID: 0} {
		if got, err := p.Progress(t.Context(), id); err != nil || got.Delivered != 1 || got.Read != read || got.ReadUnknown || !got.Counted {
			t.Errorf("notice %d: %+v, %v; want %d read", id, got, err, read)
		}
	}
	if got, err := p.Progress(t.Context(), expired.ID); err != nil || got.Counted {
		t.Errorf("a forgotten notice: %+v, %v", got, err)
	}
}

func TestCountsNoLongerInRedisComeFromSQL(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, impatient(t, server))
	seqs := r.users(t, "all", 300)
	p := r.working(t)
	n, one := send(t, p, toRole("all")), send(t, p, toUsers("u1"))
	r.state(t, n.ID, notifier.StateSent)
	for _, seq := range seqs[:120] {
		if _, err := r.inbox.Open(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "the counts are in SQL", func() bool {
		counts, err := r.store.CountsOf(t.Context(), []int64{n.ID})
		if err != nil {
			t.Fatal(err)
		}
		return len(counts) == 1 && counts[0].Delivered == 300 && counts[0].Read == 120
	})
	check := func(when string) {
		t.Helper()
		got, err := p.Progress(t.Context(), n.ID)
		if err != nil || got.Delivered != 300 || got.Read != 120 || !got.Counted {
			t.Errorf("%s: %d delivered, %d read, known %v, %v", when, got.Delivered, got.Read, got.Counted, err)
		}
	}
	for part := range keys.Partitions {
		r.rdb.HDel(t.Context(), r.keys.Counts(part), fmt.Sprint(n.ID, ":d"), fmt.Sprint(n.ID, ":r"))
	}
	check("Redis has let go of it")
	server.Crash(t)
	check("Redis is away")
	if got, err := p.Progress(t.Context(), one.ID); err != nil || got.Counted {
		t.Errorf("the notice with one recipient: %+v, %v", got, err)
	}
}

func TestProgressNeverExceedsTheRecipients(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 3)
	p := running(t, r.config())
	n := send(t, p, toRole("all"))
	r.rdb.HIncrBy(t.Context(), r.keys.Counts(1), fmt.Sprint(n.ID, ":d"), 5)
	r.rdb.HIncrBy(t.Context(), r.keys.Counts(1), fmt.Sprint(n.ID, ":r"), 9)
	if got, err := p.Progress(t.Context(), n.ID); err != nil || got.Delivered != 3 || got.Read != 3 {
		t.Errorf("%d delivered, %d read, %v; want 3 and 3", got.Delivered, got.Read, err)
	}
}
