package instance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/store"
)

func quietStore(t *testing.T) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestTheAlertOfAWrongClockFires(t *testing.T) {
	t.Parallel()
	db, rdb, space, ahead := quietStore(t), redistest.Client(t), redistest.Space(t), time.Duration(0)
	g := guard.New(guard.Config{
		Raw: rdb, Keys: space, Store: db, Inboxes: inbox.New(rdb, space, inbox.Options{SQL: db}),
		Resend: func(context.Context, time.Time) error { return nil },
		Wall:   func() time.Time { return time.Now().Add(ahead) },
	})
	from := quietSources(db)
	from.clock = g.Measured
	pages, p := admin(from), testkit.NewPrometheus(t, time.Minute)
	look := func() {
		t.Helper()
		if err := g.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.Scrape(scrape(t, pages))
	}
	look()
	p.Silent("CarillonClockOff")
	ahead = 10 * time.Second // this machine's clock; Redis is used up to 30
	for range 4 {
		look()
	}
	p.Fires("CarillonClockOff")
	p.Check(t)
}

// attacked is how many users an attack tries in each minute.
const attacked = 70

// addAttacked adds users with a password whose hash is checked quickly.
func addAttacked(t *testing.T, db *store.Store) {
	t.Helper()
	hash, err := argon2id.CreateHash("right", &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 8, KeyLength: 16})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	next := func() (notifier.NewUser, int, error) {
		if n++; n > 21*attacked {
			return notifier.NewUser{}, n, io.EOF
		}
		return notifier.NewUser{Name: fmt.Sprint("user", n-1), Audience: 3, PasswordHash: hash}, n, nil
	}
	if _, err := db.ImportUsers(t.Context(), 21*attacked, next, nil); err != nil {
		t.Fatal(err)
	}
}

func TestTheAlertOfAnAttackOnPasswordsFires(t *testing.T) {
	t.Parallel()
	db := quietStore(t)
	addAttacked(t, db)
	entry := session.NewSignIns(session.SignInConfig{Users: db, Redis: redistest.Client(t), Space: redistest.Space(t)})
	from := quietSources(db)
	from.signIns = entry.Stats
	pages, p := admin(from), testkit.NewPrometheus(t, time.Minute)
	p.Scrape(scrape(t, pages))
	p.Silent("CarillonSignInsAttacked")
	for minute := range 21 {
		for n := range attacked {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/login", http.NoBody)
			if _, _, err := entry.Check(r, fmt.Sprint("user", minute*attacked+n), "wrong", fmt.Sprintf("192.0.2.%d", minute)); err == nil {
				t.Fatal("a wrong password was taken")
			}
		}
		p.Scrape(scrape(t, pages))
	}
	p.Fires("CarillonSignInsAttacked")
	p.Check(t)
}

// still are badges that nobody has changed.
type still struct{}

func (still) Badges(_ context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	return make([]notifier.Badge, len(readers)), nil
}

func TestTheAlertOfLateBadgesFires(t *testing.T) {
	t.Parallel()
	rdb, space, from := redistest.Client(t), redistest.Space(t), quietSources(quietStore(t))
	proxy := faulty.Listen(t, "unix", redistest.Socket(t))
	far := redis.NewClient(&redis.Options{Addr: proxy.Addr()})
	t.Cleanup(func() { _ = far.Close() })
	hub := live.New(live.Config{
		Redis: far, Keys: space, Badges: still{}, Heard: from.times.heard,
		Limits: live.Limits{Silence: time.Hour}, // a subscription that is behind is never given up
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := hub.Serve(w, r, notifier.Reader{Seq: 7, Audience: 1}, notifier.StreamOf{}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		server.Close()
	})
	stream := openStream(t, server.URL)
	defer func() { _ = stream.Close() }()

	pages, p := admin(from), testkit.NewPrometheus(t, time.Minute)
	published := func() float64 {
		return metric(t, scrape(t, pages), `carillon_delivery_seconds_count{stage="published"}`)
	}
	p.Scrape(scrape(t, pages))
	p.Silent("CarillonBadgesLate")
	for sent := range 2 {
		proxy.Hole(true)
		changed := time.Now()
		if err := rdb.Publish(t.Context(), space.LiveUser(7), fmt.Sprintf("%d 1", changed.UnixMilli())).Err(); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "its badge is late", func() bool { return time.Since(changed) > 1500*time.Millisecond })
		proxy.Hole(false)
		testkit.Eventually(t, "its badge is published", func() bool { return published() > float64(sent) })
		for range 4 {
			p.Scrape(scrape(t, pages))
		}
	}
	p.Fires("CarillonBadgesLate")
	p.Check(t)
}

// openStream returns the stream of events at an address, once it has begun.
func openStream(t *testing.T, address string) io.ReadCloser {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the stream: %s", res.Status)
	}
	return res.Body
}
