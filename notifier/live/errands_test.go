package live

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// unread reports announcement 1 as ended or read, fails for 2, and reports all others as unread.
type unread struct{ asked atomic.Int64 }

func (u *unread) Unread(_ context.Context, r notifier.Reader, id int64) (bool, error) {
	u.asked.Add(1)
	if id == 2 || r != (notifier.Reader{Seq: 7, Audience: 1}) {
		return false, errAway
	}
	return id > 2, nil
}

func TestToastsOfEndedOrReadAnnouncementsAreNotShown(t *testing.T) {
	t.Parallel()
	rdb, k, posts := redistest.Client(t), redistest.Space(t), &unread{}
	w := newToaster(t, rdb, k, func(c *Config) { c.Announcements = posts })
	for id := range int64(4) {
		w.raise(id + 1)
	}
	ids, err := rdb.ZRange(t.Context(), k.PendingToasts(7), 0, -1).Result()
	if err != nil || len(ids) != 4 {
		t.Fatal(ids, err)
	}
	for _, id := range ids[:3] { // the fourth has just opened, so its state is not checked
		if err := rdb.ZIncrBy(t.Context(), k.PendingToasts(7), -float64(openingGrace.Milliseconds()), id).Err(); err != nil {
			t.Fatal(err)
		}
	}
	s := w.page("a")
	w.ack(s.toast(2) + "," + s.toast(3) + "," + s.toast(4))
	if n := posts.asked.Load(); n != 3 {
		t.Errorf("%d calls of Unread, want 3", n)
	}
	testkit.Eventually(t, "no toast waiting", func() bool { return rdb.ZCard(t.Context(), k.PendingToasts(7)).Val() == 0 })
	w.quiet(time.Now().UnixMilli(), s)
}
