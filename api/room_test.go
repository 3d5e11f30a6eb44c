package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
)

// upload is a batch that arrives bit by bit.
type upload struct {
	*io.PipeWriter
	answered chan reply
}

// begin starts to send a batch with so many bytes of its body. announced is the length that it announces; -1: none.
func (w *world) begin(t *testing.T, url, key string, announced int64, bytes int) *upload {
	t.Helper()
	body, into := io.Pipe()
	u := &upload{into, make(chan reply, 1)}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+prefix+"/notices/batch", body)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = announced
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	go func() {
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			close(u.answered)
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		u.answered <- reply{res, string(text)}
	}()
	if _, err := io.WriteString(into, strings.Repeat(" ", bytes)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = into.CloseWithError(io.ErrUnexpectedEOF) })
	return u
}

// finish sends the rest of a batch that announced this length.
func (u *upload) finish(t *testing.T, announced int64, sent int) {
	t.Helper()
	rest := `{"notices":[{"target":{"users":["alice"]},"type":"like","title":"A title"}]}`
	if announced > 0 {
		rest += strings.Repeat(" ", int(announced)-sent-len(rest))
	}
	if _, err := io.WriteString(u, rest); err != nil {
		t.Fatal(err)
	}
	_ = u.Close()
}

// standing waits until so many large bodies are in progress or wait.
func (w *world) standing(t *testing.T, n int) {
	t.Helper()
	testkit.Eventually(t, "the bodies stand", func() bool {
		w.room.mu.Lock()
		defer w.room.mu.Unlock()
		return len(w.room.bodies) == n
	})
}

func TestSlowBodiesOfOneKeyKeepNoOtherOut(t *testing.T) {
	t.Parallel()
	for name, announced := range map[string]int64{"announced": maxBatchBody, "chunked": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.room.wait, w.room.read = time.Hour, time.Hour
			srv := httptest.NewServer(w.handler)
			t.Cleanup(srv.Close)
			const sent = maxBody + 100
			var slow []*upload
			for n := range 8 {
				slow = append(slow, w.begin(t, srv.URL, w.send, announced, sent))
				w.standing(t, n+1)
			}
			if held := roomBytes - w.room.free; held > keyBodies*4*sent {
				t.Errorf("%d bytes are taken by two bodies of which %d have arrived each", held, sent)
			}
			for range 4 { // of other keys
				u := w.begin(t, srv.URL, w.admin, announced, sent)
				u.finish(t, announced, sent)
				(<-u.answered).is(t, http.StatusAccepted)
			}
			for n := range slow { // each lets the next in
				slow[n].finish(t, announced, sent)
				(<-slow[n].answered).is(t, http.StatusAccepted)
			}
			w.standing(t, 0)
			if w.room.free != roomBytes {
				t.Errorf("%d bytes are missing", roomBytes-w.room.free)
			}
		})
	}
}

func TestABodyThatWaitsInVainIsToldWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.room.wait, w.room.read = 0, time.Hour
	srv := httptest.NewServer(w.handler)
	t.Cleanup(srv.Close)
	refused := func(key, why string) {
		t.Helper()
		res := w.call(t, key, "POST", "/notices/batch", strings.Repeat(" ", maxBody+1)+`{"notices":[]}`).is(t, http.StatusTooManyRequests)
		var p problem
		res.into(t, &p)
		if p.Code != "too_many" || !strings.Contains(p.Detail, why) || res.Header.Get("Retry-After") != "5" {
			t.Errorf("Retry-After %q: %s", res.Header.Get("Retry-After"), res.text)
		}
	}
	for n := range keyBodies {
		w.begin(t, srv.URL, w.send, -1, maxBody+1)
		w.standing(t, n+1)
	}
	refused(w.send, "the key has two bodies above 64 KiB in progress")
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["alice"]},"type":"like","title":"Small bodies need no room"}`).is(t, http.StatusAccepted)
	w.room.mu.Lock()
	w.room.free = maxBatchBody - w.room.bodies[0].held
	w.room.mu.Unlock()
	refused(w.admin, "large bodies of all keys together")
}

// Bodies that have arrived in part do not wait for each other, and never hold more than there is.
func TestBodiesOfManyKeysAllArrive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom()
		var all sync.WaitGroup
		for n := range 64 {
			all.Go(func() {
				s := r.seat(int64(n / 2))
				defer s.leave()
				for held := int64(2 * maxBody); held <= maxBatchBody; held *= 2 {
					if err := s.grow(t.Context(), held); err != nil {
						t.Errorf("body %d at %d bytes: %v", n, held, err)
						return
					}
					r.mu.Lock()
					if r.free < 0 {
						t.Errorf("%d bytes too many", -r.free)
					}
					r.mu.Unlock()
					<-time.After(time.Millisecond) // of the clock of the test: the others get their turn
				}
			})
		}
		all.Wait()
		if r.free != roomBytes || len(r.bodies) > 0 {
			t.Errorf("%d bytes of %d bodies are left", roomBytes-r.free, len(r.bodies))
		}
	})
}
