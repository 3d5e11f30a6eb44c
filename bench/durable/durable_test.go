package durable_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/bench/durable"
	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(m)) }

// serve starts a server with three users, and two more in the role. stop ends it.
func serve(t *testing.T, dir string) (addr string, stop func()) {
	t.Helper()
	addr = testkit.Address()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- durable.Serve(ctx, durable.Config{Addr: addr, Redis: redistest.Socket(t), Dir: dir, Key: "secret", Users: 3, Role: "everybody", Members: 2})
	}()
	stop = func() {
		if cancel(); done == nil {
			return
		}
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		done = nil
	}
	t.Cleanup(stop)
	testkit.Eventually(t, "the server answers", func() bool {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp4", addr)
		return err == nil && c.Close() == nil
	})
	return addr, stop
}

// streams opens the streams of all five users.
func streams(t *testing.T, addr string) *load.Fleet {
	t.Helper()
	fleet, opened, err := load.Open(t.Context(), load.Config{
		Addr: addr, Streams: 5, Users: 5, Loops: 1, InFlight: 5, Sources: 1, Patience: time.Minute,
		Request: func(i int) []byte {
			return fmt.Appendf(nil, "GET /events?stream=%d HTTP/1.1\r\nHost: %s\r\n\r\n", i, addr)
		},
	})
	if err != nil || opened.Opened != 5 {
		t.Fatalf("%d streams are open: %v", opened.Opened, err)
	}
	t.Cleanup(fleet.Close)
	fleet.Begin(1)
	return fleet
}

func send(t *testing.T, addr, target string, mark load.Mark) (status int, answer string) {
	t.Helper()
	body := `{"target":` + target + `,"type":"parcel","title":"Your parcel","body":"` + string(mark.Append(nil)) + `"}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/api/v1/notices", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer secret")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	text, err := io.ReadAll(res.Body)
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// Not parallel, because the servers share one channel and the users of one Redis.
func TestANoticeReachesTheStreamsOfItsUserOrRoleOnly(t *testing.T) {
	addr, _ := serve(t, t.TempDir())
	fleet := streams(t, addr)
	if status, answer := send(t, addr, `{"users":["user2"]}`, load.Mark{Run: 1, User: 1, Due: time.Now()}); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, answer)
	}
	if status, answer := send(t, addr, `{"users":["stranger"]}`, load.Mark{}); status != http.StatusUnprocessableEntity || !strings.Contains(answer, "no user stranger") {
		t.Errorf("to a stranger: %d %s", status, answer)
	}
	if r := fleet.Wait(t.Context(), 1, time.Minute); r.Marks != 1 || r.Doubled+r.Astray+r.Dropped != 0 {
		t.Errorf("one user: %+v", r)
	}
	fleet.Begin(2)
	if status, answer := send(t, addr, `{"role":"everybody"}`, load.Mark{Run: 2, User: load.Everyone, Due: time.Now()}); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, answer)
	}
	if r := fleet.Wait(t.Context(), 2, time.Minute); r.Marks != 2 || r.Doubled+r.Dropped != 0 {
		t.Errorf("a role: %+v", r)
	}
}

func TestWhatWasNotRecordedAsDeliveredIsDeliveredAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	_, stop := serve(t, dir)
	stop()
	db, err := sql.Open("sqlite", filepath.Join(dir, "durable.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `INSERT INTO notices (id, seq, role, created_at, type, title, body, link) VALUES (70, 3, '', 1, 'parcel', 'Late', '', '')`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, dir)
	rdb := redistest.Client(t)
	testkit.Eventually(t, "the notice is in the inbox", func() bool { return rdb.HExists(t.Context(), "entries:3", "70:has_read:0").Val() })
}
