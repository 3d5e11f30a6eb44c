package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// waiting returns a user's pending toasts, as `TITLE|BODY|LINK`.
func (w *world) waiting(t testing.TB, name string) []string {
	t.Helper()
	user, err := w.store.UserByName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := w.toasts.Take(t.Context(), []int64{user.Seq})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, toast := range taken[0].Toasts {
		var c notifier.Content
		if err := json.Unmarshal(toast.Content, &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c.Title+"|"+c.Body+"|"+c.Link)
	}
	return all
}

// wantWaiting fails the test if the users' pending toasts differ.
func (w *world) wantWaiting(t testing.TB, want map[string][]string) {
	t.Helper()
	got := map[string][]string{}
	for _, name := range []string{"alice", "bob", "carol", "dave", "erin"} {
		if all := w.waiting(t, name); len(all) > 0 {
			got[name] = all
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("pending toasts (-want +got):\n%s", d)
	}
}

// toasted sends a toast and returns the number of its recipients.
func (w *world) toasted(t testing.TB, body string, headers ...string) (users int64, replayed bool) {
	t.Helper()
	var out sentToast
	res := w.call(t, w.send, "POST", "/toasts", body, headers...).is(t, http.StatusAccepted)
	res.into(t, &out)
	return out.Recipients, res.Header.Get("Idempotent-Replayed") == "true"
}

func TestAToastReachesItsRecipientsAndLeavesNoEntry(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, address string) {
		w := newWorldOn(t, address, redistest.Client(t))
		w.call(t, w.admin, "PUT", "/subscriptions", `{"type":"rep_notice","scope":"119240","user":"bob"}`)
		carol, err := w.store.UserByName(t.Context(), "carol")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.store.SetMute(t.Context(), carol.Seq, "shift", true); err != nil {
			t.Fatal(err)
		}
		for _, toast := range []struct {
			body string
			want int64
		}{
			{`{"target":{"users":["alice","bob","alice"]},"title":" Export ready ","body":"a\r\nb","link":"/x"}`, 2},
			{`{"target":{"role":"picker"},"title":"All pickers"}`, 2},
			{`{"target":{"role":"picker"},"type":"shift","title":"Not who has muted it"}`, 1},
			{`{"target":{"topic":{"type":"rep_notice","scope":"119240"}},"title":"Subscribers"}`, 1},
			{`{"target":{"topic":{"type":"nothing"}},"title":"Nobody"}`, 0},
		} {
			if users, replayed := w.toasted(t, toast.body); users != toast.want || replayed {
				t.Errorf("%s: for %d users, %v", toast.body, users, replayed)
			}
		}
		w.wantWaiting(t, map[string][]string{
			"alice": {"Export ready|a\nb|/x"}, "bob": {"Export ready|a\nb|/x", "Subscribers||"},
			"carol": {"All pickers||"}, "dave": {"All pickers||", "Not who has muted it||"},
		})
		if sent, err := w.store.Notices(t.Context(), notifier.NoticeQuery{}); err != nil || len(sent) != 0 {
			t.Errorf("%d notices, %v", len(sent), err)
		}
		badges, err := w.inbox.Badges(t.Context(), []int64{1, 2, 3, 4})
		if err != nil || slices.ContainsFunc(badges, func(b notifier.Badge) bool { return b.Inbox != 0 }) {
			t.Errorf("badges %+v, %v", badges, err)
		}
	})
}

func TestAFaultyToastIsRefusedWithAllItsFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const good = `"title":"A"`
	for _, test := range []struct {
		body string
		want []string
	}{
		{`{"target":{"users":["alice","zoe"]},` + good + `}`, []string{"body.target.users"}},
		{`{"target":{"role":"nobody"},` + good + `}`, []string{"body.target.role"}},
		{`{"target":{"audiences":["customer"]},` + good + `}`, []string{"body.target.audiences"}},
		{`{"target":{},` + good + `}`, []string{"body.target"}},
		{`{"target":{"users":["alice"],"role":"picker"},` + good + `}`, []string{"body.target"}},
		{`{"target":{"topic":{}},` + good + `}`, []string{"body.target.topic.type"}},
		{`{"target":{"users":["alice"]},"title":""}`, []string{"body.title"}},
		{`{"target":{"users":["alice"]},"title":"A","type":"Like","body":"\u202e","link":"javascript:x","expires_in":"25h"}`, []string{"body.type", "body.body", "body.link", "body.expires_in"}},
		{`{"target":{"users":["alice"]},"title":"A","expires_in":"soon"}`, []string{"body.expires_in"}},
		{`{"target":{"users":["alice"]},"title":"A","expires_in":"10ms"}`, []string{"body.expires_in"}},
		{`{"target":{"users":["alice"]},"title":"A","subject":"order:1"}`, []string{"body.subject"}},
		{`{"target":{"users":["alice"]},"title":"A","toast":true}`, []string{"body.toast"}},
		{`{"target":{"users":["alice"]},"title":"` + strings.Repeat("x", 201) + `","body":"` + strings.Repeat("x", 4001) + `"}`, []string{"body.title", "body.body"}},
	} {
		res := w.call(t, w.send, "POST", "/toasts", test.body).is(t, http.StatusUnprocessableEntity)
		if d := cmp.Diff(test.want, res.faults(t)); d != "" {
			t.Errorf("%.80s (-want +got):\n%s", test.body, d)
		}
		if strings.Contains(res.text, "is invalid (") {
			t.Errorf("%.80s: a fault without a sentence: %s", test.body, res.text)
		}
	}
	res := w.call(t, w.send, "POST", "/toasts", `{"target":{"audiences":["customer"]},"title":"A"}`)
	if !strings.Contains(res.text, "POST /api/v1/notices") {
		t.Errorf("the alternative is not named: %s", res.text)
	}
	w.wantWaiting(t, map[string][]string{})
	if text := w.call(t, "", "GET", "/openapi.json", nil).text; strings.Contains(text, "Always refused") {
		t.Error("the document describes a field that is always refused")
	}
}

func TestARepeatedToastIsShownOnceAndGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"target":{"role":"picker"},"title":"Once"}`
	if users, replayed := w.toasted(t, body, onceHeader, "k"); users != 2 || replayed {
		t.Fatalf("for %d users, %v", users, replayed)
	}
	// A user who joins the role later is not a recipient.
	newcomer := newcomer("zoe")
	newcomer.Roles = []string{"picker"}
	if _, err := w.store.CreateUser(t.Context(), newcomer); err != nil {
		t.Fatal(err)
	}
	for _, same := range []string{body, ` { "title":"Once", "target":{"role":"picker"} }`} {
		if users, replayed := w.toasted(t, same, onceHeader, "k"); users != 2 || !replayed {
			t.Errorf("repeated: for %d users, %v", users, replayed)
		}
	}
	if got := w.waiting(t, "zoe"); len(got) != 0 {
		t.Errorf("%v is shown to a user who joined later", got)
	}
	w.call(t, w.send, "POST", "/toasts", `{"target":{"role":"picker"},"title":"Twice"}`, onceHeader, "k").is(t, http.StatusUnprocessableEntity)
	w.wantWaiting(t, map[string][]string{"carol": {"Once||"}, "dave": {"Once||"}})

	// An Idempotency-Key belongs to its sender and to toasts only. A refused request may be
	// corrected under the same key.
	w.call(t, w.admin, "POST", "/toasts", body, onceHeader, "k").is(t, http.StatusAccepted)
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["bob"]},"type":"like","title":"A"}`, onceHeader, "k").is(t, http.StatusAccepted)
	w.call(t, w.send, "POST", "/toasts", `{"target":{"users":["nobody"]},"title":"A"}`, onceHeader, "m").is(t, http.StatusUnprocessableEntity)
	w.toasted(t, `{"target":{"users":["erin"]},"title":"A"}`, onceHeader, "m")
	w.wantWaiting(t, map[string][]string{"carol": {"Once||", "Once||"}, "dave": {"Once||", "Once||"}, "erin": {"A||"}})
	res := w.call(t, w.send, "POST", "/toasts", body, onceHeader, "a b").is(t, http.StatusUnprocessableEntity)
	if got := res.faults(t); len(got) != 1 || got[0] != "header.Idempotency-Key" {
		t.Errorf("faults at %v", got)
	}
}

func TestAHundredConcurrentEqualRequestsShowOneToast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := make([]bool, 100)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i := range first {
		all.Go(func() {
			<-begin
			users, replayed := w.toasted(t, `{"target":{"role":"picker"},"title":"Once"}`, onceHeader, "k")
			if first[i] = !replayed; users != 2 {
				t.Errorf("for %d users", users)
			}
		})
	}
	close(begin)
	all.Wait()
	if n := len(slices.DeleteFunc(first, func(is bool) bool { return !is })); n != 1 {
		t.Errorf("%d answers are not marked as replayed, want one", n)
	}
	w.wantWaiting(t, map[string][]string{"carol": {"Once||"}, "dave": {"Once||"}})
}

func TestAToastWaitsForItsLifetime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := time.Now()
	w.toasted(t, `{"target":{"users":["alice"]},"title":"An hour"}`)
	w.toasted(t, `{"target":{"users":["alice"]},"title":"A day","expires_in":"24h"}`)
	w.toasted(t, `{"target":{"users":["alice"]},"title":"Ten minutes","expires_in":"10m"}`)
	rows, err := w.redis.XRange(t.Context(), w.keys.Toasts(1), "-", "+").Result()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v, %v", rows, err)
	}
	for i, want := range []time.Duration{time.Hour, 24 * time.Hour, 10 * time.Minute} {
		var ends int64
		if _, err := fmt.Sscan(rows[i].Values["ends"].(string), &ends); err != nil {
			t.Fatal(err)
		}
		if life := time.UnixMilli(ends).Sub(before); life < want-time.Second || life > want+time.Minute {
			t.Errorf("%v ends after %v, want %v", rows[i].Values["content"], life, want)
		}
	}
}

func TestWhileRedisIsUnavailableToastsAreRefusedWith503(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	w := newWorldOn(t, "", server.Client(t))
	server.Crash(t)
	body := `{"target":{"users":["alice"]},"title":"Later"}`
	for _, headers := range [][]string{nil, {onceHeader, "k"}} {
		res := w.call(t, w.send, "POST", "/toasts", body, headers...).is(t, http.StatusServiceUnavailable)
		if res.Header.Get("Retry-After") == "" {
			t.Errorf("%v", res.Header)
		}
	}
	server.Restart(t)
	testkit.Eventually(t, "the toast is accepted", func() bool {
		return w.call(t, w.send, "POST", "/toasts", body, onceHeader, "k").StatusCode == http.StatusAccepted
	})
	if got := w.waiting(t, "alice"); len(got) != 1 {
		t.Errorf("pending toasts: %v", got)
	}
}

func TestANoticeWithAToastIsDeliveredAndShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"like","title":"One","toast":true}`)
	w.call(t, w.send, "POST", "/notices/batch", `{"notices":[{"target":{"role":"picker"},"type":"like","title":"Two","toast":true},{"target":{"users":["bob"]},"type":"like","title":"Quiet"}]}`).is(t, http.StatusAccepted)
	w.has(t, "alice", "One")
	w.has(t, "carol", "Two")
	w.has(t, "bob", "Quiet")
	testkit.Eventually(t, "the toasts are pending", func() bool {
		return len(w.waiting(t, "alice")) == 1 && len(w.waiting(t, "carol")) == 1 && len(w.waiting(t, "dave")) == 1
	})
	w.wantWaiting(t, map[string][]string{"alice": {"One||"}, "carol": {"Two||"}, "dave": {"Two||"}})
}
