package announcement_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

func (s *site) badgeIn(t *testing.T, seq int64, a notifier.Audience) notifier.Badge {
	t.Helper()
	badges, err := s.Badges(t.Context(), []notifier.Reader{{Seq: seq, Audience: a}})
	if err != nil {
		t.Fatal(err)
	}
	return badges[0]
}

func (s *site) move(t *testing.T, seq int64, to notifier.Audience) bool {
	t.Helper()
	raised, err := s.Move(t.Context(), notifier.Reader{Seq: seq, Audience: to})
	if err != nil {
		t.Fatal(err)
	}
	return raised
}

// older makes the index of an audience old, as in an audience without changes.
func (s *site) older(t *testing.T, a notifier.Audience, by time.Duration) {
	t.Helper()
	version := strconv.FormatInt(time.Now().Add(-by).UnixMilli(), 10)
	if err := s.rdb.Set(t.Context(), s.k.AVer(a), version, redis.KeepTTL).Err(); err != nil {
		t.Fatal(err)
	}
}

// TestMovedReaderGetsLaterVersions uses each half of a badge from the later version, as browsers
// and applications do: the number is right after any move.
func TestMovedReaderGetsLaterVersions(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		s.publish(t, draft("To users", user))
		for range 2 {
			s.publish(t, draft("To customers", customer))
		}
		s.older(t, user, time.Hour)
		s.older(t, customer, time.Minute/2)
		held := s.badgeIn(t, 1, customer)
		for _, to := range []notifier.Audience{user, customer, operator, user} {
			s.move(t, 1, to)
			now := s.badgeIn(t, 1, to)
			if now.AVer <= held.AVer {
				t.Errorf("in audience %d the version is %d after %d: the old number %d stays", to, now.AVer, held.AVer, held.Announcements)
			}
			if s.move(t, 1, to) {
				t.Errorf("a repeat of the move to %d raised the index again", to)
			}
			held = now
		}
	})
}

func TestReaderMarkedLongAgoIsOlderThanTheirNewAudience(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		id := s.publish(t, draft("To customers", customer))
		s.older(t, user, time.Hour)
		held, err := s.MarkRead(t.Context(), notifier.Reader{Seq: 1, Audience: customer}, id)
		if err != nil {
			t.Fatal(err)
		}
		s.older(t, customer, time.Hour)
		s.move(t, 1, user)
		if now := s.badgeIn(t, 1, user); now.AVer <= held.AVer {
			t.Errorf("a recent mark: version %d after %d", now.AVer, held.AVer)
		}

		// The mark expires after a minute, but a client may still have its version.
		s.older(t, operator, 3*time.Hour)
		s.older(t, customer, 3*time.Hour)
		s.older(t, user, 2*time.Hour)
		if err := s.rdb.Del(t.Context(), s.k.Marked(customer)).Err(); err != nil {
			t.Fatal(err)
		}
		forgotten := time.Now().Add(-time.Minute).UnixMilli()
		s.move(t, 1, user)
		if now := s.badgeIn(t, 1, user); now.AVer < forgotten {
			t.Errorf("a forgotten mark: version %d, want at least %d", now.AVer, forgotten)
		}
	})
}

func TestMoveChangesNoOtherNumberAndCausesNoReads(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		s.publish(t, draft("To both", user, customer))
		s.older(t, user, time.Hour)
		h := newHub(t, s)
		other := notifier.Reader{Seq: 2, Audience: user}
		h.connect(t, other)
		if !s.move(t, 1, user) {
			t.Fatal("the index was not raised")
		}
		h.catchUp(t)
		now := s.badgeIn(t, 2, user)
		if held := h.held[other]; held.AVer != now.AVer || held.Unread != 1 || now.Unread != 1 || h.moved != 1 {
			t.Errorf("an open page holds %+v, Redis has %+v; it applied %d turns by itself, want 1", held, now, h.moved)
		}
	})
}

func TestMoveToALostIndexRebuildsIt(t *testing.T) {
	onAllRedis(t, func(t *testing.T, s *site) {
		s.publish(t, draft("To users", user))
		held := s.badgeIn(t, 1, customer)
		if err := s.rdb.Del(t.Context(), s.k.AVer(user)).Err(); err != nil {
			t.Fatal(err)
		}
		s.move(t, 1, user)
		if now := s.badgeIn(t, 1, user); now.AVer <= held.AVer || now.Announcements != 1 {
			t.Errorf("badge %+v after %+v", now, held)
		}
	})
}
