package outbox_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestCommittedRowsAreSentAndDeletedAndOthersAreNot(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		r := newRig(t, boxOf(t, s.address))
		tx := s.begin(t)
		s.insert(t, tx, to("rolled back"))
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		s.put(t, to("one"), to("two"), `{"target": {"users": ["alice"]}, "title": "three?", "choices": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}], "expires_in": "2h"}`)
		o, _ := r.run(t)
		s.empty(t)
		if diff := cmp.Diff([]string{"one", "two", "three?"}, r.titles(t)); diff != "" {
			t.Error(diff)
		}
		if all := r.sent(t); all[2].Extras.Ask == nil || all[1].Extras.Ask != nil {
			t.Errorf("the third is no question, or the second is one: %+v", all)
		}
		testkit.Eventually(t, "the rows are counted", func() bool { return o.Stats()["shop"].Sent == 3 && o.Stats()["shop"].Reading })
	})
}

func TestAFaultyRowKeepsItsErrorUntilThatIsEmptied(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		r := newRig(t, boxOf(t, s.address))
		s.put(t, `order 7 was sent`, to(strings.Repeat("x", 1<<20)), `{"target": {"users": ["nobody"]}, "title": "a"}`,
			`{"target": {"users": ["alice"]}, "title": "a", "text": "a"}`, `{"target": {"users": ["alice"]}, "title": "a", "expires_in": "soon"}`,
			`{"target": {"users": ["alice"]}, "title": "a", "choices": [{"id": "yes", "label": "Yes"}]}`, to("fine"))
		o, _ := r.run(t)
		testkit.Eventually(t, "the last row is sent", func() bool { return o.Stats()["shop"].Sent == 1 && o.Stats()["shop"].Faulty == 6 })
		got := s.errors(t)
		for i, want := range []string{"payload is not valid JSON", "payload has ", "target.users ", "text unknown field; did you mean body?", "expires_in must be a duration", "choices "} {
			if i >= len(got) || !strings.Contains(got[i], want) {
				t.Fatalf("%d: %q, want %q", i, got, want)
			}
		}
		if n := s.count(t, `SELECT COUNT(*) FROM carillon_outbox`); n != 6 {
			t.Errorf("%d rows", n)
		}
		s.do(t, `UPDATE carillon_outbox SET error = NULL, payload = '`+to("mended")+`' WHERE error LIKE 'target.users%'`)
		s.do(t, `UPDATE carillon_outbox SET error = '', payload = '`+to("also mended")+`' WHERE error LIKE 'text%'`)
		testkit.Eventually(t, "the mended rows are sent", func() bool { return s.count(t, `SELECT COUNT(*) FROM carillon_outbox`) == 4 })
		if diff := cmp.Diff([]string{"fine", "mended", "also mended"}, r.titles(t)); diff != "" {
			t.Error(diff)
		}
	})
}

// A crash between the two commits leaves a row that was sent.
func TestARowThatIsReadAgainIsSentOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		r := newRig(t, boxOf(t, s.address))
		send, crashes := r.c.Send, atomic.Int32{}
		r.c.Send = func(ctx context.Context, by notifier.Actor, app int64, all []notifier.Request) []notifier.Result {
			results := send(ctx, by, app, all)
			if crashes.Add(1) <= 2 {
				for i := range results {
					results[i].Err = notifier.ErrUnavailable
				}
			}
			return results
		}
		s.put(t, to("one"), to("two"))
		_, stop := r.run(t)
		testkit.Eventually(t, "it has crashed", func() bool { return crashes.Load() >= 1 })
		stop()
		r.run(t)
		s.empty(t)
		if diff := cmp.Diff([]string{"one", "two"}, r.titles(t)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestARowThatCommitsLateIsNotPassedOver(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		r := newRig(t, boxOf(t, s.address))
		o, _ := r.run(t)
		if s.kind == source.SQLite { // one writer at a time: ids grow with the commits, unless they are given
			s.do(t, `INSERT INTO carillon_outbox (id, payload) VALUES (9, '`+to("early")+`')`)
			s.empty(t)
			s.do(t, `INSERT INTO carillon_outbox (id, payload) VALUES (3, '`+to("late")+`')`)
		} else {
			late := s.begin(t)
			s.insert(t, late, to("late"))
			s.put(t, to("early"))
			testkit.Eventually(t, "the early row is sent", func() bool { return o.Stats()["shop"].Sent == 1 })
			if err := late.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		s.empty(t)
		if diff := cmp.Diff([]string{"early", "late"}, r.titles(t)); diff != "" {
			t.Error(diff)
		}
	})
}

// truncate empties the table, so that ids return.
func (s *shop) truncate(t *testing.T) {
	t.Helper()
	switch s.kind {
	case source.SQLite:
		s.do(t, `DELETE FROM carillon_outbox`)
		s.do(t, `DELETE FROM sqlite_sequence`)
	case source.Postgres:
		s.do(t, `TRUNCATE carillon_outbox RESTART IDENTITY`)
	default:
		s.do(t, `TRUNCATE carillon_outbox`)
	}
}

func TestIDsMayReturn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		r := newRig(t, boxOf(t, s.address))
		send, once := r.c.Send, atomic.Bool{}
		restart := func() {
			s.truncate(t)
			s.put(t, to("two"))
		}
		r.c.Send = func(ctx context.Context, by notifier.Actor, app int64, all []notifier.Request) []notifier.Result {
			if once.CompareAndSwap(false, true) { // after the row was read, and before it is deleted
				restart()
			}
			return send(ctx, by, app, all)
		}
		s.put(t, to("one"))
		r.run(t)
		testkit.Eventually(t, "both rows are sent", func() bool { return slices.Equal(r.titles(t), []string{"one", "two"}) })
		s.empty(t)
		s.truncate(t)
		s.put(t, to("one"))
		testkit.Eventually(t, "the same row is another one", func() bool { return slices.Equal(r.titles(t), []string{"one", "two", "one"}) })
	})
}

func TestOneInstallationReadsWhileTheOtherWaits(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		one, two := newRig(t, boxOf(t, s.address)), newRig(t, boxOf(t, s.address))
		o, stop := one.run(t)
		testkit.Eventually(t, "the first reads", func() bool { return o.Stats()["shop"].Reading })
		other, _ := two.run(t)
		testkit.Eventually(t, "the second waits", func() bool { return two.logs.has("outbox is read by another instance") == 1 })
		for i := range 20 {
			s.put(t, to(strconv.Itoa(i)))
		}
		s.empty(t)
		if n := len(one.titles(t)); n != 20 || len(two.titles(t)) != 0 {
			t.Errorf("%d of 20, and %d by the one that waits", n, len(two.titles(t)))
		}
		stop()
		testkit.Eventually(t, "the second reads", func() bool { return other.Stats()["shop"].Reading })
		s.put(t, to("last"))
		s.empty(t)
		if n := two.logs.has("outbox is read by another instance"); n != 1 || len(two.titles(t)) != 1 {
			t.Errorf("%d lines, %d rows\n%s", n, len(two.titles(t)), two.logs.text())
		}
	})
}

func TestRowsWaitWhileCarillonAcceptsNothing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		r := newRig(t, boxOf(t, s.address))
		var full atomic.Bool
		full.Store(true)
		send := r.c.Send
		r.c.Send = func(ctx context.Context, by notifier.Actor, app int64, all []notifier.Request) []notifier.Result {
			if full.Load() {
				return slices.Repeat([]notifier.Result{{Err: &notifier.TooManyError{RetryAfter: time.Second}}}, len(all))
			}
			return send(ctx, by, app, all)
		}
		s.put(t, to("one"), `{`)
		o, _ := r.run(t)
		testkit.Eventually(t, "the row waits", func() bool { return o.Stats()["shop"].Waiting })
		if got := s.errors(t); len(got) != 1 || !strings.Contains(got[0], "payload") {
			t.Errorf("errors %q, want that of the second row only", got)
		}
		full.Store(false)
		testkit.Eventually(t, "the row is sent", func() bool { return o.Stats()["shop"].Sent == 1 && !o.Stats()["shop"].Waiting })
		if n := r.logs.has("rows of an outbox wait"); n != 1 {
			t.Errorf("%d lines\n%s", n, r.logs.text())
		}
	})
}

func TestManyRowsAreSentInTheOrderOfTheirIDs(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		r := newRig(t, boxOf(t, s.address))
		var payloads, want []string
		for i := range 1201 {
			want = append(want, strconv.Itoa(i))
			payloads = append(payloads, to(strconv.Itoa(i)))
		}
		s.put(t, payloads...)
		r.c.Every = time.Hour // a full read is followed by the next one at once
		r.run(t)
		s.empty(t)
		if diff := cmp.Diff(want, r.titles(t)); diff != "" {
			t.Error(diff)
		}
	})
}
