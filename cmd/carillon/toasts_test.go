package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestAToastFromTheFormIsRepeatedUntilAcknowledged(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.typing("alice-secret").run(t.Context(), "user", "add", "alice", "--password-stdin", "--role", "staff"))
	s := serve(t, c, "--admin-addr", "127.0.0.1:0")
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-secret")
	alice.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"alice"}, "type": {"note"}, "title": {"Hello"}, "toast": {"1"}})

	say := func(path, field, value string) int {
		t.Helper()
		res, err := alice.PostForm(s.URL+path, url.Values{field: {value}})
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	toast := alice.nextToast(t)
	if toast.Title != "Hello" || toast.Notice != 1 || toast.Key != "note:notice_id:1" || toast.At == 0 {
		t.Errorf("%+v", toast)
	}
	if again := alice.nextToast(t); again.ID != toast.ID { // it was not acknowledged
		t.Errorf("%+v came after %+v", again, toast)
	}
	if status := say("/events/active", "visible", "1"); status != http.StatusNoContent {
		t.Errorf("active: %d", status)
	}
	for _, want := range []int{http.StatusNoContent, http.StatusNotFound} {
		if status := say("/toasts/ack", "id", toast.ID); status != want {
			t.Errorf("status %d, want %d", status, want)
		}
	}
	_, page := text(t, s.Admin+"/metrics")
	wantWords(t, page, "carillon_toasts_raised_total 1", "carillon_toasts_acknowledged_total 1", "carillon_toasts_given_total 2", "carillon_toasts_given_again_total 1")
}

// shownToast is a toast as a browser receives it.
type shownToast struct {
	ID, Title, Key string
	Notice, At     int64
}

// nextToast opens a stream and returns its first toast.
func (b browser) nextToast(t *testing.T) shownToast {
	t.Helper()
	events := b.events(t)
	defer events.Close()
	return readToast(t, bufio.NewScanner(events))
}

// events opens a stream and returns its body.
func (b browser) events(t *testing.T) io.ReadCloser {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.base+"/events?visible=1", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res.Body
}

// readToast reads the next toast of a stream.
func readToast(t *testing.T, lines *bufio.Scanner) (toast shownToast) {
	t.Helper()
	data := ""
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = rest
		}
		if lines.Text() == "event: toast" {
			if err := json.Unmarshal([]byte(data), &toast); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
			return toast
		}
	}
	t.Fatal("no toast arrived")
	return toast
}

// The setting is changed at one instance, and the stream is open at the other.
func TestSwitchingToastsOnAppliesToAnOpenStream(t *testing.T) {
	t.Parallel()
	c := shared(t)
	must(t, c.typing("alice-secret").run(t.Context(), "user", "add", "alice", "--password-stdin", "--role", "staff"))
	one, two := serve(t, c), serve(t, c.with("CARILLON_DATA_DIR", t.TempDir()))
	here := visit(t, one.URL)
	here.signIn(t, "alice", "alice-secret")
	here.post(t, "/settings", url.Values{"toasts": {"0"}})
	events := bufio.NewScanner(browser{here.Client, two.URL}.events(t))
	here.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"alice"}, "type": {"note"}, "title": {"Hello"}, "toast": {"1"}})
	for events.Scan() && events.Text() != "event: notice" {
	}
	here.post(t, "/settings", url.Values{"toasts": {"1"}})
	if toast := readToast(t, events); toast.Title != "Hello" {
		t.Errorf("%+v", toast)
	}
}
