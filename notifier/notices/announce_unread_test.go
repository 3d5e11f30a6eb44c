package notices_test

import (
	"errors"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/notices"
)

func TestEditUnreadReachesReadersOnEveryInstanceAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := notices.New(r.config())
	n := send(t, p, toAudiences(2, 3))
	reader := notifier.Reader{Seq: seqs[0], Audience: 3}
	other := newAnnouncements(r.rdb, r.keys, r.store)
	reads := func() {
		t.Helper()
		if _, err := other.MarkRead(t.Context(), reader, n.ID); err != nil {
			t.Fatal(err)
		}
	}
	unread := func(what string, want int64) {
		t.Helper()
		for i, board := range []*announcement.Announcements{r.board, other} {
			b, err := board.Badges(t.Context(), []notifier.Reader{reader})
			if err != nil || b[0].Announcements != want {
				t.Errorf("%s: instance %d says %+v, %v; want %d unread", what, i, b, err, want)
			}
		}
	}
	reads()
	unread("read", 0)

	edited, err := p.EditUnread(t.Context(), notifier.Actor{}, n.ID, n.Revision, n.Draft) // nothing else changes
	if err != nil || edited.Revision != n.Revision+1 {
		t.Fatalf("edited to %+v, %v", edited, err)
	}
	unread("marked as unread", 1)
	if post, err := other.Find(t.Context(), reader, n.ID); err != nil || post.Read || post.EditedAt.IsZero() {
		t.Errorf("the page shows %+v, %v", post, err)
	}
	reads()
	unread("read again", 0)
	if _, err = p.Edit(t.Context(), notifier.Actor{}, n.ID, edited.Revision, withTitle(edited.Draft, "Later")); err != nil {
		t.Fatal(err)
	}
	unread("an ordinary edit", 0)

	if _, err = p.EditUnread(t.Context(), notifier.Actor{}, n.ID, n.Revision, n.Draft); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("an edit of the old revision: %v", err)
	}
	if err = p.Retract(t.Context(), notifier.Actor{}, n.ID); err != nil {
		t.Fatal(err)
	}
	if _, err = p.EditUnread(t.Context(), notifier.Actor{}, n.ID, edited.Revision+1, edited.Draft); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("an edit of a retracted one: %v", err)
	}
}

func TestEditUnreadIsRefusedForNoticesToInboxes(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 1)
	p := running(t, r.config())
	n := send(t, p, toUsers("u1"))
	var bad *notifier.InvalidError
	if _, err := p.EditUnread(t.Context(), notifier.Actor{}, n.ID, n.Revision, n.Draft); !errors.As(err, &bad) || bad.Fields[0].Field != "unread" {
		t.Errorf("edit: %v", err)
	}
}

func withTitle(d notifier.Draft, title string) notifier.Draft {
	d.Title = title
	return d
}
