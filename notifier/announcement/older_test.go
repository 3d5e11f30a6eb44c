package announcement_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
)

// photo is everything that Redis stores for the customers' announcements at one moment.
type photo map[string]string

func (s *site) customerKeys() []string {
	keys := []string{
		s.k.AVer(customer), s.k.Open(customer), s.k.Scheduled(customer), s.k.Windows(customer), s.k.Marked(customer), s.k.DirtyBits(customer),
	}
	for id := int64(1); id <= s.sql.lastID(); id++ {
		keys = append(keys, s.k.Bits(customer, id))
	}
	return keys
}

// photo omits keys that a server cannot dump: they are then lost, which is as bad.
func (s *site) photo(t *testing.T) photo {
	t.Helper()
	p := photo{}
	for _, key := range s.customerKeys() {
		if text, err := s.rdb.Dump(t.Context(), key).Result(); err == nil {
			p[key] = text
		}
	}
	return p
}

// comeBack resets Redis to an earlier state in one step, as a restart from an old file does.
func (s *site) comeBack(t *testing.T, p photo) {
	t.Helper()
	_, err := s.rdb.TxPipelined(t.Context(), func(tx redis.Pipeliner) error {
		tx.Del(t.Context(), s.customerKeys()...)
		for key, text := range p {
			tx.Restore(t.Context(), key, 0, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *site) flushed(t *testing.T) {
	t.Helper()
	if _, err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *site) wantSaved(t *testing.T, id int64, seqs ...int64) {
	t.Helper()
	if got := s.sql.saved(id, customer); !slices.Equal(got, seqs) {
		t.Errorf("SQL has %v as readers of announcement %d, want %v", got, id, seqs)
	}
}

func TestRedisThatComesBackOldLosesAndFakesNoRead(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one, two := s.publish(t, draft("One")), s.publish(t, draft("Two"))
		s.read(t, 1, one)
		s.flushed(t)
		old := s.photo(t)
		s.read(t, 2, one)
		s.read(t, 3, two)
		if _, err := s.MarkUnread(t.Context(), reader(1), one); err != nil {
			t.Fatal(err)
		}
		s.flushed(t)
		before := s.badge(t, 2)

		s.comeBack(t, old)
		s.flushed(t) // as happens every half second
		for seq, want := range map[int64]int64{1: 2, 2: 1, 3: 1, 4: 2} {
			s.unread(t, seq, want)
		}
		if b := s.badge(t, 2); b.AVer < before.AVer {
			t.Errorf("the version went from %d to %d", before.AVer, b.AVer)
		}
		s.read(t, 4, one)
		s.flushed(t)
		s.wantSaved(t, one, 2, 4)
		s.wantSaved(t, two, 3)
	})
}

func TestReadsBeforeTheOldRedisIsNoticedAreKeptToo(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one := s.publish(t, draft("One"))
		s.flushed(t)
		old := s.photo(t)
		s.read(t, 1, one)
		s.flushed(t)
		s.comeBack(t, old)
		s.read(t, 2, one) // in the same segment of the bitmap
		// Another instance takes over: it has written nothing yet, so it reads SQL.
		other := s.another(noOptions)
		if n, err := other.Flush(t.Context()); err != nil || n != 1 {
			t.Errorf("it wrote %d segments, %v", n, err)
		}
		s.wantSaved(t, one, 1, 2)
		for seq, want := range map[int64]int64{1: 0, 2: 0, 3: 1} {
			s.unread(t, seq, want)
		}
		if left := s.rdb.Exists(t.Context(), s.k.Bits(customer, 0)).Val(); left != 0 {
			t.Error("the spare bitmap is left over")
		}
	})
}

func TestNothingIsWrittenUntilTheAgeOfRedisIsKnown(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one := s.publish(t, draft("One"))
		s.flushed(t)
		old := s.photo(t)
		s.read(t, 1, one)
		s.flushed(t)
		s.comeBack(t, old)
		s.read(t, 2, one)
		s.sql.before = func(call string) error {
			if call == "reads" {
				return errAway
			}
			return nil
		}
		if _, err := s.Flush(t.Context()); !errors.Is(err, errAway) {
			t.Errorf("flush: %v", err)
		}
		s.wantSaved(t, one, 1)
		s.sql.before = func(string) error { return nil }
		s.flushed(t)
		s.wantSaved(t, one, 1, 2)
	})
}

// Another instance may have written a segment and not yet recorded that in Redis.
func TestSegmentBeingWrittenDoesNotMakeRedisOld(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one := s.publish(t, draft("One"))
		s.read(t, 1, one)
		heard := s.turns(t, customer)
		s.sql.after = func(call string) error {
			if call != "save" {
				return nil
			}
			s.sql.after = func(string) error { return nil }
			_, err := s.another(noOptions).Flush(t.Context())
			return err
		}
		s.flushed(t)
		if words := heard.heard(t); len(words) != 0 {
			t.Errorf("published %q", words)
		}
		s.wantSaved(t, one, 1)
	})
}

func TestRunNoticesThatRedisIsOld(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one := s.publish(t, draft("One"))
		s.flushed(t)
		old := s.photo(t)
		s.read(t, 1, one)
		run(t, s.Announcements)
		testkit.Eventually(t, "SQL has the read", func() bool { return slices.Equal(s.sql.saved(one, customer), []int64{1}) })
		s.comeBack(t, old)
		testkit.Eventually(t, "the announcement is read again", func() bool { return s.badge(t, 1).Unread == 0 })
	})
}
