package inbox_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// snoozing returns a site in which user 42 has five unread notices.
func snoozing(t *testing.T) (*site, *shelf) {
	t.Helper()
	s := newSite(t, redistest.Client(t), 0)
	return s, s.archiveSite(t, 0)
}

func (s *site) snooze(t *testing.T, id int64, d time.Duration) {
	t.Helper()
	if _, err := s.Snooze(t.Context(), 42, key(id), s.clock.in(d)); err != nil {
		t.Fatal(err)
	}
}

func (s *site) wakeDue(t *testing.T, want int) {
	t.Helper()
	if got, err := s.WakeDue(t.Context(), []int64{42}); err != nil || got != want {
		t.Errorf("%d entries came back, %v; want %d", got, err, want)
	}
}

// ids returns the notices on a page, newest first; those that are read are negative.
func (s *site) ids(t *testing.T, q notifier.Query) (ids []int64) {
	t.Helper()
	page, err := s.Look(t.Context(), 42, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries {
		if e.Read {
			e.NoticeID = -e.NoticeID
		}
		ids = append(ids, e.NoticeID)
	}
	return ids
}

func (s *site) has(t *testing.T, when string, want ...int64) {
	t.Helper()
	if got := s.ids(t, notifier.Query{}); !slices.Equal(got, want) {
		t.Errorf("%s, the inbox has %v, want %v", when, got, want)
	}
}

func (s *site) hasLater(t *testing.T, when string, want ...int64) {
	t.Helper()
	if got := s.ids(t, notifier.Query{Later: true}); !slices.Equal(got, want) {
		t.Errorf("%s, %v are snoozed, want %v", when, got, want)
	}
	if n, err := s.Snoozed(t.Context(), 42); err != nil || n != int64(len(want)) {
		t.Errorf("%s, %d entries are counted as snoozed, %v; want %d", when, n, err, len(want))
	}
}

func TestSnoozedEntriesComeBackInTheOrderOfTheirTimes(t *testing.T) {
	t.Parallel()
	s, _ := snoozing(t)
	if _, _, err := s.MarkRead(t.Context(), 42, key(4)); err != nil {
		t.Fatal(err)
	}
	s.snooze(t, 5, 2*time.Hour)
	s.snooze(t, 4, time.Hour)
	s.snooze(t, 1, 3*time.Hour)
	s.has(t, "snoozed", 3, 2)
	s.hasLater(t, "then", -5, -4, -1)
	s.wakeDue(t, 0)
	s.clock.pass(2 * time.Hour)
	s.wakeDue(t, 2)
	s.has(t, "two hours later", 5, 4, 3, 2)
	s.hasLater(t, "two hours later", -1)
	s.wakeDue(t, 0)
}

// A question ends while its row is snoozed or deleted, where the edit does not reach it.
func TestAQuestionThatEndedMeanwhileComesBackRead(t *testing.T) {
	t.Parallel()
	s, h := snoozing(t)
	s.snooze(t, 5, time.Hour)
	if _, err := s.Delete(t.Context(), 42, key(4)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{4, 5} {
		n := h.notices[id]
		n.Revision, n.Extras.Ask = 1, &notifier.Ask{State: notifier.AskExpired}
		h.keep(&n)
	}
	if badge, err := s.Restore(t.Context(), 42, key(4)); err != nil || badge.Unread != 3 {
		t.Errorf("restored: %+v, %v", badge, err)
	}
	s.has(t, "restored", -4, 3, 2, 1)
	if badge, err := s.Wake(t.Context(), 42, key(5)); err != nil || badge.Unread != 3 {
		t.Errorf("woken: %+v, %v", badge, err)
	}
	s.has(t, "woken", -5, -4, 3, 2, 1)
}

// What is snoozed is in SQL when Snooze returns: Redis may be lost right after that.
func TestWhatIsSnoozedSurvivesALossOfRedisAtOnce(t *testing.T) {
	t.Parallel()
	s, h := snoozing(t)
	s.writeBehind(t, h, 42)
	s.snooze(t, 5, time.Hour)
	s.lose(t, 42)
	s.has(t, "after a loss", 4, 3, 2, 1)
	s.hasLater(t, "after a loss", -5)
	s.lose(t, 42)
	s.clock.pass(31 * 24 * time.Hour) // longer than archived entries are kept
	s.wakeDue(t, 1)
	s.has(t, "when it is due", 5, 4, 3, 2, 1)
	s.lose(t, 42)
	s.has(t, "after another loss", 5, 4, 3, 2, 1)
	s.hasLater(t, "after another loss")
	s.wakeDue(t, 0)
}

// The instance dies after Redis has changed, and SQL does not know.
func TestALossBetweenTheStepsLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	s, h := snoozing(t)
	s.writeBehind(t, h, 42)
	before := h.snapshots[42]
	forget := func() { // SQL has what it had before the step
		h.mu.Lock()
		defer h.mu.Unlock()
		h.snapshots[42] = before
	}
	s.snooze(t, 5, time.Hour)
	forget()
	s.lose(t, 42)
	s.has(t, "it was not snoozed", 5, 4, 3, 2, 1)
	s.hasLater(t, "it was not snoozed")

	s.snooze(t, 5, time.Hour)
	forget()
	s.writeBehind(t, h, 42) // another instance stores it
	before = h.snapshots[42]
	s.clock.pass(time.Hour)
	s.wakeDue(t, 1)
	forget()
	s.lose(t, 42)
	s.hasLater(t, "it did not come back", -5)
	s.wakeDue(t, 1)
	s.has(t, "it came back", 5, 4, 3, 2, 1)

	forget()
	s.wakeDue(t, 0) // SQL says that it is due, and it is back
	s.has(t, "it came back once", 5, 4, 3, 2, 1)
}

// One instance reads what is due; before it brings that back, another one has done so, and the user snoozes it again.
func TestAnEntryThatWasSnoozedAgainStaysAway(t *testing.T) {
	t.Parallel()
	s, h := snoozing(t)
	s.snooze(t, 5, time.Hour)
	s.clock.pass(time.Hour)
	h.meeting = func() {
		s.wakeDue(t, 1)
		s.snooze(t, 5, time.Hour)
	}
	s.wakeDue(t, 0)
	s.has(t, "it was snoozed again", 4, 3, 2, 1)
	s.hasLater(t, "it was snoozed again", -5)
}

func TestWhileSQLIsAwaySnoozedEntriesAreStoredBehind(t *testing.T) {
	t.Parallel()
	s, h := snoozing(t)
	h.failing[0] = notifier.ErrUnavailable
	s.snooze(t, 5, time.Hour)
	h.failing[0] = nil
	s.writeBehind(t, h, 42)
	s.lose(t, 42)
	s.hasLater(t, "after a loss", -5)
	s.clock.pass(time.Hour)
	h.failing[1] = notifier.ErrUnavailable
	if _, err := s.WakeDue(t.Context(), []int64{42}); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("without SQL: %v", err)
	}
	h.failing[1] = nil
	s.wakeDue(t, 1)
}

func TestARetractedOrExpiredEntryDoesNotComeBack(t *testing.T) {
	t.Parallel()
	s, h := snoozing(t)
	for id := int64(3); id <= 5; id++ {
		s.snooze(t, id, time.Hour)
	}
	h.retract(5, notifier.StateRetracted)
	if err := s.Retract(t.Context(), 5, key(5), []int64{42}); err != nil {
		t.Fatal(err)
	}
	s.hasLater(t, "one is retracted", -4, -3)
	n := h.notices[4]
	n.ExpiresAt = s.clock.in(time.Minute)
	h.keep(&n)
	s.clock.pass(time.Hour)
	s.hasLater(t, "one has expired", -3)
	s.wakeDue(t, 1)
	s.has(t, "then", 3, 2, 1)
	s.sound(t, 42)
	s.clock.pass(time.Hour)
	s.wakeDue(t, 0)
	if got := s.stored(t, 42).Archive; len(got) != 0 {
		t.Errorf("the archive still has %v", got)
	}
}

func TestANewerNoticeTakesThePlaceOfASnoozedOne(t *testing.T) {
	t.Parallel()
	s, h := snoozing(t)
	s.snooze(t, 5, time.Hour)
	n := s.notice(9, key(5)[len("like:"):])
	h.keep(n)
	s.deliver(t, 42, n)
	s.hasLater(t, "replaced")
	s.clock.pass(time.Hour)
	s.wakeDue(t, 0)
	s.has(t, "later", 9, 4, 3, 2, 1)
}

func TestAtMostFiftyEntriesAreSnoozed(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t), 0)
	h := s.beside(60)
	for id := int64(1); id <= 54; id++ {
		n := s.notice(id, key(id)[len("like:"):])
		n.ExpiresAt = s.clock.in(100 * 24 * time.Hour)
		if id == 1 {
			n.ExpiresAt = s.clock.in(time.Minute)
		}
		h.keep(n)
		s.deliver(t, 42, n)
	}
	for id := int64(1); id <= notifier.MaxSnoozed; id++ {
		s.snooze(t, id, 50*24*time.Hour)
	}
	full := func(when string, id int64) {
		t.Helper()
		_, err := s.Snooze(t.Context(), 42, key(id), s.clock.in(time.Hour))
		var bad *notifier.InvalidError
		if !errors.As(err, &bad) || bad.Fields[0].Code != notifier.CodeTooManySnoozed {
			t.Errorf("%s: %v", when, err)
		}
	}
	full("the 51st", 51)
	s.clock.pass(time.Hour)
	s.snooze(t, 51, time.Hour) // the first has expired
	full("the 51st again", 52)
	if err := s.Retract(t.Context(), 2, key(2), []int64{42}); err != nil {
		t.Fatal(err)
	}
	s.snooze(t, 52, time.Hour)
	full("and again", 53)
	if _, err := s.Delete(t.Context(), 42, key(3)); err != nil {
		t.Fatal(err)
	}
	s.snooze(t, 53, time.Hour)
	if _, err := s.Restore(t.Context(), 42, key(3)); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("restoring one more: %v", err)
	}
	if got := len(s.stored(t, 42).Archive); got != notifier.MaxSnoozed {
		t.Errorf("%d entries are stored", got)
	}
	if _, err := s.Wake(t.Context(), 42, key(4)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restore(t.Context(), 42, key(3)); err != nil {
		t.Error(err)
	}
	if _, _, err := s.Archive(t.Context(), 42, []string{key(54)}); err != nil { // it has no room, and what is snoozed stays
		t.Fatal(err)
	}
	if got := len(s.ids(t, notifier.Query{Later: true, Limit: 100})); got != notifier.MaxSnoozed {
		t.Errorf("%d entries are snoozed", got)
	}
}
