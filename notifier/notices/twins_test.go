package notices_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

// twins are two running instances, each with its own connections to SQL, and one that dies right after each of its commits: it
// delivers nothing.
type twins struct {
	*rig
	stores  []*store.Store
	notices []*notices.Notices
	dying   *notices.Notices
}

func newTwins(t *testing.T, url string) *twins {
	t.Helper()
	w := &twins{rig: newRigOn(t, redistest.Own(t).Client(t), url)}
	t.Cleanup(func() {
		if t.Failed() {
			w.logWork(t)
		}
	})
	other, err := store.Open(t.Context(), store.Config{URL: url, DataDir: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	w.stores = []*store.Store{w.store, other}
	for _, s := range w.stores {
		c := w.config()
		c.Store = s
		w.notices = append(w.notices, running(t, c))
	}
	c := w.config()
	c.Store, c.Wait = other, 0
	w.dying = notices.New(c)
	return w
}

// background runs a part of an instance until the test ends.
func background(t *testing.T, run func(context.Context) error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// logWork logs the work that is not done, and the work that was given up.
func (w *twins) logWork(t *testing.T) {
	ctx := context.Background()
	dead, err := w.store.DeadLetters(ctx, 0, 10)
	for _, d := range dead {
		t.Logf("given up: %+v", d)
	}
	unfinished, bad := w.store.Unfinished(ctx, 0, 10)
	for _, n := range unfinished {
		t.Logf("unfinished: notice %d in revision %d is %s", n.ID, n.Revision, n.State)
	}
	rows, worse := w.store.CountWork(ctx, 100)
	t.Logf("%d notices and rows of work in all; %v", rows, errors.Join(err, bad, worse))
}

// members adds users with a role.
func (w *twins) members(t *testing.T, role string, n int) (users []notifier.User) {
	t.Helper()
	for i := range n {
		u, err := w.store.CreateUser(t.Context(), notifier.NewUser{Name: fmt.Sprint(role, "-", i), Audience: 3, Roles: []string{role}})
		if err != nil {
			t.Fatal(err)
		}
		users = append(users, u)
	}
	return users
}

// keep stores a notice with these extras to members of a role, which lasts for some time, and returns its id.
func (w *twins) keep(t *testing.T, role string, to []notifier.User, x notifier.Extras, life time.Duration) int64 {
	t.Helper()
	n := &notifier.Notice{Draft: toRole(role), CreatedAt: time.Now(), ExpiresAt: time.Now().Add(life), State: notifier.StateAccepted}
	n.Extras = x
	acceptance := &notifier.Acceptance{Notice: n, To: roaring.New()}
	for _, u := range to {
		acceptance.To.Add(uint32(u.Seq))
	}
	if err := w.store.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{acceptance}); err != nil || acceptance.Err != nil {
		t.Fatal(err, acceptance.Err)
	}
	return n.ID
}

// row returns what the row of a notice without a subject shows a user; nil: they have none.
func (w *twins) row(t *testing.T, u notifier.User, id int64) *notifier.Entry {
	t.Helper()
	e, err := w.inbox.Find(t.Context(), u.Seq, fmt.Sprint("news:notice_id:", id), 0)
	if errors.Is(err, notifier.ErrNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return &e
}

// loseRedis empties Redis, and has what was sent since a time delivered again.
func (w *twins) loseRedis(t *testing.T, since time.Time) error {
	t.Helper()
	w.flushAll(t)()
	return w.notices[1].Resend(t.Context(), since.Add(-time.Minute))
}

func (w *twins) deleteUser(t *testing.T, s *store.Store, u notifier.User) error {
	t.Helper()
	d, _, err := s.BeginDeletion(t.Context(), u.Name)
	if err == nil {
		err = s.Forget(t.Context(), d, nil, nil)
	}
	if err == nil {
		err = w.inbox.Erase(t.Context(), d.Seq)
	}
	if err == nil {
		err = s.EndDeletion(t.Context(), d.Seq)
	}
	return err
}

func by(u notifier.User) notifier.Actor { return notifier.Actor{Ref: notifier.UserRef(u)} }
