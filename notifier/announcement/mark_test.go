package announcement_test

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

func TestReadingSetsOneBitAndPublishesOnce(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		one := s.publish(t, draft("One"))
		s.publish(t, draft("Two"))
		heard, others, turns := s.marks(t, 7), s.marks(t, 8), s.turns(t, customer)
		before := s.stored(t, customer)
		was := s.badge(t, 7)
		now := time.Now()
		b := s.read(t, 7, one)
		if b.Unread != 1 || b.Announcements != 1 || b.AVer <= was.AVer || b.AVer < now.UnixMilli() {
			t.Errorf("badge %+v after %+v", b, was)
		}
		words := heard.heard(t)
		if want := []string{fmt.Sprintf("A %d 1\nread 1", b.AVer)}; !slices.Equal(words, want) {
			t.Errorf("published %q, want %q", words, want)
		}
		after := s.stored(t, customer)
		at, _ := strconv.ParseInt(after.Dirty["1:0"], 10, 64)
		if at < now.UnixMicro() || at > time.Now().Add(time.Second).UnixMicro() {
			t.Errorf("marked for SQL at %d", at)
		}
		before.Bits[one] = []int64{0, 7}
		before.Marked, before.Dirty = map[string]string{"7": strconv.FormatInt(b.AVer, 10)}, map[string]string{"1:0": after.Dirty["1:0"]}
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("stored (-want +got):\n%s", d)
		}
		if again := s.read(t, 7, one); again != b || s.badge(t, 7) != b {
			t.Errorf("the second call returned %+v, want %+v", again, b)
		}
		if d := cmp.Diff(after, s.stored(t, customer)); d != "" {
			t.Errorf("the second call changed (-before +after):\n%s", d)
		}
		if len(heard.heard(t))+len(others.heard(t))+len(turns.heard(t)) != 0 {
			t.Error("the second call, or one for another user, published something")
		}
		back, err := s.MarkUnread(t.Context(), reader(7), one)
		if err != nil || back.Unread != 2 || back.AVer <= b.AVer {
			t.Errorf("unread: %+v, %v", back, err)
		}
		if want := []string{fmt.Sprintf("A %d 2\nunread 1", back.AVer)}; !slices.Equal(heard.heard(t), want) {
			t.Errorf("want %q", want)
		}
		if s.unread(t, 8, 2); s.stored(t, customer).Dirty["1:0"] <= after.Dirty["1:0"] {
			t.Error("the segment was not marked again")
		}
	})
}

func TestReadAllMarksEverythingUnreadInOneCall(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		for i := range 5 {
			s.publish(t, draft(strconv.Itoa(i)))
		}
		s.publish(t, draft("For others", user))
		s.read(t, 7, 2)
		heard := s.marks(t, 7)
		ids, b, err := s.ReadAll(t.Context(), reader(7))
		if slices.Sort(ids); err != nil || !slices.Equal(ids, []int64{1, 3, 4, 5}) || b.Unread != 0 || b != s.badge(t, 7) {
			t.Errorf("marked %v, badge %+v, %v", ids, b, err)
		}
		if want := []string{fmt.Sprintf("A %d 0\nall", b.AVer)}; !slices.Equal(heard.heard(t), want) {
			t.Errorf("want %q", want)
		}
		again, b2, err := s.ReadAll(t.Context(), reader(7))
		if err != nil || len(again) != 0 || b2 != b || len(heard.heard(t)) != 0 {
			t.Errorf("the second call marked %v, badge %+v, %v", again, b2, err)
		}
		s.unread(t, 8, 5)
		none := notifier.Reader{Seq: 7, Audience: operator}
		if ids, b, err := s.ReadAll(t.Context(), none); err != nil || len(ids) != 0 || b.Unread != 0 || b.AVer == 0 {
			t.Errorf("with nothing open: %v, %+v, %v", ids, b, err)
		}
	})
}

func TestUnknownSeqTouchesNothing(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, server.Client(t))
	n := draft("One")
	n.LateJoiners = true
	id := s.publish(t, n)
	s.Announcements = s.another(announcement.Options{MaxSeq: 1000})
	before := s.rdb.Info(t.Context(), "commandstats").Val()
	strangers := []notifier.Reader{{Seq: 1, Audience: 0}, {Seq: 1, Audience: 4}, {Seq: 1, Audience: -1}}
	for _, seq := range []int64{0, -1, 1001, 1 << 32, 1 << 62, -1 << 63, 1<<63 - 1} {
		strangers = append(strangers, reader(seq))
	}
	for _, r := range strangers {
		if _, err := s.MarkRead(t.Context(), r, id); !isNotFound(err) {
			t.Errorf("%+v marks: %v", r, err)
		}
		if _, err := s.MarkUnread(t.Context(), r, id); !isNotFound(err) {
			t.Errorf("%+v marks: %v", r, err)
		}
		if _, err := s.Find(t.Context(), r, id); !isNotFound(err) {
			t.Errorf("%+v finds: %v", r, err)
		}
		if ids, b, err := s.ReadAll(t.Context(), r); err != nil || len(ids) != 0 || b != (notifier.Badge{}) {
			t.Errorf("%+v reads all: %v, %+v, %v", r, ids, b, err)
		}
		if p, err := s.List(t.Context(), r); err != nil || len(p.Items) != 0 || p.AVer != 0 {
			t.Errorf("%+v lists: %+v, %v", r, p, err)
		}
		if b, err := s.Badges(t.Context(), []notifier.Reader{r}); err != nil || b[0] != (notifier.Badge{}) {
			t.Errorf("%+v has the badge %+v, %v", r, b, err)
		}
	}
	badges, err := s.Badges(t.Context(), strangers)
	if err != nil || slices.ContainsFunc(badges, func(b notifier.Badge) bool { return b != (notifier.Badge{}) }) {
		t.Errorf("badges %+v, %v", badges, err)
	}
	if after := s.rdb.Info(t.Context(), "commandstats").Val(); !sameScripts(before, after) {
		t.Error("Redis was called")
	}
	if _, err := s.MarkRead(t.Context(), reader(1000), id); err != nil {
		t.Errorf("the highest seq: %v", err)
	}
	s.unread(t, 1000, 0)
}

func TestThousandConcurrentReadsCountOnce(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		one := s.publish(t, draft("One"))
		s.publish(t, draft("Two"))
		heard := s.marks(t, 7)
		boards := []*announcement.Announcements{s.Announcements, s.another(noOptions)}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				for range 50 {
					if b, err := boards[i%2].MarkRead(t.Context(), reader(7), one); err != nil || b.Unread != 1 {
						t.Errorf("badge %+v, %v", b, err)
					}
				}
			})
		}
		all.Wait()
		s.unread(t, 7, 1)
		if words := heard.heard(t); len(words) != 1 {
			t.Errorf("published %d times", len(words))
		}
		reads, err := s.Reads(t.Context(), counting(one))
		if err != nil || reads[0] != 1 {
			t.Errorf("read by %v, %v", reads, err)
		}
	})
}

func TestOwnVersionsAreForgottenAfterAMinute(t *testing.T) {
	t.Parallel()
	m, c := redistest.Mini(t)
	s := newSite(t, c)
	start := time.Now()
	m.SetTime(start)
	one := s.publish(t, draft("One"))
	s.read(t, 1, one)
	m.SetTime(start.Add(time.Minute))
	s.read(t, 2, one)
	if got := s.stored(t, customer).Marked; len(got) != 2 {
		t.Errorf("after a minute: %v", got)
	}
	m.SetTime(start.Add(time.Minute + time.Second))
	s.read(t, 3, one)
	if got := s.stored(t, customer).Marked; len(got) != 2 || got["1"] != "" {
		t.Errorf("after the next mark: %v", got)
	}
	s.unread(t, 1, 0)
}
