package inbox_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// TestSeveralEntriesAreChangedAtOnceAndBack: each change is published once, with one version.
func TestSeveralEntriesAreChangedAtOnceAndBack(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.fill(t, 42, 1, 5)
		heard := s.listen(t, 42)
		some := []string{key(4), "like:none", key(2), key(4)}
		var taken []notifier.Entry
		for _, step := range []struct {
			name   string
			do     func() (turned []string, badge notifier.Badge, err error)
			turned []string
			unread int64
			rows   string
		}{
			{"read", func() ([]string, notifier.Badge, error) { return s.MarkRead(t.Context(), 42, some...) }, []string{key(4), key(2)}, 3, "5 4 3 2 1"},
			{"read again", func() ([]string, notifier.Badge, error) { return s.MarkRead(t.Context(), 42, key(5), key(2)) }, []string{key(5)}, 2, "5 4 3 2 1"},
			{"turn back", func() ([]string, notifier.Badge, error) {
				badge, err := s.Unread(t.Context(), 42, key(5), key(4))
				return nil, badge, err
			}, nil, 4, "5 4 3 2 1"},
			{"unread", func() ([]string, notifier.Badge, error) { return s.MarkUnread(t.Context(), 42, some...) }, []string{key(2)}, 5, "5 4 3 2 1"},
			{"delete", func() (_ []string, badge notifier.Badge, err error) {
				taken, badge, err = s.Take(t.Context(), 42, some...)
				return nil, badge, err
			}, nil, 3, "5 3 1"},
			{"restore", func() ([]string, notifier.Badge, error) {
				badge, err := s.PutBack(t.Context(), 42, append(taken, notifier.Entry{Key: key(9), NoticeID: 9})...)
				return nil, badge, err
			}, nil, 5, "5 4 3 2 1"},
		} {
			s.clock.pass(time.Millisecond)
			turned, badge, err := step.do()
			if err != nil || badge.Unread != step.unread || !slices.Equal(turned, step.turned) {
				t.Fatalf("%s: turned %v, badge %+v, %v", step.name, turned, badge, err)
			}
			if got := heard.heard(t); len(got) != 1 || got[0].Ver != badge.Ver || got[0].Unread != step.unread {
				t.Errorf("%s: heard %+v, want one change to %+v", step.name, got, badge)
			}
			page, err := s.Look(t.Context(), 42, notifier.Query{})
			if err != nil || titles(page) != step.rows || page.Ver != badge.Ver {
				t.Errorf("%s: the inbox has %q in version %d, %v", step.name, titles(page), page.Ver, err)
			}
		}
		if _, _, err := s.Take(t.Context(), 42, "like:none", "like:neither"); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("deleting nothing: %v", err)
		}
	})
}
