package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// announcement returns an announcement to audiences, open between two hours relative to the clock.
func (db *database) announcement(title string, from, to int, audiences ...notifier.Audience) notifier.Notice {
	start := db.clock.now()
	return notifier.Notice{Draft: notifier.Draft{
		Target: notifier.Target{Audiences: audiences}, Type: "news", Title: title, Body: "two\nlines", Link: "/news", Sender: notifier.CommandRef("Bob"),
		Window: notifier.Window{
			StartsAt: start.Add(time.Duration(from) * time.Hour), EndsAt: start.Add(time.Duration(to) * time.Hour), Pinned: true,
		},
	}}
}

func announce(t *testing.T, s *store.Store, n notifier.Notice) notifier.Notice {
	t.Helper()
	if err := s.Announce(t.Context(), &n); err != nil {
		t.Fatalf("announce %q: %v", n.Title, err)
	}
	return n
}

// only returns the only announcement with this id.
func only(t *testing.T, s *store.Store, id int64) notifier.Announcement {
	t.Helper()
	found := must(s.Announcements(t.Context(), []int64{id}))(t)
	if len(found) != 1 {
		t.Fatalf("%d announcements have id %d", len(found), id)
	}
	return found[0]
}

func TestAnnouncementIsReadAsStored(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		accept(t, s, draft())
		d := db.announcement("Ünï 'quoted' $1", 1, 2, 3, 1, 3)
		d.StartsAt, d.LateJoiners = d.StartsAt.Add(1234567*time.Nanosecond), true
		n := announce(t, s, d)
		if n.ID != 2 || n.State != notifier.StateSent || !n.ExpiresAt.Equal(n.EndsAt) || !n.CreatedAt.Equal(db.clock.now()) {
			t.Errorf("stored as %+v", n)
		}
		if want := d.StartsAt.Truncate(time.Millisecond); !n.StartsAt.Equal(want) {
			t.Errorf("starts at %v; want %v", n.StartsAt, want)
		}
		want := notifier.Announcement{Notice: n, Parts: []notifier.Part{{Audience: 1}, {Audience: 3}}}
		again := db.open(t)
		if diff := cmp.Diff(want, only(t, again, n.ID)); diff != "" {
			t.Errorf("announcement (-stored +read):\n%s", diff)
		}
		if diff := cmp.Diff(n, must(s.Notice(t.Context(), n.ID))(t)); diff != "" {
			t.Errorf("notice (-stored +read):\n%s", diff)
		}
		found := must(again.Notices(t.Context(), notifier.NoticeQuery{Contains: "ÜNÏ", Oldest: true}))(t)
		if len(found) != 2 || !found[0].StartsAt.IsZero() || !found[1].StartsAt.Equal(n.StartsAt) || !found[1].LateJoiners {
			t.Errorf("the list is %+v; want the notice without a window and the announcement with its window", found)
		}
		if waiting := unfinished(t, s, 10); len(waiting) != 1 || waiting[0] != 1 {
			t.Errorf("unfinished notices are %v; want no announcements", waiting)
		}
	})
}

func TestAnnouncementsAreReturnedInRequestOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, title := range []string{"a", "b", "c"} {
			announce(t, s, db.announcement(title, 0, 1, 1))
		}
		notice := accept(t, s, draft())
		var got []string
		for _, a := range must(s.Announcements(t.Context(), []int64{3, notice.ID, 1, 99, 2}))(t) {
			got = append(got, a.Title)
		}
		if diff := cmp.Diff([]string{"c", "a", "b"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if none, err := s.Announcements(t.Context(), nil); len(none) != 0 || err != nil {
			t.Errorf("for no ids: %v, %v", none, err)
		}
	})
}

func TestAnnouncementWithoutAudienceIsRejected(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		n := db.announcement("to nobody", 0, 1)
		wantField(t, s.Announce(t.Context(), &n), "target", notifier.CodeRequired)
		if found := must(s.Notices(t.Context(), notifier.NoticeQuery{}))(t); len(found) != 0 || n.ID != 0 {
			t.Errorf("%+v is stored", found)
		}
	})
}

func TestEveryChangeRaisesTheRevision(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		last := must(s.AnnouncementRevision(t.Context()))(t)
		changed := func(what string, want bool, err error) {
			t.Helper()
			if err != nil && want {
				t.Errorf("%s: %v", what, err)
			}
			now := must(other.AnnouncementRevision(t.Context()))(t)
			if now < last || (now > last) != want {
				t.Errorf("%s: revision %d → %d", what, last, now)
			}
			last = now
		}
		n := announce(t, s, db.announcement("a", 0, 1, 1))
		changed("announce", true, nil)
		changed("edit", true, s.EditAnnouncement(t.Context(), notifier.Actor{}, &n))
		_, err := s.SettleTop(t.Context(), notifier.PartKey{ID: n.ID, Audience: 1})
		changed("settle", false, err)
		changed("delete an open one", false, s.DeleteAnnouncement(t.Context(), notifier.Actor{}, n.ID))
		changed("retract", true, s.RetractAnnouncement(t.Context(), notifier.Actor{}, n.ID))
		changed("retract again", false, s.RetractAnnouncement(t.Context(), notifier.Actor{}, n.ID))
		changed("finish", false, s.FinishPart(t.Context(), notifier.PartKey{ID: n.ID, Audience: 1}, 0))
		changed("delete", true, s.DeleteAnnouncement(t.Context(), notifier.Actor{}, n.ID))
		changed("delete again", false, s.DeleteAnnouncement(t.Context(), notifier.Actor{}, n.ID))
	})
}
