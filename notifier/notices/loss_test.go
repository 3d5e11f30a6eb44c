package notices_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

// behind returns a flusher with short times.
func (r *rig) behind(change func(*behind.FlusherConfig)) *behind.Flusher {
	c := behind.FlusherConfig{
		Inbox: r.inbox, Store: r.store, Redis: r.rdb, Keys: r.keys, Log: slog.New(slog.DiscardHandler),
		Every:  10 * time.Millisecond,
		Leases: lease.On(r.rdb, r.keys),
	}
	if change != nil {
		change(&c)
	}
	return behind.NewFlusher(c)
}

// working returns running Notices that write inboxes to SQL.
func (r *rig) working(t *testing.T) *notices.Notices {
	t.Helper()
	c := r.config()
	c.Unread = r.behind(nil)
	return running(t, c)
}

// marks returns the number of users whose inboxes are not in SQL; -1: unknown.
func (r *rig) marks(t *testing.T) int { return r.marked(t, r.keys.Dirty, r.keys.Late) }

// marked returns the number of users with marks of these kinds; -1: unknown.
func (r *rig) marked(t *testing.T, kinds ...func(p int) string) int {
	t.Helper()
	pipe := r.rdb.Pipeline()
	for p := range keys.Partitions {
		for _, kind := range kinds {
			pipe.ZRange(t.Context(), kind(p), 0, -1)
		}
	}
	cmds, err := pipe.Exec(t.Context())
	if err != nil {
		return -1
	}
	users := map[string]bool{}
	for _, cmd := range cmds {
		for _, seq := range cmd.(*redis.StringSliceCmd).Val() {
			users[seq] = true
		}
	}
	return len(users)
}

// settle waits until all inboxes are in SQL, without the time for which deliveries may wait.
func (r *rig) settle(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, "SQL has everything", func() bool {
		for p := range keys.Partitions {
			if _, _, err := r.inbox.Ripen(t.Context(), p, time.Now().Add(time.Hour), 1000); err != nil {
				return false
			}
		}
		return r.marks(t) == 0
	})
}

// shelf is everything that Redis stores for an inbox.
type shelf struct {
	List  []string
	Hash  map[string]string
	State map[string]string
	Gone  []redis.Z
}

func (r *rig) shelves(t *testing.T, seqs []int64) map[int64]shelf {
	t.Helper()
	all := make(map[int64]shelf, len(seqs))
	for _, seq := range seqs {
		pipe := r.rdb.Pipeline()
		list, hash := pipe.LRange(t.Context(), r.keys.List(seq), 0, -1), pipe.HGetAll(t.Context(), r.keys.Hash(seq))
		state, gone := pipe.HGetAll(t.Context(), r.keys.State(seq)), pipe.ZRangeWithScores(t.Context(), r.keys.Gone(seq), 0, -1)
		if _, err := pipe.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, hint := range []string{"whole", "late", "first"} { // they only save work
			delete(state.Val(), hint)
		}
		all[seq] = shelf{list.Val(), hash.Val(), state.Val(), gone.Val()}
	}
	return all
}

// lose empties Redis, and fails the test unless every inbox, badge and row is restored at its next read.
func (r *rig) lose(t *testing.T, seqs []int64, lose func()) {
	t.Helper()
	badges, err := r.inbox.Badges(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	before := r.shelves(t, seqs)
	lose()
	if n, err := r.rdb.Exists(t.Context(), r.keys.State(seqs[0])).Result(); err != nil || n != 0 {
		t.Fatalf("nothing was lost: %d, %v", n, err)
	}
	after, err := r.inbox.Badges(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(badges, after); diff != "" {
		t.Errorf("badges changed (-before +after):\n%.2000s", diff)
	}
	if diff := cmp.Diff(before, r.shelves(t, seqs)); diff != "" {
		t.Errorf("inboxes changed (-before +after):\n%.4000s", diff)
	}
}

func (r *rig) flushAll(t *testing.T) func() {
	return func() {
		t.Helper()
		if err := r.rdb.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// live makes users receive, open, read, delete and restore notices and lose some by retraction, each user
// differently.
func (r *rig) live(t *testing.T, p *notices.Notices, seqs []int64) {
	t.Helper()
	ctx := t.Context()
	var ids []int64
	for i := range 6 {
		d := toRole("all")
		d.Title = fmt.Sprint("Lift ", i)
		if i%2 == 1 {
			d.Subject, d.ExpiresIn = "lift:7", time.Hour // moves the row to the top
		}
		n := send(t, p, d)
		ids = append(ids, n.ID)
		r.state(t, n.ID, notifier.StateSent)
		for k, seq := range seqs {
			var err error
			key := fmt.Sprintf("news:notice_id:%d", n.ID)
			switch (k + i) % 7 {
			case 0:
				_, err = r.inbox.Open(ctx, seq)
			case 1:
				_, _, err = r.inbox.MarkRead(ctx, seq, key)
			case 2:
				_, err = r.inbox.Delete(ctx, seq, key)
			case 3:
				if _, err = r.inbox.Delete(ctx, seq, key); err == nil {
					_, err = r.inbox.Restore(ctx, seq, key)
				}
			}
			if err != nil && !errors.Is(err, notifier.ErrNotFound) {
				t.Fatal(err)
			}
		}
	}
	retract(t, p, ids[2])
	r.state(t, ids[2], notifier.StateRetracted)
}

func TestRedisLossKeepsEveryInbox(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"sqlite", "postgres"} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			address := ""
			if sql == "postgres" {
				address = sqltest.URL(t)
			}
			r := newRigOn(t, redistest.Own(t).Client(t), address)
			seqs := r.users(t, "all", 300)
			p := r.working(t)
			r.live(t, p, seqs)
			r.settle(t)
			r.lose(t, seqs, r.flushAll(t))

			// The inboxes stay in use, and survive the next loss.
			n := send(t, p, toRole("all"))
			r.state(t, n.ID, notifier.StateSent)
			r.live(t, p, seqs)
			r.settle(t)
			r.lose(t, seqs, r.flushAll(t))
		})
	}
}

// Deliveries may be missing from the inboxes in SQL for 45 s. SQL has the notices, and the time since which it
// delivers them again.
func TestALossSoonAfterADeliveryLosesNeitherNoticesNorDeeds(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Own(t).Client(t))
	seqs := r.users(t, "all", 300)
	for part := range keys.Partitions { // as package guard does: this Redis has lost nothing
		if err := r.rdb.Set(t.Context(), r.keys.Flushed(part), time.Now().UnixMilli(), 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	p := running(t, r.config())
	first := send(t, p, toRole("all"))
	r.state(t, first.ID, notifier.StateSent)
	for i, seq := range seqs[:200] {
		var err error
		if i < 100 {
			_, err = r.inbox.Delete(t.Context(), seq, first.Key())
		} else {
			_, err = r.inbox.Open(t.Context(), seq)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	second := send(t, p, toRole("all"))
	r.state(t, second.ID, notifier.StateSent)

	ctx, kill := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	f := r.behind(func(c *behind.FlusherConfig) { c.Oldest = p.OnItsWay })
	go func() { ended <- f.Run(ctx) }()
	var since time.Time
	testkit.Eventually(t, "the deeds are in SQL, with the time up to which SQL is complete", func() bool {
		f.Delivered(&notifier.Delivery{}) // late marks stay until nothing is delivered any more
		var err error
		since, err = r.store.Flushed(t.Context(), 8)
		return err == nil && !since.IsZero() && r.marked(t, r.keys.Dirty) == 0
	})
	if n := r.marked(t, r.keys.Late); n == 0 {
		t.Error("no inbox has a late mark: everything was written at once")
	}
	kill()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	r.flushAll(t)()
	if err := p.Resend(t.Context(), since); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the notices are delivered again", func() bool {
		_, some, err := p.OnItsWay(t.Context())
		return err == nil && !some
	})
	for i, seq := range seqs {
		page, err := r.inbox.Look(t.Context(), seq, notifier.Query{Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		read := map[int64]bool{}
		for _, e := range page.Entries {
			read[e.NoticeID] = e.Read
		}
		want := map[int64]bool{first.ID: i >= 100 && i < 200, second.ID: false}
		if i < 100 {
			delete(want, first.ID)
		}
		if diff := cmp.Diff(want, read); diff != "" {
			t.Fatalf("user %d of %d has these notices, read or not (-want +got):\n%s", i, len(seqs), diff)
		}
	}
}

func TestNoticesSentAfterALossAreOnTopOfTheRestoredInboxes(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Own(t).Client(t))
	seqs := r.users(t, "all", 300)
	p := r.working(t)
	r.state(t, send(t, p, toRole("all")).ID, notifier.StateSent)
	r.settle(t)
	r.flushAll(t)()
	r.state(t, send(t, p, toRole("all")).ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 2)
}

// dying is an inbox whose Clean is never reached, because the process was killed before.
type dying struct {
	behind.Inbox
	kill context.CancelFunc
}

func (d dying) Clean(ctx context.Context, _ int, _ []notifier.Dirty) error {
	d.kill()
	return ctx.Err()
}

func TestKillBetweenSaveAndCleanLosesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Own(t).Client(t))
	seqs := r.users(t, "all", 100)
	p := running(t, r.config())
	r.live(t, p, seqs)
	ctx, kill := context.WithCancel(t.Context())
	if err := r.behind(func(c *behind.FlusherConfig) { c.Inbox = dying{r.inbox, kill} }).Flush(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Flush: %v", err)
	}
	if n := r.marks(t); n != 100 {
		t.Errorf("%d marks are left of 100", n)
	}
	for _, seq := range seqs[:50] { // the saved state is outdated now
		if _, err := r.inbox.Open(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.behind(nil).Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.settle(t)
	r.lose(t, seqs, r.flushAll(t))
}

// late is a store in which a user reads their inbox during a write.
type late struct {
	*store.Store
	meanwhile func(context.Context) error
}

func (l late) SaveSnapshots(ctx context.Context, all []notifier.Snapshot) error {
	return errors.Join(l.meanwhile(ctx), l.Store.SaveSnapshots(ctx, all))
}

func TestInboxChangedDuringASaveIsSavedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Own(t).Client(t))
	seqs := r.users(t, "all", 100)
	p := running(t, r.config())
	r.state(t, send(t, p, toRole("all")).ID, notifier.StateSent)
	var changed atomic.Int64
	f := r.behind(func(c *behind.FlusherConfig) {
		c.Store = late{r.store, func(ctx context.Context) error {
			if n := changed.Add(1); n <= 100 {
				_, err := r.inbox.Open(ctx, seqs[n-1])
				return err
			}
			return nil
		}}
	})
	for round := 0; r.marks(t) > 0; round++ {
		if round == 100 {
			t.Fatal("some marks are never removed")
		}
		if err := f.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if changed.Load() < 8 {
		t.Errorf("only %d inboxes changed during saves", changed.Load())
	}
	r.lose(t, seqs, r.flushAll(t))
}

func TestInboxesWorkWhileSQLIsAwayAndAreWrittenLater(t *testing.T) {
	t.Parallel()
	address := sqltest.OwnURL(t)
	server := redistest.Own(t)
	r := newRigOn(t, server.Client(t), address)
	seqs := r.users(t, "all", 100)
	log, seen := newLog()
	ctx, cancel := context.WithCancel(t.Context())
	f := r.behind(func(c *behind.FlusherConfig) { c.Log = log })
	p := running(t, r.config())
	r.live(t, p, seqs)
	sqltest.Cut(t, address)
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	testkit.Eventually(t, "the outage of SQL is logged", func() bool { return seen("could not write inboxes to sql; retrying") == 1 })
	for _, seq := range seqs {
		if _, err := r.inbox.Open(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.marks(t); n != 100 {
		t.Errorf("%d marks are left of 100", n)
	}
	sqltest.Mend(t, address)
	r.settle(t)
	testkit.Eventually(t, "the end of the outage is logged", func() bool { return seen("writing inboxes to sql works again") == 1 })
	if n := seen("could not write inboxes to sql; retrying"); n != 1 {
		t.Errorf("one outage was logged %d times", n)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	r.lose(t, seqs, r.flushAll(t))
}

func TestRedisThatComesBackEmptyIsRefilled(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, impatient(t, server))
	seqs := r.users(t, "all", 100)
	p := r.working(t)
	r.live(t, p, seqs)
	r.settle(t)
	r.lose(t, seqs, func() {
		server.Crash(t)
		if err := r.behind(nil).Flush(t.Context()); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("Flush without Redis: %v", err)
		}
		server.Restart(t)
		testkit.Eventually(t, "the client reconnects", func() bool { return r.rdb.Ping(t.Context()).Err() == nil })
	})
	r.live(t, p, seqs)
	r.settle(t)
	r.lose(t, seqs, r.flushAll(t))
}

func TestTwoFlushersOfTheSameInboxesDoNoHarm(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, redistest.Own(t).Client(t), sqltest.URL(t))
	seqs := r.users(t, "all", 600) // several rounds for each group
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range 2 {
		f := r.behind(func(c *behind.FlusherConfig) { c.Leases, c.Every = nil, time.Millisecond })
		go func() { ended <- f.Run(ctx) }()
	}
	r.live(t, running(t, r.config()), seqs)
	r.settle(t)
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	r.lose(t, seqs, r.flushAll(t))
}

func TestCountsAreWrittenToSQL(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	p := r.working(t)
	n := send(t, p, toRole("all"))
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
}

func TestBuiltInMemoryRedisIsRefilledAfterARestart(t *testing.T) {
	t.Parallel()
	server, rdb := redistest.Mini(t)
	r := newRig(t, rdb)
	seqs := r.users(t, "all", 30)
	p := running(t, r.config())
	r.live(t, p, seqs)
	if err := r.behind(nil).Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.settle(t)
	r.lose(t, seqs, server.FlushAll)
}
