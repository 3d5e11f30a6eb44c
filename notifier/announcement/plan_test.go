package announcement_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func TestPublishedAnnouncementIsOpenPublishedAndCounted(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sync(t)
		heard, others := s.turns(t, customer), s.turns(t, user)
		before := s.stored(t, customer)
		n := draft("One")
		id := s.publish(t, n)
		words := heard.heard(t)
		if len(words) != 1 {
			t.Fatalf("published %q, want one turn", words)
		}
		told := turn(t, words[0])
		after := s.stored(t, customer)
		if strconv.FormatInt(told.Before, 10) != before.AVer || strconv.FormatInt(told.AVer, 10) != after.AVer || told.AVer <= told.Before {
			t.Errorf("turn from %d to %d, the index went from %s to %s", told.Before, told.AVer, before.AVer, after.AVer)
		}
		text, err := json.Marshal(notifier.AnnouncementText{Title: "One", Body: n.Body, Link: n.Link})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]notifier.TurnEvent{{Kind: notifier.TurnOpen, ID: id, Top: 9, JSON: string(text)}}, told.Events); d != "" {
			t.Errorf("events (-want +got):\n%s", d)
		}
		start := strconv.FormatInt(n.StartsAt.UnixMilli(), 10)
		want := stored{
			AVer: after.AVer, Open: map[string]string{"0": "0", "1": start}, Scheduled: map[string]string{"0": "0"},
			Marked: map[string]string{}, Dirty: map[string]string{}, Bits: map[int64][]int64{1: {0}},
			Windows: map[string]string{"revision": "1", "1": fmt.Sprintf("%s %d 9 1", start, n.EndsAt.UnixMilli())},
		}
		plain := after
		plain.Windows = maps.Clone(after.Windows)
		plain.Windows["1"], _, _ = strings.Cut(plain.Windows["1"], "-") // a checksum follows
		if d := cmp.Diff(want, plain); d != "" {
			t.Errorf("stored (-want +got):\n%s", d)
		}
		if p := s.sql.partOf(id, customer); !p.Settled || p.Top != 9 || p.Members != 9 {
			t.Errorf("the part is %+v, want it settled", p)
		}
		s.unread(t, 1, 1)
		if s.sync(t); len(heard.heard(t)) != 0 || len(others.heard(t)) != 0 {
			t.Error("a repeat, or another audience, published something")
		}
		if d := cmp.Diff(after, s.stored(t, customer)); d != "" {
			t.Errorf("a repeat changed (-before +after):\n%s", d)
		}
	})
}

func TestComingAnnouncementWaitsAndEndedOneIsGone(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sync(t)
		heard := s.turns(t, customer)
		coming, over := draft("Coming"), draft("Over")
		coming.StartsAt = time.Now().Add(time.Minute).Truncate(time.Millisecond)
		over.EndsAt = time.Now().Add(-time.Millisecond)
		s.publish(t, coming)
		s.publish(t, over)
		if got := heard.told(t); got != "" {
			t.Errorf("published %q, want nothing", got)
		}
		s.unread(t, 1, 0)
		at := s.stored(t, customer)
		if len(at.Open) != 1 || len(at.Scheduled) != 2 || len(at.Bits) != 0 || len(at.Windows) != 2 {
			t.Errorf("stored %+v, want one coming and nothing open", at)
		}
		if p := s.sql.partOf(1, customer); p.Settled {
			t.Error("its readers were settled before it opened")
		}
	})
}

func TestEditWithoutChangesPublishesAndLosesNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		heard := s.turns(t, customer)
		s.sql.edit(id, func(*notifier.Announcement) {})
		s.sync(t)
		if got := heard.told(t); got != "" {
			t.Errorf("published %q", got)
		}
		s.sql.edit(id, func(n *notifier.Announcement) { n.Body = "Another text" })
		s.sync(t)
		if got := heard.told(t); got != "changed 1 9" {
			t.Errorf("published %q, want the new text", got)
		}
		if p, err := s.Find(t.Context(), reader(1), id); err != nil || p.Body != "Another text" {
			t.Errorf("the text is %q, %v", p.Body, err)
		}
	})
}

func TestTextsAreNotPublishedAgainAfterALoss(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one := s.publish(t, draft("One"))
		s.publish(t, draft("Two"))
		s.read(t, 1, one)
		s.flushed(t)
		heard := s.turns(t, customer)
		fresh := draft("Three")
		fresh.StartsAt = time.Now().Truncate(time.Millisecond)
		s.sql.announce(fresh) // not shown yet at the time of the loss
		if err := s.rdb.Del(t.Context(), s.customerKeys()...).Err(); err != nil {
			t.Fatal(err)
		}
		s.sync(t)
		words := heard.heard(t)
		if len(words) != 1 {
			t.Fatalf("published %q, want one turn", words)
		}
		told := turn(t, words[0])
		if len(told.Events) != 1 || told.Events[0].Kind != notifier.TurnOpen || told.Events[0].ID != fresh.ID {
			t.Errorf("published %+v, want only the new one", told.Events)
		}
		if told.Before != told.AVer {
			t.Errorf("a turn from %d to %d could update a number", told.Before, told.AVer)
		}
		s.unread(t, 1, 2)
	})
}

func TestEditChangesOpenAnnouncementsEverywhereAtOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One", customer, user))
		s.read(t, 1, id)
		heard, others := s.turns(t, customer), s.turns(t, user)
		s.sql.edit(id, func(n *notifier.Announcement) { n.Title, n.Pinned = "Two", true })
		s.sync(t)
		for _, l := range []*listener{heard, others} {
			words := l.heard(t)
			if len(words) != 1 {
				t.Fatalf("published %q, want one turn", words)
			}
			e := turn(t, words[0]).Events[0]
			n := draft("Two")
			text, err := json.Marshal(notifier.AnnouncementText{Title: "Two", Body: n.Body, Link: n.Link, Pinned: true, Changed: true})
			if err != nil || e.Kind != notifier.TurnChanged || e.JSON != string(text) {
				t.Errorf("published %s %s, want %s", e.Kind, e.JSON, text)
			}
		}
		s.unread(t, 1, 0)
		s.unread(t, 2, 1)
		s.sql.edit(id, func(n *notifier.Announcement) { address(n, user, operator) })
		s.sync(t)
		if got := heard.told(t); got != "removed 1" {
			t.Errorf("customers were sent %q", got)
		}
		if got := others.told(t); got != "" {
			t.Errorf("published %q, although nothing has changed", got)
		}
		s.unread(t, 2, 0)
		s.sql.edit(id, func(n *notifier.Announcement) { address(n, customer) })
		s.sync(t)
		if got := heard.told(t); got != "changed 1 9" {
			t.Errorf("published %q: readers who have read it would count it again", got)
		}
		s.unread(t, 1, 0)
		s.unread(t, 2, 1)
		s.sql.edit(id, func(n *notifier.Announcement) { n.StartsAt = time.Now().Add(time.Minute) })
		s.sync(t)
		if got := heard.told(t); got != "removed 1" {
			t.Errorf("after the delay, published %q", got)
		}
		s.unread(t, 2, 0)
		if at := s.stored(t, customer); len(at.Scheduled) != 2 {
			t.Errorf("after the delay, it is not scheduled: %+v", at)
		}
	})
}

func TestToastIsShownAtTheOpeningOnly(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sync(t)
		heard := s.turns(t, customer)
		defer run(t, s.another(quick()))() // the scheduled announcement opens by itself
		n := draft("One")
		n.Toast, n.Body = true, `{"toast":true}`
		n.StartsAt = time.Now().Add(50 * time.Millisecond).Truncate(time.Millisecond)
		id := s.publish(t, n)
		next := func(kind string, want notifier.AnnouncementText) {
			t.Helper()
			text, err := json.Marshal(want)
			e := turn(t, heard.next(t)).Events
			if d := cmp.Diff([]notifier.TurnEvent{{Kind: kind, ID: id, Top: 9, JSON: string(text)}}, e); d != "" || err != nil {
				t.Errorf("published (-want +got):\n%s%v", d, err)
			}
		}
		told := notifier.AnnouncementText{Title: "One", Body: n.Body, Link: n.Link, Toast: true}
		next(notifier.TurnOpen, told)
		s.sql.edit(id, func(n *notifier.Announcement) { n.Body = `{"toast":true}}` })
		told.Body, told.Toast, told.Changed = `{"toast":true}}`, false, true
		next(notifier.TurnChanged, told)
	})
}

func TestTheEventOfAnAnnouncementHasItsAppPictureButtonsAndData(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sync(t)
		heard := s.turns(t, customer)
		n := draft("One")
		n.App.Name = "shop"
		n.Extras = notifier.Extras{
			Image:   &notifier.Image{URL: "https://cdn.example.com/a.png", Alt: "A"},
			Actions: []notifier.Action{{Label: "Go", Link: "/go", Style: notifier.StylePlain}}, Data: []byte(`{"app":"x","n":1.0}`),
		}
		id := s.publish(t, n)
		want := notifier.AnnouncementText{
			Title: "One", Body: n.Body, Link: n.Link, App: "shop", Image: n.Extras.Image, Actions: n.Extras.Actions, Data: n.Extras.Data,
		}
		next := func() {
			t.Helper()
			var got notifier.AnnouncementText
			err := json.Unmarshal([]byte(turn(t, heard.next(t)).Events[0].JSON), &got)
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("published (-want +got):\n%s%v", d, err)
			}
		}
		next()
		want.Data, want.Changed = []byte(`{"n":2}`), true
		s.sql.edit(id, func(n *notifier.Announcement) { n.Extras.Data = want.Data })
		s.sync(t)
		next()
		s.sql.edit(id, func(n *notifier.Announcement) { n.App.Name = "" }) // as an earlier version wrote it
		s.sync(t)
		if got := heard.told(t); got != "" {
			t.Errorf("published %q", got)
		}
	})
}

func TestAnnouncementFromBeforeToastsCountsAsUnedited(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	id := s.publish(t, draft("One"))
	heard := s.turns(t, customer)
	s.sql.edit(id, func(n *notifier.Announcement) { n.Toast = true }) // it always had one, but the index did not have the field
	s.sync(t)
	if got := heard.told(t); got != "" {
		t.Errorf("published %q", got)
	}
}

func TestRetractedAnnouncementIsGoneAtOnceAndForGood(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		heard := s.turns(t, customer)
		s.sql.retract(id)
		s.sync(t)
		s.sync(t)
		if got := heard.told(t); got != "removed 1" {
			t.Errorf("published %q", got)
		}
		s.unread(t, 1, 0)
	})
}

func TestLateJoinersSeeOnlyAnnouncementsForThem(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		closed, open := draft("For those who were there"), draft("For all")
		open.LateJoiners = true
		s.publish(t, closed)
		s.publish(t, open)
		late := s.sql.join(customer)
		s.unread(t, 9, 2)
		s.unread(t, late, 1)
		if _, err := s.MarkRead(t.Context(), reader(late), closed.ID); !isNotFound(err) {
			t.Errorf("a late joiner marked an announcement they do not see: %v", err)
		}
		if _, err := s.Find(t.Context(), reader(late), closed.ID); !isNotFound(err) {
			t.Errorf("a late joiner found an announcement they do not see: %v", err)
		}
		ids, b, err := s.ReadAll(t.Context(), reader(late))
		if err != nil || !slices.Equal(ids, []int64{open.ID}) || b.Unread != 0 {
			t.Errorf("read all: %v, %+v, %v; want the visible one", ids, b, err)
		}
		if at := s.stored(t, customer); len(at.Bits[closed.ID]) != 1 {
			t.Errorf("bits of the invisible announcement: %v", at.Bits[closed.ID])
		}
		// An edit may admit late joiners, and exclude them again.
		heard := s.turns(t, customer)
		for _, c := range []struct {
			late bool
			told string
			sees int64
		}{{true, "changed 1 0", 1}, {false, "removed 1, changed 1 9", 0}} {
			s.sql.edit(closed.ID, func(n *notifier.Announcement) { n.LateJoiners = c.late })
			s.sync(t)
			if got := heard.told(t); got != c.told {
				t.Errorf("late joiners %v: published %q, want %q", c.late, got, c.told)
			}
			s.unread(t, late, c.sees)
			s.unread(t, 9, 2)
		}
	})
}

func TestAnnouncementOpenedWithoutUsersIsForLateJoinersOnly(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sql.users = nil
		open := draft("For all")
		open.LateJoiners = true
		s.publish(t, draft("For nobody"))
		s.publish(t, open)
		first := s.sql.join(customer)
		s.sync(t)
		s.unread(t, first, 1)
		posts, err := s.List(t.Context(), reader(first))
		if err != nil || !slices.Equal(titles(posts), []string{"For all*"}) {
			t.Errorf("%v, %v", titles(posts), err)
		}
		if at := s.stored(t, customer); len(at.Open) != 2 || len(at.Windows) != 2 {
			t.Errorf("an announcement without readers is in the index: %+v", at)
		}
		s.sql.edit(1, func(n *notifier.Announcement) { n.LateJoiners = true })
		s.sync(t)
		s.unread(t, first, 2)
	})
}

func TestLaterStateIsNotReplacedByAnEarlierOne(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.publish(t, draft("One"))
		other, heard, asked := s.another(noOptions), s.turns(t, customer), 0
		s.sql.after = func(call string) error {
			if call != "revision" {
				return nil
			}
			if asked++; asked == 2 { // it has read SQL: now another instance publishes and plans
				s.sql.announce(draft("Two"))
				return other.Sync(t.Context())
			}
			return nil
		}
		s.sync(t)
		if at := s.stored(t, customer); at.Windows["revision"] != "2" || len(at.Open) != 3 {
			t.Errorf("stored %+v, want the later state", at)
		}
		if got := heard.told(t); got != "open 2 9" {
			t.Errorf("published %q: it was closed in between", got)
		}
	})
}

func TestIndexFollowsSQLThatWasReset(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.publish(t, draft("One"))
		s.publish(t, draft("Two"))
		s.publish(t, draft("Three"))
		s.sql.remove(2)
		s.sql.remove(3)
		s.sql.revision = 1
		s.sync(t)
		if at := s.stored(t, customer); at.Windows["revision"] != "1" || len(at.Open) != 2 {
			t.Errorf("stored %+v, want the state of SQL", at)
		}
		s.unread(t, 1, 1)
	})
}

func TestConcurrentPlansPublishOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sync(t)
		heard := s.turns(t, customer)
		for i := range 10 {
			s.sql.announce(draft(fmt.Sprint("Number ", i)))
		}
		var all sync.WaitGroup
		for range 8 {
			b := s.another(noOptions)
			all.Go(func() {
				if err := b.Sync(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got := strings.Count(heard.told(t), "open "); got != 10 {
			t.Errorf("10 announcements were published %d times", got)
		}
		s.unread(t, 3, 10)
	})
}

func TestIndexIsNewerThanAllMarksOnTheOneBefore(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("One"))
		ahead := time.Now().Add(time.Minute).UnixMilli()
		s.read(t, 1, id)
		s.rdb.ZIncrBy(t.Context(), s.k.Marked(customer), float64(ahead-s.badge(t, 1).AVer), "1")
		if b := s.badge(t, 1); b.AVer != ahead {
			t.Fatalf("the reader's own version is %d, want %d", b.AVer, ahead)
		}
		s.publish(t, draft("Two"))
		if b := s.badge(t, 1); b.AVer <= ahead || b.Unread != 1 {
			t.Errorf("badge %+v, want it above %d", b, ahead)
		}
	})
}
