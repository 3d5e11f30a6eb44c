package guard_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
)

func (i *instance) setMarks(t *testing.T, at time.Time) {
	t.Helper()
	for p := range keys.Partitions {
		if err := i.raw.Set(t.Context(), i.site.k.Flushed(p), at.UnixMilli(), 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// mark returns the mark of a partition; the zero time if there is none.
func (i *instance) mark(t *testing.T, p int) time.Time {
	t.Helper()
	text := i.raw.Get(t.Context(), i.site.k.Flushed(p)).Val()
	if text == "" {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.UnixMilli(ms)
}

func TestMarksFollowTheTime(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Millisecond)
	s := newSite(t, 1, onServer(redistest.Own(t)))
	i := s.instance(t, func(c *guard.Config) { c.Now = func() time.Time { return now } })
	check := func() {
		t.Helper()
		if err := i.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	check()
	for p := range keys.Partitions {
		if age := now.Sub(i.mark(t, p)); age > 20*time.Second || age < 0 {
			t.Errorf("just healed, but the mark of partition %d is %v old", p, age)
		}
	}
	for _, off := range []time.Duration{-time.Hour, time.Hour} { // quiet partition; mark set by a wrong clock
		i.setMarks(t, now.Add(off))
		check()
		if age := now.Sub(i.mark(t, 5)); age > 20*time.Second || age < 0 {
			t.Errorf("a mark that was %v off is now %v old", off, age)
		}
	}
	at := now.Add(-10 * time.Second)
	i.setMarks(t, at)
	check()
	if got := i.mark(t, 5); !got.Equal(at) {
		t.Errorf("a recent mark changed to %v", got)
	}
	if n := len(i.resends()); n != 1 {
		t.Errorf("healed %d times", n)
	}
}

// A change made by an instance with a slow clock has a version from before the mark.
func TestClocksMayDifferByLessThanAMinute(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 10, onServer(server))
	i := s.running(t, nil)
	i.box = inbox.New(i.rdb, s.k, inbox.Options{SQL: s.db, Now: func() time.Time { return time.Now().Add(-50 * time.Second) }})
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	file := server.Save(t)
	for _, seq := range s.seqs {
		if _, err := i.box.Delete(t.Context(), seq, key("a")); err != nil {
			t.Fatal(err)
		}
	}
	i.flush(t)
	changed := i.Changed()
	server.Crash(t)
	server.RestartFrom(t, file)
	<-changed
	i.awaits(t, guard.Open)
	for _, seq := range s.seqs {
		i.wantRows(t, seq)
	}
}

func TestMarkFromTheFutureIsNotBelieved(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	s := newSite(t, 10, onServer(server))
	i := s.instance(t, nil)
	if err := i.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	i.setMarks(t, time.Now().Add(time.Hour))
	file := server.Save(t)
	for _, seq := range s.seqs {
		if _, err := i.box.Delete(t.Context(), seq, key("a")); err != nil {
			t.Fatal(err)
		}
	}
	i.flush(t)
	server.Crash(t)
	server.RestartFrom(t, file)
	next := s.instance(t, nil)
	if err := next.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, seq := range s.seqs {
		next.wantRows(t, seq)
	}
}
