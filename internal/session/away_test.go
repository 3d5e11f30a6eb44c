package session_test

import (
	"context"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func TestSessionsKeepWorkingWithoutRedis(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	server := redistest.Own(t)
	b.cfg.Redis = limited(t, "unix", server.Socket)
	s := b.open()
	before := signIn(t, s, b.alice)
	wantSigned(t, s, before, "before")
	server.Crash(t)
	wantSigned(t, s, before, "Redis is away")
	during := signIn(t, s, b.alice)
	wantSigned(t, s, during, "signed in while Redis is away")
	if err := signOut(t, s, httptest.NewRecorder(), before); err != nil {
		t.Fatal(err)
	}
	wantAnonymous(t, s, before, "signed out while Redis is away")
	server.Restart(t)
	b.move(time.Hour) // Redis is tried again by then
	wantSigned(t, s, during, "Redis is back")
	read := wantSigned(t, s, during, "the copy").Read
	b.move(time.Second)
	if !wantSigned(t, s, during, "from the copy").Read.Equal(read) {
		t.Error("the copy in Redis is not used after Redis is back")
	}
}

func TestUnresponsiveRedisDelaysOnlyOnePage(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	var lc net.ListenConfig
	hole, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0") // accepts into its backlog and never responds
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hole.Close() }()
	b.cfg.Redis = limited(t, "tcp", hole.Addr().String())
	s := b.open()
	c := signIn(t, s, b.alice)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 500 { // at a quarter of a second each, they would miss the deadline
		if _, ok, err := signedIn(s, request(t, c).WithContext(ctx)); !ok || err != nil {
			t.Fatalf("signed in = %v, %v", ok, err)
		}
	}
}

func TestWithoutSQLOnlyCachedSessionsWork(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	copied, other := signIn(t, s, b.alice), signIn(t, s, b.alice)
	wantSigned(t, s, copied, "before")
	if err := b.sql.Close(); err != nil {
		t.Fatal(err)
	}
	wantSigned(t, s, copied, "from its copy")
	_, ok, err := signedIn(s, request(t, other))
	wantIs(t, err, notifier.ErrUnavailable)
	if ok {
		t.Error("reported as signed in although SQL is unavailable")
	}
	w := httptest.NewRecorder()
	wantIs(t, begin(t, s, w, b.alice), notifier.ErrUnavailable)
	wantIs(t, signOut(t, s, w, copied), notifier.ErrUnavailable)
	if len(w.Header()) != 0 {
		t.Errorf("a cookie was set although nothing was stored: %v", w.Header())
	}
	wantSigned(t, s, copied, "after a sign-out that failed")
}
