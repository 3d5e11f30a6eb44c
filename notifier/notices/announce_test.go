package notices_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

func toAudiences(audiences ...notifier.Audience) notifier.Draft {
	return notifier.Draft{Target: notifier.Target{Audiences: audiences}, Title: "We are closed on Monday", Sender: notifier.CommandRef("test")}
}

// unread returns how many announcements each user has not read.
func (r *rig) unread(t *testing.T, audience notifier.Audience, seqs ...int64) []int64 {
	t.Helper()
	readers := make([]notifier.Reader, len(seqs))
	for i, seq := range seqs {
		readers[i] = notifier.Reader{Seq: seq, Audience: audience}
	}
	badges, err := r.board.Badges(t.Context(), readers)
	if err != nil {
		t.Fatal(err)
	}
	unread := make([]int64, len(seqs))
	for i, b := range badges {
		unread[i] = b.Announcements
	}
	return unread
}

func (r *rig) wantUnread(t *testing.T, when string, want []int64, audience notifier.Audience, seqs ...int64) {
	t.Helper()
	if d := cmp.Diff(want, r.unread(t, audience, seqs...)); d != "" {
		t.Errorf("%s: unread announcements (-want +got):\n%s", when, d)
	}
}

func (r *rig) read(t *testing.T, id int64, audience notifier.Audience, seq int64) {
	t.Helper()
	if _, err := r.board.MarkRead(t.Context(), notifier.Reader{Seq: seq, Audience: audience}, id); err != nil {
		t.Fatal(err)
	}
}

func TestAnnouncementIsShownWhenSendReturns(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3) // in audience 3
	p := notices.New(r.config())
	n := send(t, p, toAudiences(3))
	if n.ID == 0 || n.PhaseAt(time.Now()) != notifier.PhaseOpen || n.Type != notifier.TypeAnnouncement {
		t.Errorf("announced as %+v", n)
	}
	r.wantUnread(t, "announced", []int64{1, 1, 1}, 3, seqs...)
	r.wantUnread(t, "another audience", []int64{0}, 2, seqs[0])
	r.everyoneHas(t, seqs, 0) // no inbox was touched
	stored, err := r.store.Notice(t.Context(), n.ID)
	if err != nil || stored.State != notifier.StateSent || !stored.ExpiresAt.Equal(n.EndsAt) {
		t.Errorf("stored as %+v, %v", stored, err)
	}
	if count, err := count(t, p, toAudiences(2, 3)); err != nil || count != 3 {
		t.Errorf("counted %d, %v; want 3", count, err)
	}
}

func TestConcurrentRepeatsAnnounceOnce(t *testing.T) {
	t.Parallel()
	for _, sql := range []string{"sqlite", "postgres"} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			address := ""
			if sql == "postgres" {
				address = sqltest.URL(t)
			}
			r := newRigOn(t, redistest.Client(t), address)
			seqs := r.users(t, "all", 2)
			p := notices.New(r.config())
			var ids sync.Map
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					n, err := sendOnce(t, p, toAudiences(3), once("x"))
					if err != nil || n.State != notifier.StateSent || n.PhaseAt(time.Now()) != notifier.PhaseOpen {
						t.Errorf("%+v, %v", n, err)
					}
					ids.Store(n.ID, true)
				})
			}
			all.Wait()
			seen := 0
			ids.Range(func(any, any) bool {
				seen++
				return true
			})
			if seen != 1 {
				t.Errorf("announced %d times", seen)
			}
			r.wantUnread(t, "announced", []int64{1, 1}, 3, seqs...)
		})
	}
}

func TestRepeatedAnnouncementRequestReturnsItsCurrentState(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 1)
	p := notices.New(r.config())
	repeat := func() notifier.Notice {
		t.Helper()
		n, err := sendOnce(t, p, toAudiences(3), once("x"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := repeat()
	d := first.Draft
	d.Title = "We are closed on Tuesday"
	edited, err := p.Edit(t.Context(), notifier.Actor{}, first.ID, first.Revision, d)
	if err != nil {
		t.Fatal(err)
	}
	if again := repeat(); again.ID != first.ID || again.Title != d.Title || again.Revision != edited.Revision || !again.EndsAt.Equal(first.EndsAt) {
		t.Errorf("repeated after an edit: %+v", again)
	}
	if _, err = sendOnce(t, p, toUsers("u1"), &notifier.Once{Owner: notifier.KeyRef("shop"), Key: "x"}); !errors.Is(err, notifier.ErrOtherRequest) {
		t.Errorf("a notice with the announcement's key: %v", err)
	}
	if err = p.Retract(t.Context(), notifier.Actor{}, first.ID); err != nil {
		t.Fatal(err)
	}
	if again := repeat(); again.ID != first.ID || again.State != notifier.StateRetracted {
		t.Errorf("repeated after it was retracted: %+v", again)
	}
	if err = p.Delete(t.Context(), notifier.Actor{}, first.ID); err != nil {
		t.Fatal(err)
	}
	if again := repeat(); again.ID != first.ID {
		t.Errorf("repeated after it was deleted: notice %d", again.ID)
	}
}

func TestEditRetractAndDeleteReachReadersAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := notices.New(r.config())
	n := send(t, p, toAudiences(3))
	reader := notifier.Reader{Seq: seqs[0], Audience: 3}

	d := toAudiences(2, 3)
	d.Title, d.Window = "We are closed on Tuesday", n.Window
	edited, err := p.Edit(t.Context(), notifier.Actor{}, n.ID, n.Revision, d)
	if err != nil {
		t.Fatal(err)
	}
	post, err := r.board.Find(t.Context(), reader, n.ID)
	if err != nil || post.Title != d.Title {
		t.Errorf("after the edit it says %q, %v", post.Title, err)
	}
	if _, err = p.Edit(t.Context(), notifier.Actor{}, n.ID, n.Revision, d); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("an edit based on the old revision: %v", err)
	}
	if edited.Revision == n.Revision || edited.Sender != n.Sender {
		t.Errorf("edited as %+v", edited)
	}
	if err = p.Delete(t.Context(), notifier.Actor{}, n.ID); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("deleting an open announcement: %v", err)
	}
	for range 2 { // the second call changes nothing
		if err = p.Retract(t.Context(), notifier.Actor{}, n.ID); err != nil {
			t.Fatal(err)
		}
		r.wantUnread(t, "retracted", []int64{0, 0}, 3, seqs...)
	}
	if _, err = r.board.Find(t.Context(), reader, n.ID); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("the retracted announcement is still shown: %v", err)
	}
	if err = p.Delete(t.Context(), notifier.Actor{}, n.ID); err != nil {
		t.Fatal(err)
	}
	for _, a := range []notifier.Audience{2, 3} { // although no run finished it
		if r.rdb.Exists(t.Context(), r.keys.Bits(a, n.ID)).Val() != 0 {
			t.Errorf("its bitmap of audience %d is still in Redis", a)
		}
	}
	if _, err = p.Progress(t.Context(), n.ID); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("the deleted announcement is still stored: %v", err)
	}
}

func TestEditCannotTurnANoticeIntoAnAnnouncementOrBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 1)
	p := running(t, r.config())
	n := send(t, p, toUsers("u1"))
	a := send(t, p, toAudiences(3))
	var bad *notifier.InvalidError
	if _, err := p.Edit(t.Context(), notifier.Actor{}, n.ID, n.Revision, toAudiences(3)); !errors.As(err, &bad) || bad.Fields[0].Field != "to" || bad.Fields[0].Code != "not_editable" {
		t.Errorf("a notice edited to go to an audience: %v", err)
	}
	if _, err := p.Edit(t.Context(), notifier.Actor{}, a.ID, a.Revision, toUsers("u1")); !errors.As(err, &bad) || bad.Fields[0].Field != "to" {
		t.Errorf("an announcement edited to go to a user: %v", err)
	}
	if err := p.Delete(t.Context(), notifier.Actor{}, n.ID); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("delete: %v", err)
	}
}

func TestReadShareIsKnownWhileOpenAndAfterwards(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 4)
	p := notices.New(r.config())
	n := send(t, p, toAudiences(1, 3))
	r.read(t, n.ID, 3, seqs[1])
	r.read(t, n.ID, 3, seqs[3])
	want := []notifier.Share{{Audience: 1, Counted: true}, {Audience: 3, Members: 4, Reads: 2, Counted: true}}
	progress := func(when string) notifier.Progress {
		t.Helper()
		got, err := p.Progress(t.Context(), n.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.Shares); d != "" {
			t.Errorf("%s (-want +got):\n%s", when, d)
		}
		return got
	}
	if got := progress("open"); got.Recipients != 4 || got.Read != 2 || !got.Counted {
		t.Errorf("total %d of %d, known: %v", got.Read, got.Recipients, got.Counted)
	}
	start(t, p)
	if err := p.Retract(t.Context(), notifier.Actor{}, n.ID); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "it is finished", func() bool {
		parts, err := r.store.Announcements(t.Context(), []int64{n.ID})
		if err != nil {
			t.Fatal(err)
		}
		return parts[0].Parts[0].Finished && parts[0].Parts[1].Finished
	})
	progress("retracted and counted")
	if left := r.rdb.Exists(t.Context(), r.keys.Bits(3, n.ID)).Val(); left != 0 {
		t.Error("its bitmap is still in Redis")
	}
}

func TestAnnouncementsMadeWhileRedisIsAwayAreShownLater(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, impatient(t, server))
	seqs := r.users(t, "all", 2)
	server.Crash(t)
	p := notices.New(r.config())
	start(t, p)
	n := send(t, p, toAudiences(3))
	got, err := p.Progress(t.Context(), n.ID)
	if err != nil || got.PhaseAt(time.Now()) != notifier.PhaseOpen {
		t.Errorf("while Redis is away: %+v, %v", got, err)
	}
	server.Restart(t)
	testkit.Eventually(t, "everybody has it unread", func() bool {
		badges, err := r.board.Badges(t.Context(), []notifier.Reader{{Seq: seqs[0], Audience: 3}, {Seq: seqs[1], Audience: 3}})
		return err == nil && badges[0].Announcements == 1 && badges[1].Announcements == 1
	})
}

func TestRedisLossKeepsAnnouncementsAndReads(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	r := newRig(t, server.Client(t))
	seqs := r.users(t, "all", 3)
	p := notices.New(r.config())
	first, second := send(t, p, toAudiences(3)), send(t, p, toAudiences(3))
	r.read(t, first.ID, 3, seqs[0])
	r.read(t, second.ID, 3, seqs[2])
	if _, err := r.board.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	r.wantUnread(t, "after the loss", []int64{1, 2, 1}, 3, seqs...)
	if err := r.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	posts, err := r.board.List(t.Context(), notifier.Reader{Seq: seqs[0], Audience: 3})
	if err != nil || len(posts.Items) != 2 || posts.Items[0].Read || !posts.Items[1].Read {
		t.Errorf("after another loss the first reader sees %+v, %v", posts, err)
	}
}

func TestBadgeIsTheSumOfBothHalves(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := running(t, r.config())
	send(t, p, toAudiences(3))
	send(t, p, toUsers("u2"))
	both := notices.Badges{Inbox: r.inbox, Announcements: r.board}
	badges, err := both.Badges(t.Context(), []notifier.Reader{{Seq: seqs[0], Audience: 3}, {Seq: seqs[1], Audience: 3}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []notifier.Badge{{Unread: 1, Announcements: 1}, {Unread: 2, Inbox: 1, Announcements: 1}} {
		got := badges[i]
		if got.Ver == 0 || got.AVer == 0 {
			t.Errorf("user %d: no versions in %+v", i, got)
		}
		if got.Ver, got.AVer = 0, 0; got != want {
			t.Errorf("user %d: %+v, want %+v", i, got, want)
		}
	}
}
