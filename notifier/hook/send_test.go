package hook_test

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/hook"
)

func TestMessagesVerifyByTheStandardLibraryAndForgedOnesDoNot(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, nil)
	h, secret := w.add("shop", to.URL+"/hook?token=of-the-receiver")
	w.test(h, 1)
	w.round()
	got := to.messages()
	if len(got) != 1 {
		t.Fatalf("%d messages, want 1; log: %s", len(got), w.log)
	}
	m := got[0]
	checker, err := standardwebhooks.NewWebhook(secret)
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("the secret %q cannot be used: %v", secret, err)
	}
	if err := checker.Verify(m.body, m.header); err != nil {
		t.Errorf("the message does not verify: %v", err)
	}
	if want := `{"type":"test","timestamp":"` + w.now().UTC().Format("2006-01-02T15:04:05.000Z") + `","data":{"hook":"shop"}}`; string(m.body) != want {
		t.Errorf("the body is %s; want %s", m.body, want)
	}
	if ct := m.header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("Content-Type %q", ct)
	}
	forged := message{m.header, bytes.Replace(m.body, []byte("shop"), []byte("ship"), 1)}
	if err := forged.verify(secret); !errors.Is(err, standardwebhooks.ErrNoMatchingSignature) {
		t.Errorf("a changed body: %v", err)
	}
	_, other := w.add("other", to.URL)
	if err := m.verify(other); !errors.Is(err, standardwebhooks.ErrNoMatchingSignature) {
		t.Errorf("the secret of another hook: %v", err)
	}
	if e := w.events(h)[0]; e.State != notifier.HookDelivered || e.Status != 200 || e.ID != m.id() {
		t.Errorf("stored: %+v", e)
	}
	if log := w.log.String(); strings.Contains(log, "of-the-receiver") || strings.Contains(log, secret) {
		t.Errorf("the log has a secret: %s", log)
	}
}

func TestTriesFollowTheScheduleWithTheSameIDAndBytes(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, status(500))
	h, secret := w.add("shop", to.URL)
	w.test(h, 1)
	for i, wait := range append(hook.Waits(), 0) {
		w.round()
		e := w.events(h)[0]
		if e.Tries != i+1 || len(to.messages()) != i+1 || e.Status != 500 || e.Error == "" {
			t.Fatalf("after try %d: %+v, and %d messages", i+1, e, len(to.messages()))
		}
		if wait == 0 {
			if e.State != notifier.HookFailed {
				t.Errorf("after the last try it is %s", e.State)
			}
			break
		}
		if after := e.DueAt.Sub(w.now()); after < wait*8/10-time.Millisecond || after > wait*12/10 {
			t.Errorf("try %d is %s after the one before; want %s ±20 %%", i+2, after, wait)
		}
		w.move(e.DueAt.Sub(w.now()) - time.Millisecond)
		w.round() // too early
		w.move(time.Millisecond)
	}
	for _, m := range to.messages() {
		if first := to.messages()[0]; m.id() != first.id() || !bytes.Equal(m.body, first.body) || m.verify(secret) != nil {
			t.Errorf("a later try differs from the first: %s, %s", m.id(), m.body)
		}
	}
}

func TestAReplayHasTheSameIDAndBytes(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, nil)
	h, secret := w.add("shop", to.URL)
	w.test(h, 1)
	w.round()
	w.move(72 * time.Hour)
	if err := w.hooks.Replay(t.Context(), staff, h.ID, w.events(h)[0].N); err != nil {
		t.Fatal(err)
	}
	w.round()
	got := to.messages()
	if len(got) != 2 || got[0].id() != got[1].id() || !bytes.Equal(got[0].body, got[1].body) || got[1].verify(secret) != nil {
		t.Errorf("messages: %+v", got)
	}
	if err := w.hooks.Replay(t.Context(), staff, h.ID+1, w.events(h)[0].N); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("an event of another hook: %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	w, inside := newWorld(t), newReceiver(t, nil)
	for _, code := range []int{301, 302, 307, 308} {
		to := newReceiver(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside.URL, code) })
		h, _ := w.add("hook "+strconv.Itoa(code), to.URL)
		w.test(h, 1)
		w.round()
		if e := w.events(h)[0]; e.State != notifier.HookWaiting || e.Status != code {
			t.Errorf("%d: %+v", code, e)
		}
	}
	if n := len(inside.messages()); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func TestANameThatLeadsElsewhereLaterIsRefusedByTheConnection(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, nil)
	h, _ := w.add("rebound", strings.Replace(to.URL, "http://127.0.0.1", "https://localhost", 1)) // it was 8.8.8.8 when it was added
	w.test(h, 1)
	w.round()
	if e := w.events(h)[0]; e.Error != "the address is not public" {
		t.Errorf("stored: %+v", e)
	}
}

func TestWhileASecretRotatesBothSign(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, nil)
	h, old := w.add("shop", to.URL)
	_, fresh, err := w.hooks.Rotate(t.Context(), staff, h.ID)
	if err != nil || fresh == old {
		t.Fatal(err, fresh == old)
	}
	w.test(h, 1)
	w.round()
	w.move(notifier.HookOverlap - time.Second)
	w.test(h, 1)
	w.round()
	w.move(time.Second)
	w.test(h, 1)
	w.round()
	for i, m := range to.messages() {
		if err := m.verify(fresh); err != nil {
			t.Errorf("message %d by the new secret: %v", i, err)
		}
		if err := m.verify(old); (err == nil) != (i < 2) {
			t.Errorf("message %d by the old secret: %v", i, err)
		}
	}
}

func TestAnEventIsNotSentLongerThanItsClaim(t *testing.T) {
	t.Parallel()
	w, to := newWorld(t), newReceiver(t, nil)
	h, _ := w.add("shop", to.URL)
	w.test(h, 1)
	claimed, err := w.db.ClaimEvents(t.Context(), &h, 9, w.now().Add(time.Minute)) // by an instance that dies then
	if err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	w.round()
	if n := len(to.messages()); n > 0 {
		t.Fatalf("%d messages while another instance has claimed the event", n)
	}
	w.move(time.Minute)
	w.round()
	if got := to.messages(); len(got) != 1 || got[0].id() != claimed[0].ID {
		t.Errorf("messages: %+v; want the event that was claimed", got)
	}
}

func TestFourAtATimeAndAStalledHookDelaysNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	release := make(chan struct{})
	var now, most atomic.Int64
	stalled := newReceiver(t, func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		<-release
	})
	var once sync.Once
	free := func() { once.Do(func() { close(release) }) }
	t.Cleanup(free)
	fine := newReceiver(t, nil)
	slow, _ := w.add("a stalled", stalled.URL)
	fast, _ := w.add("fine", fine.URL)
	w.test(slow, 20)
	w.test(fast, 20)
	for range 3 { // the rounds that follow leave the stalled one alone
		if err := w.stage.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "the stalled receiver has its messages, and the other one all", func() bool {
		return len(stalled.messages()) == 4 && len(fine.messages()) == 20
	})
	free()
	w.stage.Wait()
	if n := len(stalled.messages()); n != 20 || most.Load() != 4 {
		t.Errorf("%d messages, %d at a time; want 20 and 4", n, most.Load())
	}
}

func TestAnAnswerWithoutEndIsNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to := newReceiver(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	h, _ := w.add("talks", to.URL)
	w.test(h, 1)
	w.round()
	if e := w.events(h)[0]; e.State != notifier.HookDelivered {
		t.Errorf("stored: %+v", e)
	}
}

func TestRetryAfterIsObeyedWhenItIsLonger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		code     int
		after    string
		min, max time.Duration
	}{
		"429":           {429, "3600", time.Hour, time.Hour},
		"503":           {503, w.now().Add(2 * time.Hour).UTC().Format(http.TimeFormat), 2*time.Hour - time.Second, 2 * time.Hour},
		"500":           {500, "3600", 4 * time.Second, 6 * time.Second},
		"shorter":       {429, "1", 4 * time.Second, 6 * time.Second},
		"for ever":      {429, "99999999999", 24 * time.Hour, 24 * time.Hour},
		"negative":      {429, "-7", 4 * time.Second, 6 * time.Second},
		"no number":     {503, "soon", 4 * time.Second, 6 * time.Second},
		"a time before": {503, "Mon, 02 Jan 2006 15:04:05 GMT", 4 * time.Second, 6 * time.Second},
	} {
		to := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", c.after)
			w.WriteHeader(c.code)
		})
		h, _ := w.add(name, to.URL)
		w.test(h, 1)
		w.round()
		if after := w.events(h)[0].DueAt.Sub(w.now()); after < c.min || after > c.max {
			t.Errorf("%s: tried again after %s; want %s to %s", name, after, c.min, c.max)
		}
	}
}
