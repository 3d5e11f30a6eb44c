package handlers_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestStreamBelongsToTheSession(t *testing.T) {
	t.Parallel()
	var got []string
	w := newWorld(t, func(w *world) {
		w.config.Stream = stream(func(rw http.ResponseWriter, seq int64, session string) error {
			got = append(got, fmt.Sprint(seq, " ", session))
			_, err := rw.Write([]byte("data: x\n\n"))
			return err
		})
	})
	w.get("alice", "/events?stream=9&seq=9", "Last-Event-ID", "x").wantStatus(t, http.StatusOK)
	w.do(httptest.NewRequest(http.MethodHead, "/events", nil), "alice").wantStatus(t, http.StatusOK)
	if len(got) != 1 || got[0] != "1 session-of-alice" {
		t.Errorf("streams %v", got)
	}
}

func TestStreamReceivesVisibilityAndToasts(t *testing.T) {
	t.Parallel()
	var got []notifier.StreamOf
	c := newChooser(t, notifier.Settings{})
	c.config.Stream = streamOf(func(of notifier.StreamOf) { got = append(got, of) })
	c.rebuild()
	for _, query := range []string{"", "?visible=0", "?visible=1", "?user=alice&visible=1", "?visible=true&visible=1"} {
		c.get("alice", "/events"+query).wantStatus(t, http.StatusOK)
	}
	c.choose(notifier.Settings{ToastsOff: true, Locale: "ja"})
	c.get("alice", "/events").wantStatus(t, http.StatusOK)
	const of = "session-of-alice"
	want := []notifier.StreamOf{{Session: of}, {Session: of}, {Session: of, Visible: true}, {Session: of, Visible: true}, {Session: of}, {Session: of, ToastsOff: true}}
	for i := range want {
		want[i].Somebody = "Somebody" // the name of deleted actors
	}
	want[5].Somebody = "誰か"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPageOfAnotherUserGetsNoStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.Stream = stream(func(http.ResponseWriter, int64, string) error { return nil })
	})
	w.get("alice", "/events?user=alice").wantStatus(t, http.StatusOK)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		w.do(httptest.NewRequest(method, "/events?user=bob", nil), "alice").wantStatus(t, http.StatusUnauthorized)
	}
}

func TestRefusedStreamHasRetryAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.Stream = stream(func(http.ResponseWriter, int64, string) error {
			return &notifier.TooManyError{RetryAfter: 7 * time.Second}
		})
	})
	r := w.get("alice", "/events").wantStatus(t, http.StatusServiceUnavailable)
	if r.Header.Get("Retry-After") != "7" {
		t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
}

// TestStreamCanHijackTheConnection checks that the middleware supports Hijack, which notifier/live uses.
func TestStreamCanHijackTheConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.Stream = stream(func(rw http.ResponseWriter, _ int64, _ string) error {
			conn, _, err := http.NewResponseController(rw).Hijack()
			if err != nil {
				return err
			}
			_, err = conn.Write([]byte("taken over"))
			return errors.Join(err, conn.Close())
		})
	})
	server := httptest.NewServer(w.handler)
	defer server.Close()
	conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := fmt.Fprintf(conn, "GET /events HTTP/1.1\r\nHost: x\r\nX-Test-User: alice\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 100)
	n, err := conn.Read(answer)
	if err != nil || string(answer[:n]) != "taken over" {
		t.Errorf("read %q, %v", answer[:n], err)
	}
}
