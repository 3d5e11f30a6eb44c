package inbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// commentBy makes a comment on a photo that shares its row.
func (s *site) commentBy(id int64, actor string) *notifier.Notice {
	n := s.notice(id, "photo:1")
	n.Title = actor + " likes your photo"
	n.Extras = notifier.Extras{
		Actor: &notifier.RowActor{ID: actor, Name: actor},
		More:  &notifier.More{One: "{actor} and {others} other like your photo", Other: "{actor} and {others} others like your photo"},
	}
	return n
}

// only returns the only row of user 7.
func (s *site) only(t tb) notifier.Entry {
	t.Helper()
	page, err := s.Look(t.Context(), 7, notifier.Query{})
	if err != nil || len(page.Entries) != 1 || page.Unread != 1 {
		t.Fatalf("%d rows, %d unread, %v", len(page.Entries), page.Unread, err)
	}
	return page.Entries[0]
}

func TestARowCountsUpToFiftyOtherActors(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.beside(30)
		for i := range int64(60) {
			s.deliver(t, 7, s.commentBy(i+1, fmt.Sprintf("P%d", i+1)))
			others, words := int(i), fmt.Sprintf("P%d and %d others like your photo", i+1, i)
			switch {
			case i == 0:
				words = "P1 likes your photo"
			case i == 1:
				words = "P2 and 1 other like your photo"
			case i >= 50:
				others, words = 50, fmt.Sprintf("P%d and 50+ others like your photo", i+1)
			}
			if e := s.only(t); e.Title != words || e.Group.Others() != others || e.Group.Times != int(i)+1 || len(e.Group.Actors) != int(min(i+1, 3)) {
				t.Fatalf("%q, %+v; want %q", e.Title, e.Group, words)
			}
		}
	})
}

func TestARowThatHadTooManyActorsToCountStaysSoAfterARetraction(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(30)
		for i := range int64(51) {
			n := s.commentBy(i+1, fmt.Sprintf("P%d", i+1))
			h.keep(n)
			s.deliver(t, 7, n)
		}
		h.retract(7, notifier.StateRetracting)
		if err := s.Retract(t.Context(), 7, s.commentBy(7, "P7").Key(), []int64{7}); err != nil {
			t.Fatal(err)
		}
		if e := s.only(t); e.Title != "P51 and 50+ others like your photo" || e.Group.Times != 50 || !e.Group.Many {
			t.Errorf("%q, %+v", e.Title, e.Group)
		}
	})
}

func TestARowListsItsLatestTwoHundredNoticesAndCountsAll(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.beside(30)
		s.deliver(t, 7, s.commentBy(1, "First"))
		for i := range int64(250) {
			s.deliver(t, 7, s.commentBy(i+2, fmt.Sprintf("P%d", i%2)))
		}
		e := s.only(t)
		if e.Group.Times != 251 || e.Group.Others() != 2 || len(e.Group.Notices) != notifier.MaxMembers {
			t.Errorf("%d times, %d others, %d listed", e.Group.Times, e.Group.Others(), len(e.Group.Notices))
		}
		if first := e.Group.Notices[0]; first.ID != 1 {
			t.Errorf("the only notice of the first actor was dropped: %+v is the first", first)
		}
	})
}

func TestEventsShowTheGroupOfARow(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.beside(30)
		l := s.listen(t, 7)
		s.deliver(t, 7, s.commentBy(2, "Alice"))
		s.deliver(t, 7, s.commentBy(3, `B"o}b`))
		s.deliver(t, 7, s.commentBy(1, "Carol")) // late
		var got []string
		for _, c := range l.heard(t) {
			for _, e := range c.Events {
				json := notifier.ShowGroup(e.JSON, notifier.Somebody)
				got = append(got, e.Kind+" "+json[strings.Index(json, `"title"`):strings.Index(json, `,"body"`)]+json[strings.LastIndex(json, `,"actors"`):])
			}
		}
		want := []string{
			`notice "title":"Alice likes your photo","actors":[{"id":"Alice","name":"Alice"}],"others":0,"times":1}`,
			`notice "title":"B\"o}b and 1 other like your photo","actors":[{"id":"B\"o}b","name":"B\"o}b"},{"id":"Alice","name":"Alice"}],"others":1,"times":2}`,
			`changed "title":"B\"o}b and 2 others like your photo","actors":[{"id":"B\"o}b","name":"B\"o}b"},{"id":"Alice","name":"Alice"},{"id":"Carol","name":"Carol"}],"others":2,"times":3}`,
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// Rows below the newest ones are written to SQL again only if their change asks for it.
func TestAGroupThatChangesInItsPlaceReachesSQL(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, s *site, h *shelf)
		want   string
	}{
		"a late notice": {func(t *testing.T, s *site, h *shelf) {
			n := s.commentBy(1, "Alice")
			h.keep(n)
			s.deliver(t, 7, n)
		}, "Carol and 2 others like your photo: [3 2 1]"},
		"an edit": {func(t *testing.T, s *site, h *shelf) {
			n := s.commentBy(2, "Bert")
			n.Revision = 1
			h.keep(n)
			if err := s.EditAll(t.Context(), []notifier.Delivery{s.delivery(t, n, 7)})[0]; err != nil {
				t.Fatal(err)
			}
		}, "Carol and 1 other like your photo: [3 2]"},
		"a retraction": {func(t *testing.T, s *site, h *shelf) {
			h.retract(3, notifier.StateRetracting)
			if err := s.Retract(t.Context(), 3, s.commentBy(3, "Carol").Key(), []int64{7}); err != nil {
				t.Fatal(err)
			}
		}, "Bob likes your photo: [2]"},
		"a retraction of which Redis has not heard": {func(t *testing.T, s *site, h *shelf) {
			h.retract(3, notifier.StateRetracting)
			s.lose(t, 7)
			s.wake(t, 7)
		}, "Bob likes your photo: [2]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, redistest.Client(t), 0)
			h := s.beside(30)
			add := func(n *notifier.Notice) {
				h.keep(n)
				s.deliver(t, 7, n)
			}
			add(s.commentBy(2, "Bob"))
			add(s.commentBy(3, "Carol"))
			for i := range int64(20) {
				add(s.notice(10+i, fmt.Sprint("photo:", 10+i)))
			}
			s.writeBehind(t, h, 7)
			c.change(t, s, h)
			s.writeBehind(t, h, 7)
			row := h.snapshots[7].Rows[20]
			m, _ := notifier.ParseMembers(row.Members)
			if len(m.Notices) > 0 && m.Notices[len(m.Notices)-1].ID != row.NoticeID {
				t.Errorf("SQL has notice %d with the group %s", row.NoticeID, row.Members)
			}
			s.lose(t, 7)
			s.wake(t, 7)
			page, err := s.Look(t.Context(), 7, notifier.Query{})
			if err != nil || len(page.Entries) != 21 {
				t.Fatalf("%d rows, %v", len(page.Entries), err)
			}
			e := page.Entries[20]
			var ids []int64
			for i := len(e.Group.Notices) - 1; i >= 0; i-- {
				ids = append(ids, e.Group.Notices[i].ID)
			}
			if got := fmt.Sprintf("%s: %v", e.Title, ids); got != c.want || row.NoticeID != e.NoticeID {
				t.Errorf("%s, of notice %d in SQL; want %s", got, row.NoticeID, c.want)
			}
		})
	}
}

// twoComments returns an inbox whose only row stands for notices 2 and 3.
func twoComments(t *testing.T, s *site) *shelf {
	t.Helper()
	h := s.beside(30)
	for i, name := range []string{"Bob", "Carol"} {
		n := s.commentBy(int64(i)+2, name)
		h.keep(n)
		s.deliver(t, 7, n)
	}
	return h
}

func TestARowThatTheUserKeepsUnreadStaysSoWhenItsLatestNoticeIsRetracted(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h, key := twoComments(t, s), s.commentBy(3, "Carol").Key()
		if _, _, err := s.MarkUnread(t.Context(), 7, key); err != nil {
			t.Fatal(err)
		}
		h.retract(3, notifier.StateRetracting)
		if err := s.Retract(t.Context(), 3, key, []int64{7}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Open(t.Context(), 7); err != nil {
			t.Fatal(err)
		}
		if e := s.only(t); e.NoticeID != 2 || e.Read {
			t.Errorf("%+v", e)
		}
	})
}

func TestALateNoticeDoesNotJoinARowWhoseLatestNoticeHasLostItsMore(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := twoComments(t, s)
		n := s.commentBy(3, "Carol")
		n.Revision, n.Extras.More = 1, nil
		h.keep(n)
		if err := s.EditAll(t.Context(), []notifier.Delivery{s.delivery(t, n, 7)})[0]; err != nil {
			t.Fatal(err)
		}
		s.deliver(t, 7, s.commentBy(1, "Alice"))
		if e := s.only(t); e.Title != "Carol likes your photo" || e.Group.Times != 2 {
			t.Errorf("%q, %+v", e.Title, e.Group)
		}
	})
}
