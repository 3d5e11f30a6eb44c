package session_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// heard is a subscription to a user's channel.
type heard struct {
	t   *testing.T
	sub *redis.PubSub
}

func (b *bench) listen(t *testing.T, u notifier.User) *heard {
	t.Helper()
	h := &heard{t, b.cfg.Redis.Subscribe(t.Context(), b.cfg.Space.LiveUser(u.Seq))}
	t.Cleanup(func() { _ = h.sub.Close() })
	if _, err := h.sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *heard) next() string {
	h.t.Helper()
	for {
		m, err := h.sub.ReceiveTimeout(h.t.Context(), testkit.Patience)
		if err != nil {
			h.t.Fatalf("nothing was published: %v", err)
		}
		if m, ok := m.(*redis.Message); ok {
			return m.Payload
		}
	}
}

// announcements records which users moved to which audience. It reports a change raises times.
type announcements struct {
	mu     sync.Mutex
	moves  []notifier.Reader
	raises int
}

func (b *announcements) Move(_ context.Context, r notifier.Reader) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moves = append(b.moves, r)
	b.raises--
	return b.raises >= 0, nil
}

func (b *announcements) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.moves)
}

// work runs an instance until the test ends.
func work(t *testing.T, s *session.Sessions) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	})
}

func move(t *testing.T, b *bench, a notifier.Audience) {
	t.Helper()
	if _, _, err := b.sql.PutUser(t.Context(), notifier.PutUser{Name: b.alice.Name, Audience: &a}); err != nil {
		t.Fatal(err)
	}
}

func TestEndOfSessionIsPublished(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	id := wantSigned(t, s, signIn(t, s, b.alice), "a session").ID
	h := b.listen(t, b.alice)
	if _, err := s.Expel(t.Context(), b.alice.Seq); err != nil {
		t.Fatal(err)
	}
	if got, want := h.next(), (notifier.Signal{Kind: notifier.SignalEnded, Browser: notifier.Browser(id)}).String(); got != want {
		t.Errorf("sign-out everywhere: published %q; want %q", got, want)
	}
	c := signIn(t, s, b.alice)
	id = wantSigned(t, s, c, "once more").ID
	if err := signOut(t, s, httptest.NewRecorder(), c); err != nil {
		t.Fatal(err)
	}
	if got := h.next(); got != "E "+notifier.Browser(id) {
		t.Errorf("sign-out: published %q", got)
	}
	if left, err := b.sql.EndedSessions(t.Context(), 10); err != nil || len(left) != 0 {
		t.Errorf("still pending although published: %v, %v", left, err)
	}
}

// TestRunPublishesChangesThatAreOnlyInSQL covers changes made by a command, or by a server that died
// before it published them.
func TestRunPublishesChangesThatAreOnlyInSQL(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	c := signIn(t, s, b.alice)
	wantSigned(t, s, c, "before")
	if err := b.sql.RemoveRole(t.Context(), b.alice.Name, notifier.RoleStaff); err != nil {
		t.Fatal(err)
	}
	if !wantSigned(t, s, c, "from its copy").User.HasRole(notifier.RoleStaff) {
		t.Fatal("there is no copy, so this test proves nothing")
	}
	work(t, b.open())
	testkit.Eventually(t, "the role has left the session", func() bool { return !wantSigned(t, s, c, "after").User.HasRole(notifier.RoleStaff) })
	if _, err := b.sql.SetPassword(t.Context(), b.alice.Name, "new"); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the session has ended", func() bool { _, ok := current(t, s, c); return !ok })
	testkit.Eventually(t, "nothing is pending", func() bool {
		ended, err1 := b.sql.EndedSessions(t.Context(), 10)
		changes, err2 := b.sql.ChangedUsers(t.Context(), b.now(), 10)
		return err1 == nil && err2 == nil && len(ended)+len(changes) == 0
	})
}

func TestChangesDuringARedisOutageArePublishedAfterwards(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	server := redistest.Own(t)
	b.cfg.Redis = limited(t, "unix", server.Socket)
	s := b.open()
	c := signIn(t, s, b.alice)
	id := wantSigned(t, s, c, "before").ID
	server.Crash(t)
	if _, err := s.Expel(t.Context(), b.alice.Seq); err != nil {
		t.Fatal(err)
	}
	wantAnonymous(t, s, c, "while Redis is away")
	work(t, s)
	server.Restart(t)
	testkit.Eventually(t, "the session has ended in Redis", func() bool {
		return b.cfg.Redis.Get(t.Context(), b.cfg.Space.Session(id)).Val() == "ended"
	})
}

func TestReadInFlightDuringAChangeDoesNotRestoreOldRoles(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	c := signIn(t, s, b.alice)
	fill := hold(b.cfg.Redis)
	slow := make(chan struct{})
	go func() {
		defer close(slow)
		_, _, _ = signedIn(s, request(t, c))
	}()
	<-fill.reached // SQL has returned the old roles, but the copy is not in Redis yet
	if err := b.sql.RemoveRole(t.Context(), b.alice.Name, notifier.RoleStaff); err != nil {
		t.Fatal(err)
	}
	s.Publish(t.Context(), b.alice.Seq)
	close(fill.release)
	<-slow
	if wantSigned(t, s, c, "after the change").User.HasRole(notifier.RoleStaff) {
		t.Error("the session has the roles from before the change")
	}
}

func TestMoveIsPublishedBetweenTwoRaises(t *testing.T) {
	t.Parallel()
	b, moves := setUp(t), &announcements{raises: 1}
	b.cfg.Announcements = moves
	s := b.open()
	c := signIn(t, s, b.alice)
	wantSigned(t, s, c, "before")
	h := b.listen(t, b.alice)
	move(t, b, 1)
	s.Publish(t.Context(), b.alice.Seq)
	if got := h.next(); got != "M" {
		t.Errorf("published %q", got)
	}
	if got := wantSigned(t, s, c, "after").User.Audience; got != 1 {
		t.Errorf("the session is in audience %d", got)
	}
	to := notifier.Reader{Seq: b.alice.Seq, Audience: 1}
	if !slices.Equal(moves.moves, []notifier.Reader{to, to}) {
		t.Errorf("the announcements were notified of %v; want the move before and after it was published", moves.moves)
	}
	if err := b.sql.AddRole(t.Context(), b.bob.Name, "driver"); err != nil {
		t.Fatal(err)
	}
	s.Publish(t.Context(), b.bob.Seq)
	if moves.count() != 2 {
		t.Error("a change of roles was treated as a move")
	}
}

// TestAMoveIsCheckedASecondTime: another instance may have answered from its cache of the old audience,
// and an announcement may have opened there.
func TestAMoveIsCheckedASecondTime(t *testing.T) {
	t.Parallel()
	b, moves := setUp(t), &announcements{}
	b.cfg.Announcements = moves
	s := b.open()
	move(t, b, 1)
	s.Publish(t.Context(), b.alice.Seq)
	before := moves.count()
	moves.raises = 1 // an announcement has opened in the old audience since
	h := b.listen(t, b.alice)
	b.move(time.Minute)
	work(t, s)
	if got := h.next(); got != "M" {
		t.Errorf("published %q", got)
	}
	testkit.Eventually(t, "the move is not pending any more", func() bool {
		changes, err := b.sql.ChangedUsers(t.Context(), b.now(), 10)
		return err == nil && len(changes) == 0
	})
	if got := moves.count(); got != before+2 {
		t.Errorf("the announcements were notified %d more times; want once before the signal and once after it", got-before)
	}
}
