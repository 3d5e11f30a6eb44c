package session_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

const right = "correct horse"

// everyone returns a directory of alice, bob, and user 0 to user 499, whose password is right, with hashes that are
// cheap to compute. Names such as user 7 avoid the time that the password of an unknown name costs.
func everyone(t *testing.T) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	names, hash := []string{"alice", "bob"}, cheapHash(t)
	for i := range 500 {
		names = append(names, fmt.Sprint("user ", i))
	}
	line := 0
	_, err = db.ImportUsers(t.Context(), len(names), func() (notifier.NewUser, int, error) {
		if line++; line > len(names) {
			return notifier.NewUser{}, line, io.EOF
		}
		return notifier.NewUser{Name: names[line-1], Audience: 3, PasswordHash: hash}, line, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// cheapHash returns a hash of the right password, each time with another salt.
func cheapHash(t *testing.T) string {
	t.Helper()
	cheap, err := argon2id.CreateHash(right, &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		t.Fatal(err)
	}
	return cheap
}

func newGate(t *testing.T, users *store.Store) *session.SignIns {
	t.Helper()
	return session.NewSignIns(session.SignInConfig{Users: users, Redis: redistest.Client(t), Space: redistest.Space(t)})
}

// wantRefused checks for a TooManyError with a time within the window.
func wantRefused(t *testing.T, err error, what string) {
	t.Helper()
	var many *session.TooManyError
	if !errors.As(err, &many) || !errors.Is(err, notifier.ErrTooMany) {
		t.Errorf("%s: error = %v; want ErrTooMany", what, err)
		return
	}
	if many.RetryAfter <= 0 || many.RetryAfter > 15*time.Minute {
		t.Errorf("%s: retry after %v; want up to 15 minutes", what, many.RetryAfter)
	}
}

// check attempts to sign in from an unknown browser, or from one that carries cookies.
func check(t *testing.T, g *session.SignIns, name, password, address string, carried ...*http.Cookie) (notifier.User, error) {
	t.Helper()
	user, _, err := g.Check(request(t, carried...), name, password, address)
	return user, err
}

func fails(t *testing.T, g *session.SignIns, n int, name, address string) {
	t.Helper()
	for range n {
		_, err := check(t, g, name, "wrong", address)
		wantIs(t, err, notifier.ErrUnauthenticated)
	}
}

func TestOnlyTheRightPasswordSignsIn(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	hash, err := session.HashPassword(right)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.sql.SetPassword(t.Context(), "alice", hash); err != nil {
		t.Fatal(err)
	}
	g := newGate(t, b.sql)
	u, err := check(t, g, "alice", right, "192.0.2.1:5")
	if err != nil || u.Seq != b.alice.Seq || !u.HasRole(notifier.RoleStaff) {
		t.Errorf("user = %+v, %v; want alice with her roles", u, err)
	}
	for name, password := range map[string]string{
		"alice": right + " ", "Alice": right, b.bob.Name: "", "nobody": right, "": "", "nul\x00": right,
		"\xff": right, strings.Repeat("x", 10_000): right, "carol": strings.Repeat("p", 1<<20),
	} {
		u, err := check(t, g, name, password, "192.0.2.2")
		wantIs(t, err, notifier.ErrUnauthenticated)
		if u.Seq != 0 {
			t.Errorf("a refused attempt reveals user %d", u.Seq)
		}
	}
}

func TestPasswordsHave8To200Bytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "password_short", 7: "password_short", 8: "", 200: "", 201: "password_long"} {
		_, err := session.HashPassword(strings.Repeat("x", n))
		var bad *notifier.InvalidError
		switch {
		case want == "" && err != nil:
			t.Errorf("%d bytes: %v", n, err)
		case want != "" && (!errors.As(err, &bad) || bad.Fields[0].Code != want):
			t.Errorf("%d bytes: %v; want %s", n, err, want)
		}
	}
}

func TestTenFailuresLockAnAccountOnEveryInstance(t *testing.T) {
	t.Parallel()
	cfg := session.SignInConfig{Users: everyone(t), Redis: redistest.Client(t), Space: redistest.Space(t)}
	one, two := session.NewSignIns(cfg), session.NewSignIns(cfg)
	fails(t, one, 6, "alice", "192.0.2.1")
	if _, err := check(t, two, "alice", right, "192.0.2.9"); err != nil {
		t.Errorf("the right password after 6 failures: %v", err)
	}
	fails(t, two, 4, "alice", "192.0.2.2")
	for range 3 {
		_, err := check(t, one, "alice", right, "192.0.2.3")
		wantRefused(t, err, "the right password after 10 failures")
	}
	if _, err := check(t, one, "bob", right, "192.0.2.1"); err != nil {
		t.Errorf("another account: %v", err)
	}
}

func TestHundredFailuresLockAnAddress(t *testing.T) {
	t.Parallel()
	for name, addresses := range map[string][3]string{
		"IPv4":        {"192.0.2.1:80", "::ffff:192.0.2.1", "192.0.2.2"},
		"IPv6 by /64": {"2001:db8::1", "[2001:db8::ffff:1]:443", "2001:db8:0:1::1"},
		"no address":  {"", "elsewhere", "192.0.2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t, everyone(t))
			for i := range 100 {
				fails(t, g, 1, fmt.Sprint("user ", i), addresses[i%2])
			}
			_, err := check(t, g, "alice", right, addresses[1])
			wantRefused(t, err, "the address")
			if _, err = check(t, g, "alice", right, addresses[2]); err != nil {
				t.Errorf("another address: %v", err)
			}
		})
	}
}

func TestSuccessfulSignInsAreNotCounted(t *testing.T) {
	t.Parallel()
	g := newGate(t, everyone(t))
	for range 120 {
		if _, err := check(t, g, "alice", right, "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	fails(t, g, 10, "alice", "192.0.2.1")
}

func TestConcurrentAttemptsStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	g := newGate(t, everyone(t))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var tried int
	for range 200 {
		wg.Go(func() {
			_, err := check(t, g, "alice", "wrong", "192.0.2.1")
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, notifier.ErrUnauthenticated) {
				tried++
			} else if !errors.Is(err, notifier.ErrTooMany) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if tried > 10 {
		t.Errorf("%d passwords were checked; want at most 10", tried)
	}
	if _, err := check(t, g, "bob", right, "192.0.2.1"); err != nil {
		t.Errorf("refused attempts were counted for the address: %v", err)
	}
}

func TestEachProcessCountsFailuresWithoutRedis(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	at := time.Now()
	now := func() time.Time { mu.Lock(); defer mu.Unlock(); return at }
	away := redis.NewClient(&redis.Options{Network: "unix", Addr: "/nowhere", MaxRetries: -1, ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = away.Close() })
	for name, rdb := range map[string]redis.UniversalClient{"none": nil, "away": away} {
		g := session.NewSignIns(session.SignInConfig{Users: everyone(t), Redis: rdb, Space: redistest.Space(t), Now: now})
		if _, err := check(t, g, "alice", right, "192.0.2.1"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fails(t, g, 10, "alice", "192.0.2.1")
		_, err := check(t, g, "alice", right, "192.0.2.1")
		wantRefused(t, err, name)
		mu.Lock()
		at = at.Add(15 * time.Minute)
		mu.Unlock()
		if _, err := check(t, g, "alice", right, "192.0.2.1"); err != nil {
			t.Errorf("%s, after the window: %v", name, err)
		}
	}
}

func TestFailuresAreNotCountedWithoutSQL(t *testing.T) {
	t.Parallel()
	cfg := session.SignInConfig{Users: everyone(t), Redis: redistest.Client(t), Space: redistest.Space(t)}
	away := cfg
	away.Users = everyone(t)
	if err := away.Users.Close(); err != nil {
		t.Fatal(err)
	}
	g := session.NewSignIns(away)
	for range 20 {
		_, err := check(t, g, "alice", right, "192.0.2.1")
		wantIs(t, err, notifier.ErrUnavailable)
	}
	if _, err := check(t, session.NewSignIns(cfg), "alice", right, "192.0.2.1"); err != nil {
		t.Errorf("SQL is back: %v", err)
	}
}

func TestManyCorrectConcurrentSignInsDoNotLockTheAccount(t *testing.T) {
	t.Parallel()
	g := newGate(t, everyone(t))
	var crowd errgroup.Group
	for range 200 {
		crowd.Go(func() error {
			_, err := check(t, g, "alice", right, "192.0.2.1")
			return err
		})
	}
	if err := crowd.Wait(); err != nil {
		t.Error(err)
	}
}
