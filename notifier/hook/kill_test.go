package hook_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/hook"
	"github.com/carillonhq/carillon/store"
)

// The environment of a process that only sends.
const (
	senderDir  = "CARILLON_TEST_SENDER_DIR"
	senderLate = "CARILLON_TEST_SENDER_LATE" // by how many minutes its clock is late, so that the claims of those before have ended
)

// runSender sends the events in a directory until it is killed.
func runSender(dir string) error {
	late, err := strconv.Atoi(os.Getenv(senderLate))
	if err != nil {
		return err
	}
	now := func() time.Time { return time.Now().Add(time.Duration(late) * time.Minute) }
	db, err := store.Open(context.Background(), store.Config{DataDir: dir, Now: now})
	if err != nil {
		return err
	}
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	hooks, err := hook.New(hook.Config{Store: db, SessionKeys: [][]byte{sessionKey}, Allow: allow})
	if err != nil {
		return err
	}
	return hook.NewStage(hook.StageConfig{
		Store: db, Hooks: hooks, Plain: hook.NewClient(outbound.Dialer{Allow: allow, Only: true}.Transport(nil)), Leases: lease.Alone, Now: now,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}).Run(context.Background())
}

// TestEachEventIsSentAtLeastOnceThoughSendersAreKilled kills the process that sends 100 times: before a message is answered, and after it was,
// so between claim, sending and storing the result.
func TestEachEventIsSentAtLeastOnceThoughSendersAreKilled(t *testing.T) {
	t.Parallel()
	const kills, each = 100, 6 // a sender settles fewer before it is killed
	dir := t.TempDir()
	w := newWorldIn(t, dir)
	var mu sync.Mutex
	var sender *os.Process // nil: it is killed
	count := 0
	kill := func() {
		if sender != nil {
			_ = sender.Kill()
			sender = nil
		}
	}
	to := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		count++
		switch count % 5 {
		case 1: // not answered
			kill()
		case 3: // answered, and perhaps not stored
			w.WriteHeader(http.StatusNoContent)
			_ = http.NewResponseController(w).Flush()
			kill()
		}
	})
	h, secret := w.add("shop", to.URL)
	w.test(h, each*kills)
	want := w.events(h)
	for n := range kills {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), senderDir+"="+dir, senderLate+"="+strconv.Itoa(2*n))
		var log bytes.Buffer
		cmd.Stderr = &log
		mu.Lock()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		sender = cmd.Process
		mu.Unlock()
		_ = cmd.Wait() // it was killed
		if !bytes.Equal(log.Bytes(), nil) {
			t.Fatalf("sender %d: %s", n, &log)
		}
	}
	to.set(nil)
	w.move(2 * kills * time.Minute)
	testkit.Eventually(t, "nothing waits", func() bool {
		w.round()
		all, err := w.db.Hooks(t.Context())
		return err == nil && all[0].Waiting == 0
	})
	got := map[string]int{}
	bodies := map[string]string{}
	for _, m := range to.messages() {
		if err := m.verify(secret); err != nil {
			t.Fatal(err)
		}
		if got[m.id()]++; got[m.id()] > 1 && bodies[m.id()] != string(m.body) {
			t.Errorf("%s came with other bytes", m.id())
		}
		bodies[m.id()] = string(m.body)
	}
	twice := 0
	for _, e := range want {
		if got[e.ID] == 0 || bodies[e.ID] != string(e.Body) {
			t.Errorf("event %s came %d times", e.ID, got[e.ID])
		}
		if got[e.ID] > 1 {
			twice++
		}
	}
	if len(got) != len(want) || twice == 0 {
		t.Errorf("%d events came, want %d; %d more than once, so nothing was killed at the right time", len(got), len(want), twice)
	}
}
