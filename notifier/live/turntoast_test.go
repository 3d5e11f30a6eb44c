package live

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
)

// withToast is the line of a turn for an announcement with a toast.
const withToast = `{"title":"Hi","body":"b","link":"/x","pinned":false,"toast":true}`

func TestAnOpeningGivesOneToastToEachConnectedUserWhoSeesIt(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	var hubs [2]*toaster
	for i := range hubs {
		hubs[i] = newToaster(t, rdb, k, func(c *Config) { c.Limits.Linger = time.Hour })
	}
	as := func(w *toaster, seq int64, say ...string) *stream {
		r := request(t, w.srv.URL, seq)
		for _, name := range say {
			r.Header.Set(name, "2")
		}
		s := open(t, w.srv.Client(), r)
		s.expect("badge", badge(1, 0))
		return s
	}
	as(hubs[0], 1)
	as(hubs[1], 1)
	two, three, late := as(hubs[0], 2), as(hubs[1], 3), as(hubs[0], 4)
	as(hubs[0], 5, "X-Toasts-Off")
	as(hubs[0], 6, "X-Audience")
	_ = as(hubs[0], 7).res.Body.Close() // the user stays subscribed for a while
	testkit.Eventually(t, "user 7's stream closed", func() bool { return hubs[0].hub.Stats().Streams == 5 })

	quiet := strings.Replace(withToast, `,"toast":true`, "", 1)
	hubs[0].publishTurn(1, 200, 100, "open 9 3 "+withToast, "open 8 0 "+quiet)
	hubs[0].publishTurn(1, 300, 200, "changed 9 0 "+withToast, "removed 8", "open 10 0 "+withToast)
	for s, ids := range map[*stream][]int{two: {9, 10}, three: {9, 10}, late: {10}} {
		for _, id := range ids {
			e := s.next()
			for ; e.name != "toast"; e = s.next() {
			}
			want := `,"title":"Hi","body":"","link":"/announcements/N","type":"announcement","look":{"icon":"megaphone","color":"amber"},"notice":N}`
			if !strings.HasSuffix(e.data, strings.ReplaceAll(want, "N", strconv.Itoa(id))) {
				t.Errorf("toast of announcement %d: %s", id, e.data)
			}
		}
	}
	testkit.Eventually(t, "one toast for each user", func() bool { return hubs[0].hub.Stats().Toasts+hubs[1].hub.Stats().Toasts == 7 })
	for i, want := range [][]int{{2, 3}, {2, 2}} { // user 1 by both hubs; an edit raises nothing
		hubs[i].toasts.mu.Lock()
		if d := cmp.Diff(want, hubs[i].toasts.raised); d != "" {
			t.Errorf("users hub %d raises for (-want +got):\n%s", i, d)
		}
		hubs[i].toasts.mu.Unlock()
	}
	if d := cmp.Diff([]string{"10|1", "10|2", "10|3", "10|4", "9|1", "9|2", "9|3"}, hubs[0].everRaised()); d != "" {
		t.Errorf("raised (-want +got):\n%s", d)
	}
}

// everRaised returns NOTICE|SEQ for all toasts of notices.
func (w *toaster) everRaised() (all []string) {
	w.t.Helper()
	for p := range keys.Partitions {
		some, err := w.rdb.ZRange(context.Background(), w.keys.RaisedToasts(p), 0, -1).Result()
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, some...)
	}
	slices.Sort(all)
	return all
}
