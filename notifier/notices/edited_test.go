package notices_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

// edit changes the title of a notice, based on its current revision.
func (r *rig) edit(t *testing.T, p *notices.Notices, id int64, title string) notifier.Notice {
	t.Helper()
	n, err := r.store.Notice(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	d := n.Draft
	d.Title = title
	if n, err = p.Edit(t.Context(), notifier.Actor{}, id, n.Revision, d); err != nil {
		t.Fatal(err)
	}
	return n
}

// everyoneReads checks that each of these users has one entry, with this title.
func (r *rig) everyoneReads(t *testing.T, seqs []int64, title string) {
	t.Helper()
	for _, seq := range seqs {
		page, err := r.inbox.Look(t.Context(), seq, notifier.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Entries) != 1 || page.Entries[0].Title != title {
			t.Errorf("user %d sees %+v; want %q", seq, page.Entries, title)
		}
	}
}

func TestEditReachesEveryInboxThatHasTheNotice(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"in one range": 500, "range by range": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Client(t))
			seqs := r.users(t, "all", 100)
			c := r.config()
			c.Chunk = chunk
			p := running(t, c)
			n := send(t, p, toRole("all"))
			if _, _, err := r.inbox.MarkRead(t.Context(), seqs[0], n.Key()); err != nil {
				t.Fatal(err)
			}
			if _, err := r.inbox.Delete(t.Context(), seqs[1], n.Key()); err != nil {
				t.Fatal(err)
			}
			edited := r.edit(t, p, n.ID, "The lift works, I think")
			if edited.State != notifier.StateSent || edited.Revision != 1 {
				t.Errorf("edited as %+v", edited)
			}
			r.everyoneReads(t, append(seqs[:1:1], seqs[2:]...), "The lift works, I think")
			if got := r.holds(t, seqs[0], 0); len(got) != 1 {
				t.Errorf("a recipient who has read it has %v", got)
			}
			if got := r.holds(t, seqs[1], 0); len(got) != 0 {
				t.Errorf("a recipient who has deleted it has %v", got)
			}
		})
	}
}

func TestEditChangesOnlyTheTextOfTheCurrentRevision(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 2)
	p := running(t, r.config())
	d := toUsers("u1")
	d.Subject, d.ExpiresIn = "lift:1", time.Hour
	n := send(t, p, d)
	text := notifier.Draft{Title: "  The lift works  ", Body: "Really.\r\n", Link: "/lifts/1"}
	edited, err := p.Edit(t.Context(), notifier.Actor{}, n.ID, 0, text)
	if err != nil {
		t.Fatal(err)
	}
	if edited.Title != "The lift works" || edited.Body != "Really.\n" || edited.Link != "/lifts/1" || edited.Subject != "lift:1" ||
		edited.Sender != notifier.CommandRef("test") || !edited.ExpiresAt.Equal(n.ExpiresAt) || edited.Target.Users[0] != "u1" {
		t.Errorf("edited as %+v", edited)
	}
	if _, err = p.Edit(t.Context(), notifier.Actor{}, n.ID, 0, text); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("an edit based on an old revision: %v", err)
	}
	if _, err = p.Edit(t.Context(), notifier.Actor{}, 99, 0, text); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("an edit of an unknown notice: %v", err)
	}
	same := n.Draft
	same.ExpiresIn = time.Hour
	if _, err = p.Edit(t.Context(), notifier.Actor{}, n.ID, 1, same); err != nil {
		t.Errorf("an edit that repeats the original: %v", err)
	}
	for field, change := range map[string]func(*notifier.Draft){
		"to":           func(d *notifier.Draft) { d.Target = notifier.Target{Users: []string{"u2"}} },
		"type":         func(d *notifier.Draft) { d.Type = "like" },
		"scope":        func(d *notifier.Draft) { d.Scope = "west" },
		"subject":      func(d *notifier.Draft) { d.Subject = "lift:2" },
		"expires_in":   func(d *notifier.Draft) { d.ExpiresIn = 2 * time.Hour },
		"toast":        func(d *notifier.Draft) { d.Toast = true },
		"starts_at":    func(d *notifier.Draft) { d.StartsAt = time.Now() },
		"ends_at":      func(d *notifier.Draft) { d.EndsAt = time.Now() },
		"pinned":       func(d *notifier.Draft) { d.Pinned = true },
		"late_joiners": func(d *notifier.Draft) { d.LateJoiners = true },
	} {
		d := text
		change(&d)
		var bad *notifier.InvalidError
		if _, err = p.Edit(t.Context(), notifier.Actor{}, n.ID, 2, d); !errors.As(err, &bad) || len(bad.Fields) != 1 ||
			bad.Fields[0].Field != field || bad.Fields[0].Code != notifier.CodeNotEditable {
			t.Errorf("a changed %s: %v", field, err)
		}
	}
	var bad *notifier.InvalidError
	if _, err = p.Edit(t.Context(), notifier.Actor{}, n.ID, 2, notifier.Draft{Link: "//evil.example"}); !errors.As(err, &bad) || len(bad.Fields) != 2 {
		t.Errorf("an edit without a title and with a foreign link: %v", err)
	}
	retract(t, p, n.ID)
	if _, err = p.Edit(t.Context(), notifier.Actor{}, n.ID, 2, text); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("an edit of a retracted notice: %v", err)
	}
}

func TestEditWithoutChangesDisturbsNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 2)
	p := running(t, r.config())
	n := send(t, p, toRole("all"))
	r.state(t, n.ID, notifier.StateSent)
	for _, d := range []notifier.Draft{n.Draft, {Title: " " + n.Title + " ", Body: n.Body, Link: n.Link}} {
		same, err := p.Edit(t.Context(), notifier.Actor{}, n.ID, 0, d)
		if err != nil || same.Revision != 0 || same.State != notifier.StateSent || same.Title != n.Title {
			t.Errorf("edited as %+v, %v", same, err)
		}
	}
	if _, err := p.Edit(t.Context(), notifier.Actor{}, n.ID, 1, n.Draft); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("unchanged, but based on another revision: %v", err)
	}
	if err := p.Retract(t.Context(), notifier.Actor{}, n.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Edit(t.Context(), notifier.Actor{}, n.ID, 0, n.Draft); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("unchanged, but retracted: %v", err)
	}
}

// meanwhile is an inbox that runs a function once, before or after the first delivery.
type meanwhile struct {
	notices.Inbox
	before, after func()
	once          sync.Once
	mu            sync.Mutex
	delivered     int // inboxes
}

func (m *meanwhile) DeliverAll(ctx context.Context, all []notifier.Delivery) ([]notifier.Arrival, []error) {
	first := false
	m.once.Do(func() { first = true })
	if first && m.before != nil {
		m.before()
	}
	arrived, errs := m.Inbox.DeliverAll(ctx, all)
	if first && m.after != nil {
		m.after()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range all {
		m.delivered += len(d.Seqs)
	}
	return arrived, errs
}

// TestEditDuringDeliveryReachesEveryRecipient edits a notice while its first range, or all of it, is being delivered,
// without notifying the worker that delivers it.
func TestEditDuringDeliveryReachesEveryRecipient(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"whole": 500, "range by range": 20} {
		for _, when := range []string{"before", "after"} {
			t.Run(name+", "+when, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, redistest.Client(t))
				seqs := r.users(t, "all", 100)
				c := r.config()
				c.Chunk, c.Wait = chunk, 0
				c.Claim = time.Minute // no other component interferes
				var p *notices.Notices
				edit := func() { r.edit(t, p, 1, "Behind") }
				m := &meanwhile{Inbox: r.inbox, before: edit}
				if when == "after" {
					m.before, m.after = nil, edit
				}
				c.Inbox = m
				p = notices.New(c)
				n := send(t, p, toRole("all"))
				start(t, p)
				r.state(t, n.ID, notifier.StateSent)
				testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
				r.everyoneReads(t, seqs, "Behind")
				r.everyoneHas(t, seqs, 1)
			})
		}
	}
}

func TestLateDeliveryOfAnOldRevisionDoesNotStay(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	c := r.config()
	c.Wait, c.Claim = 0, time.Minute
	var p *notices.Notices
	edited := make(chan struct{})
	c.Inbox = &meanwhile{Inbox: r.inbox, before: func() { // the first delivery is held until the edit is done
		defer close(edited)
		r.edit(t, p, 1, "Edited")
		r.state(t, 1, notifier.StateSent)
		if err := r.inbox.Erase(t.Context(), seqs[0]); err != nil { // one inbox is lost
			t.Error(err)
		}
	}}
	p = notices.New(c)
	send(t, p, toUsers("u1", "u2", "u3"))
	start(t, p)
	<-edited
	testkit.Eventually(t, "everybody has the new text", func() bool {
		page, err := r.inbox.Look(t.Context(), seqs[0], notifier.Query{})
		return err == nil && len(page.Entries) == 1 && page.Entries[0].Title == "Edited"
	})
	r.everyoneReads(t, seqs, "Edited")
}

// TestEditDoesNotRestoreANoticeDeletedLongAgo makes an inbox drop its records of removed notices, as it does after
// some days.
func TestEditDoesNotRestoreANoticeDeletedLongAgo(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 50)
	c := r.config()
	c.Chunk = 20
	p := running(t, c)
	n := send(t, p, toRole("all"))
	for _, seq := range seqs[:30] {
		if _, err := r.inbox.Delete(t.Context(), seq, n.Key()); err != nil {
			t.Fatal(err)
		}
		if err := r.rdb.Del(t.Context(), r.keys.Gone(seq)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, title := range []string{"Edited", "Edited again"} {
		r.edit(t, p, n.ID, title)
		r.everyoneReads(t, seqs[30:], title)
		r.everyoneHas(t, seqs[:30], 0)
	}
}

// lateEditor is a store in which a notice is edited just before its state changes.
type lateEditor struct {
	*store.Store
	edit func()
	once sync.Once
}

func (l *lateEditor) Finish(ctx context.Context, id, rev int64, from, to notifier.State) error {
	if to == notifier.StateSent {
		l.once.Do(l.edit)
	}
	return l.Store.Finish(ctx, id, rev, from, to)
}

func (l *lateEditor) Confirm(ctx context.Context, done []notifier.Revised) ([]int64, error) {
	l.once.Do(l.edit)
	return l.Store.Confirm(ctx, done)
}

func TestNoticeEditedAtTheLastMomentIsNotFinishedInTheOldRevision(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"whole": 500, "range by range": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Client(t))
			seqs := r.users(t, "all", 100)
			c := r.config()
			c.Chunk, c.Wait = chunk, 0
			var p *notices.Notices
			c.Store = &lateEditor{Store: r.store, edit: func() { r.edit(t, p, 1, "Last") }}
			p = notices.New(c)
			n := send(t, p, toRole("all"))
			start(t, p)
			r.state(t, n.ID, notifier.StateSent)
			r.everyoneReads(t, seqs, "Last")
		})
	}
}

func TestRelayFinishesAnEditWhoseSenderDied(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 100)
	c := r.config()
	c.Chunk = 20
	p := running(t, c)
	n := send(t, p, toRole("all"))
	n.Title = "From the grave"
	if err := r.store.EditNotice(t.Context(), notifier.Actor{}, &n); err != nil {
		t.Fatal(err)
	}
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneReads(t, seqs, "From the grave")
}

// TestInboxRestoredDuringAnEditShowsTheNewText reads SQL before the edit and writes to Redis after it. No worker runs
// before: it might deliver the notice twice, and thereby restore the inbox itself.
func TestInboxRestoredDuringAnEditShowsTheNewText(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	p := notices.New(r.config())
	stop := start(t, p)
	n := send(t, p, toUsers("u1"))
	stop()
	snapshots, err := r.inbox.Read(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.store.SaveSnapshots(t.Context(), snapshots); err != nil {
		t.Fatal(err)
	}
	if err := r.inbox.Erase(t.Context(), seqs[0]); err != nil {
		t.Fatal(err)
	}
	edit := func() { r.edit(t, running(t, r.config()), n.ID, "Edited") }
	slowly := inbox.New(r.rdb, r.keys, inbox.Options{SQL: &readerBefore{Store: r.store, then: edit}})
	page, err := slowly.Look(t.Context(), seqs[0], notifier.Query{})
	if err != nil || len(page.Entries) != 1 || page.Entries[0].Title != "Edited" {
		t.Errorf("restored as %+v, %v", page.Entries, err)
	}
}

// readerBefore is a store that returns its state from before a change.
type readerBefore struct {
	*store.Store
	then func()
	once sync.Once
}

func (b *readerBefore) Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error) {
	known, err := b.Store.Contents(ctx, ids)
	b.once.Do(b.then)
	return known, err
}

func TestEditIsPublishedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	p := running(t, r.config())
	n := send(t, p, toUsers("u1"))
	told := r.listen(t, seqs[0])
	r.edit(t, p, n.ID, "Edited")
	r.put(t, notifier.Work{Kind: notifier.WorkDeliver, NoticeID: n.ID, Again: true, Had: true})
	c, err := notifier.ParseChange((<-told).Payload)
	if err != nil || len(c.Events) != 1 || c.Events[0].Kind != notifier.ChangeEdited || c.Events[0].Key != n.Key() || c.Unread != 1 {
		t.Errorf("published as %+v, %v", c, err)
	}
	testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
	select {
	case more := <-told:
		t.Errorf("published again: %s", more.Payload)
	default:
	}
}

// listen returns the messages published about a user's inbox from now on.
func (r *rig) listen(t *testing.T, seq int64) <-chan *redis.Message {
	t.Helper()
	sub := r.rdb.Subscribe(t.Context(), r.keys.LiveUser(seq))
	t.Cleanup(func() { _ = sub.Close() })
	if _, err := sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sub.Channel()
}
