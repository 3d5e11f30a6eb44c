package live

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/toast"
)

func TestAUserWhoConnectsLaterGetsWaitingToasts(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, nil)
	w.raise(17)
	w.page("off", "X-Toasts-Off")
	s := w.page("a")
	w.hub.Acked(7, w.ack(s.toast(17)))
	w.settled()
}

func TestMoreThanThreeToastsAtOnceAreSummarized(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, nil)
	for n := range int64(8) {
		w.raise(n + 1)
	}
	s := w.page("a")
	var all []string
	for n := range int64(3) {
		all = append(all, s.toast(6+n))
	}
	var rest struct {
		ID, Title, Body, Link string
		More                  int
	}
	e := s.next()
	if err := json.Unmarshal([]byte(e.data), &rest); err != nil || e.name != "toast" || rest.More != 5 || rest.Link != "/inbox" || rest.Title != "" {
		t.Fatalf("%v: %+v", err, e)
	}
	ids, err := notifier.ParseToastIDs(rest.ID)
	if err != nil || len(ids) != 5 {
		t.Fatalf("%v: %q", err, rest.ID)
	}
	w.hub.Acked(7, w.ack(rest.ID+","+strings.Join(all, ",")))
	w.settled()
	if n := w.hub.Stats().Toasts; n != 8 {
		t.Errorf("%d toasts counted", n)
	}
}

func TestAToastIsGivenOnceAfterFailedTakes(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	w.raise(17)
	w.toasts.mu.Lock()
	w.toasts.failing = 3 // one call of Waiting, two of Take
	w.toasts.mu.Unlock()
	s := w.page("a")
	w.hub.Acked(7, w.ack(s.toast(17)))
	w.quiet(50, s)
	if n := w.hub.Stats().Toasts; n != 1 {
		t.Errorf("%d toasts given", n)
	}
}

func TestAToastRaisedWhileTheSubscriptionWasLostIsDelivered(t *testing.T) {
	t.Parallel()
	direct, k := redistest.Client(t), redistest.Space(t)
	p := newProxy(t, redistest.Socket(t))
	through := redis.NewClient(&redis.Options{Addr: p.Addr().String(), DisableIdentity: true})
	t.Cleanup(func() { _ = through.Close() })
	w := newToaster(t, direct, k, func(c *Config) {
		c.Redis = through
		c.Limits.Ping, c.Limits.Silence = 50*time.Millisecond, 500*time.Millisecond
	})
	s := w.page("a", "X-Visible")
	p.swallow()
	w.raise(17)
	s.toast(17)
}

func TestMalformedSignalsAreDropped(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	s := w.page("a")
	bad := []string{"T ", "TT", "P 2", "P ", "V ", "V a 2 5", "V a 1 x", "V a 1", "V a 1 5 6", "V  1 5"}
	for _, text := range bad {
		w.publish(w.keys.LiveUser(7), text)
	}
	w.raiseText(17, `no JSON`)
	w.raiseText(18, `{"body":"without a title"}`)
	w.raise(19)
	s.toast(19)
	if d := w.hub.Stats().Dropped; d < int64(len(bad))+2 {
		t.Errorf("%d messages dropped", d)
	}
}

func TestAToastIsOneLineWhateverItContains(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, holding(time.Hour))
	s := w.page("a")
	title := "a\r\nid: 9\rb\u2028c\u2029</script>"
	content, err := json.Marshal(map[string]string{"title": title, "body": strings.Repeat("界", 4000), "link": "/x\n"})
	if err != nil {
		t.Fatal(err)
	}
	raw := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029", `,`, ",\r\n").Replace(string(content))
	w.raiseText(17, raw)
	e := s.next()
	var got struct{ Title, Body, Link string }
	if err := json.Unmarshal([]byte(e.data), &got); err != nil || e.name != "toast" || got.Title != title || got.Link != "/x\n" {
		t.Errorf("%v: %+v", err, e)
	}
	if got.Body != strings.Repeat("界", notifier.MaxToastBody-1)+"…" {
		t.Errorf("body of %d bytes", len(got.Body))
	}
	w.quiet(50, s)
}

func TestToastsWorkOnAClusterAndOnMiniredis(t *testing.T) {
	t.Parallel()
	_, mini := redistest.Mini(t)
	for name, rdb := range map[string]redis.UniversalClient{"cluster": redistest.Cluster(t), "miniredis": mini} {
		w := newToaster(t, rdb, redistest.Space(t), holding(time.Second))
		older, newer := w.page("a"), w.page("b")
		w.raise(17)
		newer.toast(17)
		id := older.toast(17)
		w.hub.Acked(7, w.ack(id))
		w.raise(18)
		w.hub.Acked(7, w.ack(newer.toast(18)))
		w.settled()
		if got, err := w.toasts.Waiting(context.Background(), []int64{7}); err != nil || got[0] {
			t.Errorf("%s: %v, waiting %v", name, err, got)
		}
		w.quiet(50, older, newer)
	}
}

func TestTheCourierRaisesInBatches(t *testing.T) {
	t.Parallel()
	w := newLoneToaster(t, nil)
	s := w.page("a")
	seqs := make([]int64, 1200)
	for i := range seqs {
		seqs[i] = int64(i + 1)
	}
	w.hub.courier.raise([]notifier.ToastRaise{{NoticeID: 17, Content: []byte(`{"title":"Toast 17"}`), Seqs: seqs}})
	s.toast(17)
	testkit.Eventually(t, "all toasts raised", func() bool { return w.toasts.Stats().Raised == 1200 })
	all, err := w.toasts.Waiting(context.Background(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	for i, waits := range all {
		if !waits {
			t.Errorf("no toast waits for user %d", i+1)
		}
	}
	w.toasts.mu.Lock()
	defer w.toasts.mu.Unlock()
	for _, n := range w.toasts.raised {
		if n > raiseBatch {
			t.Errorf("call for %d users", n)
		}
	}
}

func TestSignalsAreIgnoredWithoutToasts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, redistest.Client(t), redistest.Space(t), nil)
	s := w.connect(7)
	s.expect("badge", badge(1, 0))
	all := toast.New(w.rdb, w.keys, toast.Options{})
	if err := all.Nudge(context.Background(), []int64{7}); err != nil {
		t.Fatal(err)
	}
	w.hub.courier.raise([]notifier.ToastRaise{{NoticeID: 1, Seqs: []int64{7}}})
	w.hub.Acked(7, []string{"1-0"})
	w.change(7, 50, 3)
	s.expect("badge", badge(50, 3))
	if d := w.hub.Stats().Dropped; d != 0 {
		t.Errorf("%d messages dropped", d)
	}
}
