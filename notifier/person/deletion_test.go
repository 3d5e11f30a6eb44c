package person_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(m)) }

// inbox cannot be erased before the channel is closed.
type inbox chan struct{}

func (b inbox) Erase(ctx context.Context, _ int64) error {
	select {
	case <-b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (inbox) Outdate(context.Context, []int64) error { return nil }

func (inbox) EditAll(context.Context, []notifier.Delivery) []error { return nil }

func TestADeletionThatTakesLongIsFinishedByRun(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	box, cleared := make(inbox), make(chan struct{}, 10)
	rdb, space, quiet := redistest.Client(t), redistest.Space(t), slog.New(slog.DiscardHandler)
	announcements := announcement.New(rdb, space, db, announcement.Options{Audiences: []notifier.Audience{1, 2, 3}, Log: quiet})
	p := person.New(person.Config{
		Store: db, Audit: db, Inbox: box, Announcements: announcements,
		Sessions: session.New(session.Config{SQL: db, Redis: rdb, Space: space, Announcements: announcements, Log: quiet}),
		Toasts:   toast.New(rdb, space, toast.Options{Log: quiet}),
		Clear:    func(context.Context) { cleared <- struct{}{} }, Wait: 10 * time.Millisecond,
	})
	by := notifier.Actor{Ref: notifier.CommandRef("test")}
	bob, err := p.Add(t.Context(), by, notifier.NewUser{Name: "bob", Audience: 2})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})

	want := notifier.Deleted{Seq: bob.Seq, Name: "bob", Begun: true}
	if got, err := p.Delete(t.Context(), by, "bob", nil); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if _, err := p.Add(t.Context(), by, notifier.NewUser{Name: "bob", Audience: 2}); !errors.Is(err, notifier.ErrLeaving) {
		t.Errorf("meanwhile the name is taken: %v", err)
	}
	close(box)
	select {
	case <-cleared:
	case <-time.After(time.Minute):
		t.Fatal("the deletion does not end")
	}
	again, err := p.Add(t.Context(), by, notifier.NewUser{Name: "bob", Audience: 2})
	if err != nil || again.Seq == bob.Seq {
		t.Errorf("afterwards the name is free: %+v, %v", again, err)
	}
}
