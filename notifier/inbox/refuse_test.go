package inbox_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
)

// changes lists everything that can be done to inbox 42 of fullSite.
var changes = map[string]func(t *testing.T, s *site) error{
	"a delivery":                    func(t *testing.T, s *site) error { return s.send(t, 20, "photo:20", 2) },
	"a delivery to this user alone": func(t *testing.T, s *site) error { return s.send(t, 20, "photo:20", 1) },
	"a delivery without expiry": func(t *testing.T, s *site) error {
		n := s.notice(20, "photo:20")
		n.Recipients, n.ExpiresAt = 2, time.Time{}
		_, errs := s.DeliverAll(t.Context(), []notifier.Delivery{s.delivery(t, n, 42)})
		return errs[0]
	},
	"a delivery with the same key": func(t *testing.T, s *site) error { return s.send(t, 20, "photo:3", 2) },
	"a retraction":                 func(t *testing.T, s *site) error { return s.Retract(t.Context(), 3, key(3), []int64{42}) },
	"a deletion": func(t *testing.T, s *site) error {
		_, err := s.Delete(t.Context(), 42, key(3))
		return err
	},
	"a deletion undone": func(t *testing.T, s *site) error {
		_, err := s.PutBack(t.Context(), 42, notifier.Entry{Key: key(2), NoticeID: 2, At: startTime + 2, ExpiresAt: s.clock.in(80 * 24 * time.Hour)})
		return err
	},
	"expiring": func(t *testing.T, s *site) error {
		s.clock.ms.Store(startTime + 2*60*60*1000)
		_, err := s.Expire(t.Context(), map[int64][]string{42: {key(7), ""}})
		return err
	},
	"an opening": func(t *testing.T, s *site) error {
		_, err := s.Open(t.Context(), 42)
		return err
	},
	"reading up to an entry": func(t *testing.T, s *site) error {
		_, err := s.ReadUpto(t.Context(), 42, key(4))
		return err
	},
	"reading by key": func(t *testing.T, s *site) error {
		_, err := s.ReadKeys(t.Context(), 42, []string{key(1), key(3), key(4)})
		return err
	},
	"reading by subject": func(t *testing.T, s *site) error {
		_, err := s.ReadSubject(t.Context(), 42, "photo:3", 0)
		return err
	},
	"reading a section": func(t *testing.T, s *site) error {
		_, err := s.ReadSection(t.Context(), 42, notifier.Section{Types: []string{"like"}}, "")
		return err
	},
	"opening a section": func(t *testing.T, s *site) error {
		_, err := s.OpenSection(t.Context(), 42, notifier.Section{Types: []string{"like"}})
		return err
	},
	"an edit": func(t *testing.T, s *site) error {
		n := s.notice(3, "photo:3")
		n.Revision, n.Title = 1, "Edited"
		return s.EditAll(t.Context(), []notifier.Delivery{s.delivery(t, n, 42)})[0]
	},
	"archiving": func(t *testing.T, s *site) error {
		_, _, err := s.Archive(t.Context(), 42, []string{key(1), key(3)})
		return err
	},
	"reading one entry": func(t *testing.T, s *site) error {
		_, _, err := s.MarkRead(t.Context(), 42, key(3))
		return err
	},
}

func (s *site) send(t *testing.T, id int64, subject string, recipients int64) error {
	t.Helper()
	n := s.notice(id, subject)
	n.Recipients = recipients
	_, errs := s.DeliverAll(t.Context(), []notifier.Delivery{s.delivery(t, n, 42)})
	return errs[0]
}

// fullSite returns a site with an inbox of four rows, which is its cap, plus room for more rows if
// asked for. Notice 2 was deleted, and notice 7 expires within the hour.
func fullSite(t *testing.T, room int) *site {
	t.Helper()
	s := newSite(t, redistest.Client(t), 0)
	s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: 4 + room, Now: s.clock.now})
	for id := int64(1); id <= 4; id++ {
		if err := s.send(t, id, fmt.Sprint("photo:", id), 2); err != nil {
			t.Fatal(err)
		}
		s.clock.pass(time.Millisecond)
	}
	soon := s.notice(7, "photo:7")
	soon.ExpiresAt, soon.Recipients = s.clock.in(time.Hour), 2
	if _, err := s.Delete(t.Context(), 42, key(2)); err != nil {
		t.Fatal(err)
	}
	s.deliver(t, 42, soon)
	return s
}

// TestAChangeThatFailsOnAKeyOfAWrongTypeIsCompleteAfterTheRepair replaces each key in turn with a string, as an
// operator might by mistake, and makes each change fail on it twice.
func TestAChangeThatFailsOnAKeyOfAWrongTypeIsCompleteAfterTheRepair(t *testing.T) {
	t.Parallel()
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			room := 0
			if name == "a deletion undone" {
				room = 1
			}
			want := fullSite(t, room)
			if err := change(t, want); err != nil {
				t.Fatal(err)
			}
			done := want.sound(t, 42)
			for what, of := range map[string]func(k keys.Space) string{
				"list": func(k keys.Space) string { return k.List(42) }, "hash": func(k keys.Space) string { return k.Hash(42) },
				"state": func(k keys.Space) string { return k.State(42) }, "gone": func(k keys.Space) string { return k.Gone(42) },
				"archive": func(k keys.Space) string { return k.Archive(42) },
				"expiry":  func(k keys.Space) string { return k.Expiry(42) }, "dirty": func(k keys.Space) string { return k.Dirty(42) },
				"counts": func(k keys.Space) string { return k.Counts(42) }, "idle": func(k keys.Space) string { return k.Idle(42) },
			} {
				t.Run(what, func(t *testing.T) {
					t.Parallel()
					s := fullSite(t, room)
					repair := s.spoil(t, of(s.k))
					first := change(t, s)
					if first != nil {
						if second := change(t, s); second == nil || errors.Is(second, notifier.ErrNotFound) || errors.Is(second, notifier.ErrConflict) {
							t.Errorf("second attempt with the same fault: %v; the first: %v", second, first)
						}
					}
					repair()
					if first != nil {
						s.sound(t, 42) // consistent even without another attempt
						if err := change(t, s); err != nil {
							t.Fatalf("after the repair: %v", err)
						}
					}
					if d := cmp.Diff(done, s.sound(t, 42)); d != "" {
						t.Errorf("after a wrong type of %s (-without failure +after the repair):\n%s", what, d)
					}
				})
			}
		})
	}
}

// spoil replaces a key with a string; repair puts the original value back.
func (s *site) spoil(t *testing.T, key string) (repair func()) {
	t.Helper()
	was := s.rdb.Exists(t.Context(), key).Val() == 1
	if was {
		if err := s.rdb.Rename(t.Context(), key, key+":kept").Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.rdb.Set(t.Context(), key, "no such thing", 0).Err(); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		err := s.rdb.Del(t.Context(), key).Err()
		if was {
			err = s.rdb.Rename(t.Context(), key+":kept", key).Err()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
