package announcement_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestListHasAllThatAReaderSeesInOrder(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		now := time.Now().Truncate(time.Millisecond)
		add := func(title string, age time.Duration, pinned bool) int64 {
			n := draft(title)
			n.StartsAt, n.Pinned = now.Add(-age), pinned
			return s.publish(t, n)
		}
		add("Old", 3*time.Hour, false)
		add("New", time.Hour, false)
		add("Pinned", 5*time.Hour, true)
		read := add("Read", 2*time.Hour, false)
		s.publish(t, draft("For others", user))
		s.read(t, 4, read)
		posts, err := s.List(t.Context(), reader(4))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := titles(posts), []string{"Pinned*", "New*", "Read", "Old*"}; !slices.Equal(got, want) {
			t.Errorf("list %v, want %v", got, want)
		}
		if posts.Unread != 3 || posts.Read != 1 || posts.Badge() != s.badge(t, 4) {
			t.Errorf("%d unread, %d read, badge %+v; want %+v", posts.Unread, posts.Read, posts.Badge(), s.badge(t, 4))
		}
		n := s.sql.all[read]
		want := notifier.OpenAnnouncement{
			ID: read, Type: n.Type, Title: "Read", Body: n.Body, Link: n.Link,
			StartsAt: n.StartsAt, EndsAt: n.EndsAt, Read: true, CreatedAt: n.CreatedAt,
		}
		if d := cmp.Diff(want, posts.Items[2]); d != "" {
			t.Errorf("item (-want +got):\n%s", d)
		}
		one, err := s.Find(t.Context(), reader(4), read)
		if d := cmp.Diff(want, one); err != nil || d != "" {
			t.Errorf("found %v (-want +got):\n%s", err, d)
		}
		if one, err := s.Find(t.Context(), reader(5), read); err != nil || one.Read {
			t.Errorf("another reader finds %+v, %v", one, err)
		}
		for _, id := range []int64{0, -1, 5, 99, 1 << 62} {
			if _, err := s.Find(t.Context(), reader(4), id); !isNotFound(err) {
				t.Errorf("find %d: %v", id, err)
			}
			if _, err := s.MarkRead(t.Context(), reader(4), id); !isNotFound(err) {
				t.Errorf("mark %d: %v", id, err)
			}
		}
	})
}

func TestTextsAreReadOnceAndAgainAfterAnEdit(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for i := range 3 {
			s.publish(t, draft(fmt.Sprint("Number ", i+1)))
		}
		asked := 0
		s.sql.after = func(call string) error {
			if call == "texts" {
				asked++
			}
			return nil
		}
		list := func(want string) {
			t.Helper()
			posts, err := s.List(t.Context(), reader(1))
			if err != nil || titles(posts)[1] != want+"*" {
				t.Errorf("list %v, %v; want %s", titles(posts), err, want)
			}
		}
		list("Number 2")
		list("Number 2")
		s.sql.edit(2, func(n *notifier.Announcement) { n.Title = "Another" })
		list("Number 2") // the old text, until the index has changed
		s.sync(t)
		list("Another")
		list("Another")
		if asked != 2 {
			t.Errorf("SQL was asked for texts %d times, want twice", asked)
		}
		s.sql.remove(3)
		s.sync(t)
		if posts, err := s.List(t.Context(), reader(1)); err != nil || len(posts.Items) != 2 || posts.Unread != 2 {
			t.Errorf("after a removal: %v, %v", titles(posts), err)
		}
	})
}

func TestTextsOfClosedAnnouncementsAreDropped(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		first := s.publish(t, draft("Number 0"))
		for i := range 6 {
			for j := range 60 {
				s.sql.announce(draft(fmt.Sprint("Number ", i*60+j+1)))
			}
			s.sync(t)
			posts, err := s.List(t.Context(), reader(1))
			if err != nil || len(posts.Items) != 61 {
				t.Fatalf("%d announcements, %v", len(posts.Items), err)
			}
			for id := first + 1; id <= s.sql.lastID(); id++ {
				s.sql.retract(id)
			}
		}
		if n := s.Texts(); n > 256+61 {
			t.Errorf("%d texts are cached", n)
		}
	})
}
