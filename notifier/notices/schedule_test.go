package notices_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

// soon schedules a draft, and fails the test if it is sent at once.
func soon(t *testing.T, p *notices.Notices, d notifier.Draft, after time.Duration) notifier.Notice {
	t.Helper()
	d.SendAt = time.Now().Add(after)
	n := send(t, p, d)
	if n.State != notifier.StateScheduled || n.Recipients != 0 || !n.ExpiresAt.Equal(n.SendAt.Add(n.ExpiresIn)) {
		t.Fatalf("after sending: %+v", n)
	}
	return n
}

// now returns the notice as it is stored.
func (r *rig) now(t *testing.T, id int64) notifier.Notice {
	t.Helper()
	n, err := r.store.Notice(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAScheduledNoticeGoesToWhoeverIsInTheRoleThen(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	p := notices.New(r.config())
	late := toRole("all")
	late.Subject, late.Title, late.ExpiresIn = "lift", "The lift is closed on Monday", time.Hour
	n := soon(t, p, late, 2*time.Second)
	other, err := r.store.CreateUser(t.Context(), notifier.NewUser{Name: "late", Audience: 3, Roles: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	seqs = append(seqs, other.Seq)
	start(t, p)
	start(t, notices.New(r.config())) // both query for notices that are due
	early := toRole("all")
	early.Subject = "lift"
	send(t, p, early) // accepted later and sent earlier: it is replaced
	r.everyoneHas(t, seqs, 1)

	r.state(t, n.ID, notifier.StateSent)
	sent := r.now(t, n.ID)
	if sent.Recipients != 4 || sent.ReleasedAt.Before(n.SendAt) || !sent.ExpiresAt.Equal(sent.ReleasedAt.Add(time.Hour)) {
		t.Errorf("sent as %+v", sent)
	}
	r.everyoneHas(t, seqs, 1)
	for _, seq := range seqs {
		page, err := r.inbox.Open(t.Context(), seq)
		if err != nil || page.Entries[0].NoticeID != n.ID || page.Entries[0].Title != late.Title || !page.Entries[0].CreatedAt.Equal(sent.ReleasedAt) {
			t.Errorf("user %d reads %+v, %v", seq, page.Entries, err)
		}
	}
}

func TestACancelledNoticeIsNeverSent(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := notices.New(r.config())
	cancelled, last := soon(t, p, toRole("all"), 300*time.Millisecond), soon(t, p, toRole("all"), 400*time.Millisecond)
	if err := p.Retract(t.Context(), notifier.Actor{}, cancelled.ID); err != nil {
		t.Fatal(err)
	}
	r.state(t, cancelled.ID, notifier.StateRetracted)
	if _, err := p.Edit(t.Context(), notifier.Actor{}, cancelled.ID, 0, toRole("all")); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("editing a cancelled notice: %v", err)
	}
	start(t, p)
	r.state(t, last.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
	r.state(t, cancelled.ID, notifier.StateRetracted)
}

func TestAScheduledNoticeIsEditedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := notices.New(r.config())
	d := toRole("all")
	d.ExpiresIn = time.Hour
	n := soon(t, p, d, time.Hour)
	edit := func(revision int64, change func(*notifier.Draft)) (notifier.Notice, error) {
		t.Helper()
		d := n.Draft
		change(&d)
		return p.Edit(t.Context(), notifier.Actor{}, n.ID, revision, d)
	}
	invalid := func(what string, err error, want string) {
		t.Helper()
		var bad *notifier.InvalidError
		if !errors.As(err, &bad) || len(bad.Fields) != 1 || bad.Fields[0].Field+" "+bad.Fields[0].Code != want {
			t.Errorf("%s: %v; want %s", what, err, want)
		}
	}
	_, err := edit(0, func(d *notifier.Draft) { d.SendAt = time.Now().Add(-time.Hour) })
	invalid("a time in the past", err, "send_at send_past")
	_, err = edit(0, func(d *notifier.Draft) { d.SendAt = time.Now().AddDate(1, 0, 0) })
	invalid("a time that is too late", err, "send_at send_late")
	_, err = edit(0, func(d *notifier.Draft) { d.Subject = "other" })
	invalid("another subject", err, "subject not_editable")
	if same, err := edit(0, func(*notifier.Draft) {}); err != nil || same.Revision != 0 {
		t.Errorf("an edit that changes nothing: %+v, %v", same, err)
	}
	if _, err := edit(7, func(d *notifier.Draft) { d.Title = "x" }); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("an edit of another revision: %v", err)
	}
	later := time.Now().Add(2 * time.Hour).UTC().Truncate(time.Millisecond)
	edited, err := edit(0, func(d *notifier.Draft) { d.Title, d.SendAt = "Edited", later })
	if err != nil || edited.Revision != 1 || !edited.SendAt.Equal(later) || !edited.ExpiresAt.Equal(later.Add(time.Hour)) {
		t.Fatalf("edited: %+v, %v", edited, err)
	}
	if _, err = edit(1, func(d *notifier.Draft) { d.Title, d.SendAt = "Edited", time.Now() }); err != nil { // now
		t.Fatal(err)
	}
	start(t, p)
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
	r.everyoneReads(t, seqs, "Edited")
	_, err = edit(2, func(d *notifier.Draft) { d.SendAt = later })
	invalid("another time after it was sent", err, "send_at not_editable")
	n.SendAt = r.now(t, n.ID).SendAt
	if again, err := edit(2, func(d *notifier.Draft) { d.Title = "Edited again" }); err != nil || again.Revision != 3 {
		t.Errorf("an edit after it was sent: %+v, %v", again, err)
	}
	r.everyoneReads(t, seqs, "Edited again")
}

func TestKilledInstancesReleaseEachNoticeOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	p := notices.New(r.config())
	all := make([]notifier.Notice, 40)
	for i := range all {
		all[i] = soon(t, p, toRole("all"), time.Second+time.Duration(i)*20*time.Millisecond)
	}
	doomed := r.otherInstance(t)
	testkit.Eventually(t, "a notice is released", func() bool {
		return r.now(t, all[0].ID).State != notifier.StateScheduled
	})
	if err := doomed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = doomed.Wait()
	start(t, p)
	for _, n := range all {
		r.state(t, n.ID, notifier.StateSent)
	}
	r.everyoneHas(t, seqs, int64(len(all)))
}

// dyingAtRelease is a store whose process dies right after a release.
type dyingAtRelease struct {
	notices.Store
	died atomic.Bool
}

var errDied = errors.New("died")

func (s *dyingAtRelease) Release(ctx context.Context, all []*notifier.Acceptance) error {
	if err := s.Store.Release(ctx, all); err != nil {
		return err
	}
	s.died.Store(true)
	return errDied // nothing is delivered
}

func TestANoticeWhoseReleaseDiedIsDeliveredByTheRelay(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	c := r.config()
	dying := &dyingAtRelease{Store: c.Store}
	c.Store = dying
	p := running(t, c)
	n := soon(t, p, toRole("all"), 100*time.Millisecond)
	r.state(t, n.ID, notifier.StateSent)
	if !dying.died.Load() {
		t.Error("the release did not die")
	}
	r.everyoneHas(t, seqs, 1)
}

func TestAScheduledNoticeToARoleThatIsGoneGoesToNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	p := notices.New(r.config())
	n := soon(t, p, toRole("all"), 100*time.Millisecond)
	if err := r.store.DeleteRole(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	start(t, p)
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 0)
}

// A client may repeat a request after its time has passed.
func TestARepeatedRequestGetsItsNoticeAfterItsTimeHasPassed(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 1)
	c := r.config()
	p := notices.New(c)
	to := func(at time.Time) notifier.Draft {
		d := toRole("all")
		d.SendAt = at
		return d
	}
	request := func(key, digest string, d notifier.Draft) notifier.Request {
		return notifier.Request{Draft: d, Once: &notifier.Once{Owner: notifier.KeyRef("shop"), Key: key, Digest: []byte(digest)}}
	}
	at := time.Now().Add(time.Minute)
	first := p.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{request("a", "1", to(at))})[0]
	if first.Err != nil {
		t.Fatal(first.Err)
	}
	c.Now = func() time.Time { return time.Now().Add(time.Hour) }
	later := notices.New(c).SendAll(t.Context(), notifier.Actor{}, []notifier.Request{
		request("a", "1", to(at)), request("a", "2", to(at)), request("b", "1", to(at)), {Draft: to(at)},
	})

	if again := later[0]; again.Err != nil || !again.Replayed || again.Notice.ID != first.Notice.ID {
		t.Errorf("the same request: %+v", again)
	}
	if !errors.Is(later[1].Err, notifier.ErrOtherRequest) {
		t.Errorf("another request with its key: %v", later[1].Err)
	}
	for _, i := range []int{2, 3} {
		var bad *notifier.InvalidError
		if !errors.As(later[i].Err, &bad) || bad.Fields[0].Code != notifier.CodeSendPast {
			t.Errorf("a new request, %d: %v", i, later[i].Err)
		}
	}
}
