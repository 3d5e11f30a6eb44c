package notices_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

func TestSmallNoticeIsDeliveredWhenSendReturns(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	p := running(t, r.config())
	n := send(t, p, toUsers("u1", "u3", "u1"))
	if n.ID == 0 || n.State != notifier.StateSent || n.Recipients != 2 {
		t.Errorf("sent as %+v", n)
	}
	r.everyoneHas(t, []int64{seqs[0], seqs[2]}, 1)
	r.everyoneHas(t, seqs[1:2], 0)
	page, err := r.inbox.Open(t.Context(), seqs[0])
	if err != nil {
		t.Fatal(err)
	}
	e := page.Entries[0]
	if e.Key != n.Key() || !e.ExpiresAt.Equal(n.ExpiresAt) || !reflect.DeepEqual(e.Content, n.Content()) {
		t.Errorf("the entry is %+v, of the notice %+v", e, n)
	}
}

func TestLargeNoticeIsDeliveredInTheBackground(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	c := r.config()
	c.Chunk = 50
	p := notices.New(c)
	n := send(t, p, toRole("all"))
	if n.State != notifier.StateAccepted || n.Recipients != 300 {
		t.Errorf("accepted as %+v", n)
	}
	r.everyoneHas(t, seqs, 0)
	start(t, p)
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
	testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
}

func TestSendAcceptsARoleWithoutMembersAndRefusesAnUnknownOne(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 1)
	if err := r.store.AddRole(t.Context(), "u1", "empty"); err != nil {
		t.Fatal(err)
	}
	if err := r.store.RemoveRole(t.Context(), "u1", "empty"); err != nil {
		t.Fatal(err)
	}
	p := running(t, r.config())
	if n := send(t, p, toRole("empty")); n.State != notifier.StateSent || n.Recipients != 0 {
		t.Errorf("to an empty role: %+v", n)
	}
	for _, d := range []notifier.Draft{toRole("nobody"), toUsers("u1", "u9", "u8"), {}} {
		var bad *notifier.InvalidError
		if _, err := sendOnce(t, p, d, nil); !errors.As(err, &bad) || bad.Fields[0].Field != "to" {
			t.Errorf("Send to %+v: %v", d.Target, err)
		}
		if _, err := count(t, p, d); !errors.As(err, &bad) {
			t.Errorf("Count of %+v: %v", d.Target, err)
		}
	}
	if sent, err := r.store.Notices(t.Context(), notifier.NoticeQuery{Limit: 10}); err != nil || len(sent) != 1 {
		t.Errorf("%d notices are stored, %v; want 1", len(sent), err)
	}
}

func TestCountSendsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 5)
	got, err := count(t, notices.New(r.config()), toRole("all"))
	if err != nil || got != 5 {
		t.Errorf("%d, %v", got, err)
	}
	r.everyoneHas(t, seqs, 0)
}

func TestProgressCountsDeliveriesAndReads(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	p := running(t, r.config())
	many, one, none := send(t, p, toRole("all")), send(t, p, toUsers("u2")), send(t, p, toUsers("u3"))
	for _, seq := range seqs[:2] {
		if _, err := r.inbox.Open(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[int64]notifier.Progress{
		many.ID: {Notice: many, Delivered: 3, Read: 2, Counted: true},
		one.ID:  {Notice: one, Delivered: 1, Read: 1, Counted: true},
		none.ID: {Notice: none, Delivered: 1, Read: 0, Counted: true},
	} {
		got, err := p.Progress(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		got.ExpiresIn = want.ExpiresIn // a stored notice has ExpiresAt instead
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("notice %d: %s", id, diff)
		}
	}
	if _, err := p.Progress(t.Context(), 99); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("an unknown notice: %v", err)
	}
}
