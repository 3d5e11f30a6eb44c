package soak

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// holds fails the test unless all promises are kept. Within 30 s every accepted notice is finished. Within 30 s of
// that every inbox has exactly the expected entries, its unread number is the number of its unread rows, and SQL and
// every open browser agree. It takes a second on an idle machine; a Redis that has lost data is closed for some
// seconds first, while in SQL every notice is finished.
func (s *site) holds(t *testing.T, watchers ...*watcher) {
	t.Helper()
	began := time.Now()
	s.within(t, catchUp, s.unfinished)
	finished := time.Now()
	s.within(t, agree, func(ctx context.Context) []string { return s.problems(ctx, watchers) })
	book := s.book.truth()
	t.Logf("%d accepted, %d refused, %d retracted, %d deleted: finished after %v, consistent after %v more",
		len(book.accepted), book.refused, len(book.retracted), len(book.deleted),
		finished.Sub(began).Round(time.Millisecond), time.Since(finished).Round(time.Millisecond))
}

// within waits until look returns no faults, and fails the test if that took longer than the promised limit.
func (s *site) within(t *testing.T, limit time.Duration, look func(context.Context) []string) {
	t.Helper()
	began := time.Now()
	testkit.Until(t, "no faults are left", func() (bad []string, none bool) {
		bad = look(t.Context())
		slices.Sort(bad)
		return bad[:min(len(bad), 20)], len(bad) == 0
	})
	if took := time.Since(began).Round(time.Millisecond); took > limit {
		t.Errorf("the last fault was gone after %v, not within %v", took, limit)
	}
}

func (s *site) unfinished(ctx context.Context) []string {
	all, err := s.notices(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	return s.kept(all, s.book.truth())
}

// problems compares Redis, SQL and the browsers with the ledger, and returns the faults.
func (s *site) problems(ctx context.Context, watchers []*watcher) []string {
	all, err := s.notices(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	book := s.book.truth()
	bad := s.kept(all, book)
	want, maybe := s.expected(all, book)
	shelves, err := s.shelves(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	saved, err := s.db.Snapshots(ctx, slices.Collect(maps.Values(s.seqs)))
	if err != nil {
		return []string{err.Error()}
	}
	for name, shelf := range shelves {
		if snapshot := saved[s.seqs[name]]; shelf.cold() {
			shelves[name] = shelfOf(snapshot) // a cold inbox is restored from its snapshot when it is needed
		} else {
			bad = append(bad, shelf.behind(name, snapshot)...)
		}
		bad = append(bad, shelves[name].faults(name, want[name], maybe)...)
	}
	bad = append(bad, s.leftOver(ctx)...)
	for _, w := range watchers {
		if seen, rows := w.inbox(), shelves[w.p.name].unread(); seen != rows {
			bad = append(bad, fmt.Sprintf("the browser of %s shows %d, want %d", w.p.name, seen, rows))
		}
	}
	return bad
}

// shelf is an inbox in its form in Redis.
type shelf struct {
	rows  []string          // fields, newest first
	ids   map[string]string // field → ID AT EXPIRY JSON
	state map[string]string
}

// shelves reads the inboxes of all users who received notices.
func (s *site) shelves(ctx context.Context) (map[string]*shelf, error) {
	pipe := s.rdb.Pipeline()
	rows, ids, states := map[string]*redis.StringSliceCmd{}, map[string]*redis.MapStringStringCmd{}, map[string]*redis.MapStringStringCmd{}
	for name, seq := range s.seqs {
		rows[name] = pipe.LRange(ctx, s.keys.List(seq), 0, -1)
		ids[name] = pipe.HGetAll(ctx, s.keys.Hash(seq))
		states[name] = pipe.HGetAll(ctx, s.keys.State(seq))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	all := map[string]*shelf{}
	for name := range s.seqs {
		all[name] = &shelf{rows[name].Val(), ids[name].Val(), states[name].Val()}
	}
	return all, nil
}

// shelfOf converts a snapshot from SQL to a shelf.
func shelfOf(saved notifier.Snapshot) *shelf {
	s := &shelf{ids: map[string]string{}, state: map[string]string{}}
	for _, r := range saved.Rows {
		s.rows = append(s.rows, r.Field)
		s.ids[r.Field] = strconv.FormatInt(r.NoticeID, 10) + " "
	}
	if saved.Ver > 0 {
		s.state["ver"], s.state["unread"] = strconv.FormatInt(saved.Ver, 10), strconv.FormatInt(saved.Unread, 10)
	}
	return s
}

// cold reports whether the inbox is missing from Redis.
func (s *shelf) cold() bool { return len(s.state) == 0 }

// unread counts the unread rows.
func (s *shelf) unread() (n int) {
	for _, field := range s.rows {
		if _, read, _ := notifier.SplitField(field); !read {
			n++
		}
	}
	return n
}

// keys returns the notice of each key, and the faults of the rows.
func (s *shelf) keys(name string) (held map[string]int64, bad []string) {
	held = map[string]int64{}
	for _, field := range s.rows {
		key, _, ok := notifier.SplitField(field)
		id, _, _ := strings.Cut(s.ids[field], " ")
		n, err := strconv.ParseInt(id, 10, 64)
		if _, twice := held[key]; twice || !ok || err != nil {
			bad = append(bad, fmt.Sprintf("%s has %q twice, or without a body", name, field))
		}
		held[key] = n
	}
	return held, bad
}

func (s *shelf) faults(name string, want map[string]int64, maybe map[entry]bool) []string {
	held, bad := s.keys(name)
	if len(s.rows) != len(s.ids) {
		bad = append(bad, fmt.Sprintf("%s has %d rows and %d bodies", name, len(s.rows), len(s.ids)))
	}
	if number := s.state["unread"]; len(s.state) > 0 && number != strconv.Itoa(s.unread()) {
		bad = append(bad, fmt.Sprintf("the unread number of %s is %s, but there are %d unread rows", name, number, s.unread()))
	}
	for key, id := range want {
		if got := held[key]; got != id && !maybe[entry{name, id}] {
			bad = append(bad, fmt.Sprintf("%s has notice %d at %s, want %d", name, got, key, id))
		}
	}
	for key, id := range held {
		if _, ok := want[key]; !ok {
			bad = append(bad, fmt.Sprintf("%s has notice %d at %s, want none", name, id, key))
		}
	}
	return bad
}

// behind returns the differences between SQL and Redis.
func (s *shelf) behind(name string, saved notifier.Snapshot) (bad []string) {
	if ver := strconv.FormatInt(saved.Ver, 10); ver != s.state["ver"] {
		if saved.Ver == 0 && len(s.rows) == 0 {
			return nil // the inbox was opened, but never had a notice
		}
		return []string{fmt.Sprintf("SQL has version %s of %s, want %s", ver, name, s.state["ver"])}
	}
	if other := shelfOf(saved); !slices.Equal(other.rows, s.rows) || saved.Unread != int64(s.unread()) {
		bad = append(bad, fmt.Sprintf("SQL has %d rows of %s, %d unread; want %d and %d",
			len(other.rows), name, saved.Unread, len(s.rows), s.unread()))
	}
	return bad
}

// leftOver returns the unfinished work.
func (s *site) leftOver(ctx context.Context) (bad []string) {
	for p := range keys.Partitions {
		if n, err := s.rdb.ZCard(ctx, s.keys.Dirty(p)).Result(); err != nil || n > 0 {
			bad = append(bad, fmt.Sprintf("partition %d has %d dirty marks, %v", p, n, err))
		}
	}
	var work, dead int64
	if err := s.raw.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM work) + (SELECT count(*) FROM notices WHERE state IN ('accepted', 'sending', 'retracting'))`).Scan(&work); err != nil || work > 0 {
		bad = append(bad, fmt.Sprintf("%d pieces of work are left, %v", work, err))
	}
	if err := s.raw.QueryRowContext(ctx, `SELECT count(*) FROM dead_letters`).Scan(&dead); err != nil || dead > 0 {
		bad = append(bad, fmt.Sprintf("%d dead letters, %v", dead, err))
	}
	return bad
}

func (s *shelf) ver() int64 {
	n, _ := strconv.ParseInt(s.state["ver"], 10, 64) // 0 if the inbox does not exist
	return n
}

// read returns the read notices by key; unreadRows returns the unread ones.
func (s *shelf) read() map[string]string       { return s.sorted(true) }
func (s *shelf) unreadRows() map[string]string { return s.sorted(false) }

func (s *shelf) sorted(want bool) map[string]string {
	found := map[string]string{}
	for _, field := range s.rows {
		if key, read, _ := notifier.SplitField(field); read == want {
			found[key], _, _ = strings.Cut(s.ids[field], " ")
		}
	}
	return found
}
