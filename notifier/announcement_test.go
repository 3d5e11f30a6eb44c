package notifier_test

import (
	"slices"
	"testing"
	"testing/quick"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestPhasesFollowTheWindowUnlessRetracted(t *testing.T) {
	t.Parallel()
	starts := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	ends := starts.Add(time.Hour)
	for _, c := range []struct {
		state notifier.State
		now   time.Time
		want  notifier.Phase
	}{
		{notifier.StateSent, starts.Add(-1), notifier.PhaseScheduled},
		{notifier.StateSent, starts, notifier.PhaseOpen},
		{notifier.StateSent, starts.In(time.FixedZone("", 9*3600)), notifier.PhaseOpen},
		{notifier.StateSent, ends.Add(-1), notifier.PhaseOpen},
		{notifier.StateSent, ends, notifier.PhaseClosed},
		{notifier.StateSent, ends.Add(1000 * time.Hour), notifier.PhaseClosed},
		{notifier.StateRetracted, starts.Add(-1), notifier.PhaseRetracted},
		{notifier.StateRetracted, starts, notifier.PhaseRetracted},
		{notifier.StateRetracting, ends, notifier.PhaseRetracted},
	} {
		n := notifier.Notice{State: c.state}
		n.StartsAt, n.EndsAt = starts, ends
		if got := n.PhaseAt(c.now); got != c.want {
			t.Errorf("%s at %s: %s, want %s", c.state, c.now, got, c.want)
		}
	}
}

func TestOnlyNoticesToAudiencesAreAnnouncements(t *testing.T) {
	t.Parallel()
	for want, targets := range map[bool][]notifier.Target{
		true:  {{Audiences: []notifier.Audience{1}}},
		false: {{}, {Users: []string{"alice"}}, {Role: "picker"}},
	} {
		for _, target := range targets {
			n := notifier.Notice{}
			n.Target = target
			if n.Announces() != want {
				t.Errorf("Announces of %+v = %v", target, !want)
			}
		}
	}
}

func TestPinnedAnnouncementsComeFirstThenTheLatest(t *testing.T) {
	t.Parallel()
	at := func(h int) time.Time { return time.Unix(int64(h)*3600, 0) }
	want := []notifier.OpenAnnouncement{
		{ID: 2, StartsAt: at(8), Pinned: true, Read: true}, // being read does not change the position
		{ID: 1, StartsAt: at(3), Pinned: true},
		{ID: 4, StartsAt: at(9)},
		{ID: 7, StartsAt: at(8)}, // same start: the higher id comes first
		{ID: 6, StartsAt: at(8).UTC()},
		{ID: 9, StartsAt: at(1)},
	}
	for i := range want {
		items := append(slices.Clone(want[i:]), want[:i]...)
		if notifier.SortOpenAnnouncements(items); !cmp.Equal(want, items) {
			t.Errorf("rotated by %d: %s", i, cmp.Diff(want, items))
		}
	}
}

func TestAnnouncementOrderDoesNotDependOnInputOrder(t *testing.T) {
	t.Parallel()
	one := func(ids []uint8) bool {
		items := make([]notifier.OpenAnnouncement, len(ids))
		for i, id := range ids {
			items[i] = notifier.OpenAnnouncement{ID: int64(id), Pinned: id%3 == 0, StartsAt: time.Unix(int64(id%5), 0)}
		}
		back := slices.Clone(items)
		slices.Reverse(back)
		notifier.SortOpenAnnouncements(items)
		notifier.SortOpenAnnouncements(back)
		return cmp.Equal(items, back)
	}
	if err := quick.Check(one, nil); err != nil {
		t.Error(err)
	}
}

func TestOpenAnnouncementsGiveTheAnnouncementHalfOfTheBadge(t *testing.T) {
	t.Parallel()
	got := notifier.OpenAnnouncements{Unread: 3, Read: 4, AVer: 9}.Badge()
	if want := (notifier.Badge{Unread: 3, Announcements: 3, AVer: 9}); got != want {
		t.Errorf("%+v", got)
	}
}
