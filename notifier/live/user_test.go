package live

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestTheNewestBadgeIsHeld(t *testing.T) {
	t.Parallel()
	n := func(inbox, ann, ver, aver int64) notifier.Badge {
		return notifier.Badge{Unread: inbox + ann, Inbox: inbox, Announcements: ann, Ver: ver, AVer: aver}
	}
	for name, c := range map[string]struct{ held, asked, read, want notifier.Badge }{
		"a newer reading replaces":                                 {n(1, 1, 5, 5), n(1, 1, 5, 5), n(2, 3, 6, 7), n(2, 3, 6, 7)},
		"one of the same version too":                              {n(1, 1, 5, 5), n(1, 1, 5, 5), n(2, 3, 5, 5), n(2, 3, 5, 5)},
		"one overtaken by a change does not":                       {n(4, 0, 9, 0), n(1, 0, 5, 0), n(2, 0, 6, 0), n(4, 0, 9, 0)},
		"each half counts by its own version":                      {n(4, 1, 9, 5), n(1, 1, 5, 5), n(2, 3, 6, 7), n(4, 3, 9, 7)},
		"one older than when it was asked for: Redis lost":         {n(4, 2, 9, 9), n(4, 2, 9, 9), n(1, 0, 3, 4), n(1, 0, 9, 9)},
		"one from before a loss, overtaken by a change after it":   {n(4, 2, 99, 99), n(5, 3, 90, 90), n(1, 0, 3, 4), n(4, 2, 99, 99)},
		"one overtaken by a turn does not":                         {n(1, 4, 5, 9), n(1, 3, 5, 7), n(1, 3, 5, 7), n(1, 4, 5, 9)},
		"marks forgotten: the same number keeps its later version": {n(1, 4, 5, 9), n(1, 4, 5, 9), n(1, 4, 5, 7), n(1, 4, 5, 9)},
		"the same number of a later version has that":              {n(1, 4, 5, 7), n(1, 4, 5, 7), n(1, 4, 5, 9), n(1, 4, 5, 9)},
	} {
		u := &user{hub: New(Config{}), badge: c.held}
		u.hold(c.read, c.asked)
		if u.badge != c.want {
			t.Errorf("%s: %+v, want %+v", name, u.badge, c.want)
		}
	}
}

func TestAnOlderChangeDoesNotAffectTheBadge(t *testing.T) {
	t.Parallel()
	u := &user{hub: New(Config{}), badge: notifier.Badge{Unread: 4, Inbox: 3, Announcements: 1, Ver: 9, AVer: 2}}
	u.apply(&notifier.Change{Ver: 8, Unread: 7})
	u.apply(&notifier.Change{Ver: 9, Unread: 7})
	if u.badge.Inbox != 3 || u.due {
		t.Errorf("%+v, due %v", u.badge, u.due)
	}
	u.apply(&notifier.Change{Ver: 10, Unread: 7})
	if want := (notifier.Badge{Unread: 8, Inbox: 7, Announcements: 1, Ver: 10, AVer: 2}); u.badge != want {
		t.Errorf("%+v", u.badge)
	}
}

func TestATurnUpdatesOnlyBadgesReadSinceTheSubscription(t *testing.T) {
	t.Parallel()
	parsed, err := notifier.ParseTurn("200 100\nopen 9 0 {}")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		confirmed, fresh bool
		want             int64
		queued           priority
	}{
		"fresh":                              {true, true, 4, unqueued},
		"confirmed: marks may be missing":    {true, false, 3, soon},
		"lost: the confirmation has it read": {false, false, 3, unqueued},
	} {
		u := &user{hub: New(Config{}), confirmed: c.confirmed, fresh: c.fresh, badge: notifier.Badge{Unread: 3, Announcements: 3, AVer: 100}}
		u.turn(newTurn(parsed, notifier.NamedApp))
		if u.badge.Unread != c.want || u.badge.Announcements != c.want || u.queued != c.queued {
			t.Errorf("%s: %+v, queued %d", name, u.badge, u.queued)
		}
	}
}

func TestABadgeRequestedBeforeALossDoesNotMakeAUserFresh(t *testing.T) {
	t.Parallel()
	u := &user{hub: New(Config{}), confirmed: true, gen: 3, ready: make(chan struct{})}
	u.settle(2) // requested before the last confirmation
	if u.fresh {
		t.Error("fresh by a badge read under another subscription")
	}
	u.confirmed = false
	u.settle(3) // requested before the loss
	if u.fresh {
		t.Error("fresh without a subscription")
	}
	u.confirmed = true
	waiting := u.ready
	u.settle(3)
	select {
	case <-waiting:
	default:
		t.Error("the waiting request was not released")
	}
	if !u.fresh {
		t.Error("not fresh")
	}
}
