package announcement_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

// ReadBy uses the bits that were written to SQL.
func (q *sql) ReadBy(_ context.Context, r notifier.Reader, ids []int64) (read map[int64]bool, err error) {
	read = map[int64]bool{}
	for _, id := range ids {
		for _, seq := range q.saved(id, r.Audience) {
			read[id] = read[id] || seq == r.Seq
		}
	}
	return read, q.call("read by", func() error { return nil })
}

func TestArchiveShowsTheSameAsRedis(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	now := time.Now()
	at := func(from, to time.Duration, pinned bool, to2 ...notifier.Audience) int64 {
		return s.sql.announce(&notifier.Announcement{Notice: notifier.Notice{State: notifier.StateSent, CreatedAt: now, Draft: notifier.Draft{
			Title: "About " + from.String(), Body: "Body", Type: "news", Target: notifier.Target{Audiences: to2},
			Window: notifier.Window{StartsAt: now.Add(from), EndsAt: now.Add(to), Pinned: pinned},
		}}})
	}
	read := at(-3*time.Hour, time.Hour, false, customer)
	at(-2*time.Hour, time.Hour, true, customer, operator)
	at(-time.Hour, time.Hour, false, operator)
	at(time.Hour, 2*time.Hour, false, customer)
	over := at(-time.Hour, time.Hour, false, customer)
	s.sql.retract(over)
	left := at(-time.Hour, time.Hour, false, customer, operator)
	s.sql.edit(left, func(n *notifier.Announcement) { address(n, operator) })
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	late := s.sql.join(customer)
	early := at(-time.Minute, time.Hour, false, customer)
	s.sql.edit(early, func(n *notifier.Announcement) { n.LateJoiners = true })
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	late2 := s.sql.join(customer)
	if _, err := s.MarkRead(t.Context(), notifier.Reader{Seq: 7, Audience: customer}, read); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	archive := &announcement.Archive{SQL: s.sql}
	for _, r := range []notifier.Reader{
		{Seq: 7, Audience: customer},
		{Seq: 8, Audience: customer},
		{Seq: late, Audience: customer},
		{Seq: late2, Audience: customer},
		{Seq: 7, Audience: operator},
		{Seq: 7, Audience: user},
		{Seq: 0, Audience: customer},
		{Seq: -1, Audience: customer},
	} {
		want, err := s.List(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		want.AVer = 0
		got, err := archive.List(t.Context(), r)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%+v, %v (-board +archive):\n%s", r, err, diff)
		}
		for _, id := range []int64{read, early, over, 99} {
			want, wantErr := s.Find(t.Context(), r, id)
			got, err := archive.Find(t.Context(), r, id)
			if diff := cmp.Diff(want, got); diff != "" || errors.Is(err, notifier.ErrNotFound) != errors.Is(wantErr, notifier.ErrNotFound) {
				t.Errorf("%d for %+v: %v, want %v\n%s", id, r, err, wantErr, diff)
			}
		}
	}
}

func TestArchiveOpensAndClosesByItsOwnClock(t *testing.T) {
	t.Parallel()
	q := newSQL()
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	q.announce(&notifier.Announcement{Notice: notifier.Notice{Draft: notifier.Draft{
		Target: notifier.Target{Audiences: []notifier.Audience{customer}}, Window: notifier.Window{StartsAt: start, EndsAt: start.Add(time.Hour)},
	}}})
	now := start.Add(-time.Millisecond)
	archive := &announcement.Archive{SQL: q, Now: func() time.Time { return now }}
	reader := notifier.Reader{Seq: 7, Audience: customer}
	for i, want := range []int64{0, 1, 1, 0, 0} { // before the start, at the start, just before the end, at the end, after the end
		posts, err := archive.List(t.Context(), reader)
		if err != nil || posts.Unread != want {
			t.Errorf("step %d: %d are open, want %d; %v", i, posts.Unread, want, err)
		}
		now = []time.Time{start, start.Add(time.Hour - 1), start.Add(time.Hour), start.Add(2 * time.Hour), now}[i]
	}
}

func TestArchiveReadsSQLOncePerSecondAndReturnsItsErrors(t *testing.T) {
	t.Parallel()
	q := newSQL()
	asked := map[string]int{}
	var fault error
	q.before = func(call string) error { asked[call]++; return fault }
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	archive := &announcement.Archive{SQL: q, Now: func() time.Time { return now }}
	reader := notifier.Reader{Seq: 7, Audience: customer}
	for range 5 {
		if _, err := archive.List(t.Context(), reader); err != nil {
			t.Fatal(err)
		}
	}
	if asked["current"] != 1 {
		t.Errorf("it read SQL %d times", asked["current"])
	}
	now, fault = now.Add(time.Second), errAway
	if _, err := archive.List(t.Context(), reader); !errors.Is(err, errAway) {
		t.Errorf("without SQL: %v", err)
	}
	now, fault = now.Add(-time.Hour), nil // a clock that was set back
	if _, err := archive.List(t.Context(), reader); err != nil || asked["current"] != 3 {
		t.Errorf("%v after %d reads", err, asked["current"])
	}
}
