package notices_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/notices"
)

func TestEntryLeavesTheBadgeWithinASecondOfItsExpiry(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 100)
	var ahead atomic.Int64 // offset of this installation's clock
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	r.inbox = inbox.New(r.rdb, r.keys, inbox.Options{Now: now, SQL: r.store})
	c := r.config()
	c.Now = now
	running(t, c) // another sweeper
	c.Announcements = newAnnouncements(r.rdb, r.keys, r.store)
	p := running(t, c)
	d := toRole("all")
	d.ExpiresIn = time.Hour
	short := send(t, p, d)
	keep := send(t, p, toRole("all"))
	told := r.listen(t, seqs[7])
	r.everyoneHas(t, seqs, 2)

	expired := time.Now()
	ahead.Store(int64(time.Hour))
	last, stood := expired, time.Duration(0) // the longest time for which the test was not scheduled
	testkit.Eventually(t, "the entry leaves every inbox", func() bool {
		stood = max(stood, time.Since(last))
		defer func() { last = time.Now() }()
		return r.allUnread(t, seqs, 1)
	})
	if late := time.Since(expired); late > time.Second+stood {
		t.Errorf("it left %v after its expiry", late)
	}
	// The entry is removed from every open browser, too: the sweep publishes the new count.
	change, err := notifier.ParseChange((<-told).Payload)
	if err != nil || len(change.Events) != 1 || change.Events[0].Kind != notifier.ChangeRemoved || change.Events[0].Key != short.Key() || change.Unread != 1 {
		t.Errorf("published as %+v, %v", change, err)
	}
	r.everyoneHas(t, seqs, 1)
	if page, err := r.inbox.Open(t.Context(), seqs[0]); err != nil || page.Entries[0].NoticeID != keep.ID {
		t.Errorf("left: %+v, %v", page.Entries, err)
	}
}

func TestExpiredNoticeIsFinishedWithoutDelivery(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	late := r.config()
	late.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	d := toRole("all")
	d.ExpiresIn = time.Minute
	n := send(t, notices.New(late), d)
	c := r.config()
	held := &slow{Inbox: r.inbox, let: make(chan struct{})}
	close(held.let)
	c.Inbox, c.Chunk = held, 100
	running(t, c)
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 0)
	if tried := held.delivered.Load(); tried != 0 {
		t.Errorf("%d ranges were tried", tried)
	}
}

// A notice lives for at most 180 days here, and stays in SQL for 7 more.
func TestExpiredNoticesLeaveSQL(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 2)
	sentAt := func(days int) int64 {
		c := r.config()
		c.Now = func() time.Time { return time.Now().AddDate(0, 0, -days) }
		p := notices.New(c)
		stop := start(t, p)
		n := send(t, p, toUsers("u1"))
		r.state(t, n.ID, notifier.StateSent)
		stop()
		return n.ID
	}
	old, late := sentAt(200), sentAt(185)
	running(t, r.config())
	testkit.Eventually(t, "the old notice is deleted", func() bool {
		_, err := r.store.Notice(t.Context(), old)
		return errors.Is(err, notifier.ErrNotFound)
	})
	if _, err := r.store.Notice(t.Context(), late); err != nil {
		t.Errorf("a notice that expired 5 days ago: %v", err)
	}
}
