package inbox_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// stored is everything that Redis stores for one user and the user's partition.
type stored struct {
	List                []string
	Hash, State, Counts map[string]string
	Archive             map[string]string
	Gone, Expiry, Dirty map[string]int64
	Late                map[string]int64
	Left                map[string]notifier.Left // how the notices in Gone left
	Fleeting            []string                 // keys with a TTL
}

func (s *site) stored(t tb, seq int64) stored {
	t.Helper()
	ctx, k, p := t.Context(), s.k, keys.Partition(seq)
	at := stored{
		Left: map[string]notifier.Left{},
		List: s.rdb.LRange(ctx, k.List(seq), 0, -1).Val(),
		Hash: s.rdb.HGetAll(ctx, k.Hash(seq)).Val(), State: s.rdb.HGetAll(ctx, k.State(seq)).Val(),
		Counts: s.rdb.HGetAll(ctx, k.Counts(p)).Val(), Archive: s.rdb.HGetAll(ctx, k.Archive(seq)).Val(),
		Gone: scores(t, s.rdb, k.Gone(seq)), Expiry: scores(t, s.rdb, k.Expiry(p)), Dirty: scores(t, s.rdb, k.Dirty(p)),
		Late: scores(t, s.rdb, k.Late(p)),
	}
	for _, hint := range []string{"whole", "late", "first"} { // they only save work; see hints
		delete(at.State, hint)
	}
	for _, z := range s.rdb.ZRangeWithScores(ctx, k.Gone(seq), 0, -1).Val() {
		at.Left[z.Member.(string)] = notifier.LeftBy(z.Score)
	}
	for _, key := range []string{k.List(seq), k.Hash(seq), k.State(seq), k.Gone(seq), k.Archive(seq), k.Expiry(p), k.Dirty(p), k.Late(p), k.Counts(p)} {
		if s.rdb.PTTL(ctx, key).Val() > 0 {
			at.Fleeting = append(at.Fleeting, key)
		}
	}
	return at
}

// hints checks the fields of state that save a delivery from reading and writing the partition's keys.
func (s *site) hints(t tb, seq int64, at *stored) {
	t.Helper()
	user, says := decimal(seq), s.rdb.HGetAll(t.Context(), s.k.State(seq)).Val()
	if late, marked := at.Late[user]; says["late"] != "" && (!marked || says["late"] != decimal(late)) {
		t.Errorf("user %d has the late mark %d (%v), and their state says %s", seq, late, marked, says["late"])
	}
	if first := says["first"]; first != "" && number(t, first) > s.clock.now().UnixMilli() {
		if look, ok := at.Expiry[user+"|"]; !ok || look > number(t, first) {
			t.Errorf("inbox %d is to be checked at %d (%v), and its state says at %s", seq, look, ok, first)
		}
	}
}

func scores(t tb, rdb redis.UniversalClient, key string) map[string]int64 {
	t.Helper()
	all, err := rdb.ZRangeWithScores(t.Context(), key, 0, -1).Result()
	if err != nil {
		t.Fatal(err)
	}
	m := make(map[string]int64, len(all))
	for _, z := range all {
		m[z.Member.(string)] = int64(z.Score)
	}
	return m
}

// same fails the test if the two states differ.
func same(t tb, what string, before, after stored) {
	t.Helper()
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("%s changed what is stored (-before +after):\n%s", what, d)
	}
}

// sound checks the invariants of every inbox.
func (s *site) sound(t tb, seq int64) stored {
	t.Helper()
	at := s.stored(t, seq)
	fields := slices.Clone(at.List)
	slices.Sort(fields)
	if d := cmp.Diff(fields, sortedKeys(at.Hash)); d != "" {
		t.Errorf("list and hash of user %d differ (-list +hash):\n%s", seq, d)
	}
	unread, last, first := 0, int64(1<<62), int64(1<<62)
	due, seen := map[string]int64{}, map[string]bool{}
	user := decimal(seq) + "|"
	for _, field := range at.List {
		key, read, ok := notifier.SplitField(field)
		if !ok || seen[key] {
			t.Errorf("field %q has no state, or its key is a duplicate", field)
		}
		seen[key] = true
		if !read {
			unread++
		}
		n := strings.SplitN(at.Hash[field], " ", 4)
		if number(t, n[1]) >= last {
			t.Errorf("the row of %s is not older than the one above it", key)
		}
		last = number(t, n[1])
		switch expires := number(t, n[2]); {
		case expires > last+week:
			first = min(first, expires)
		case expires > 0:
			due[user+key] = expires
		}
		if _, gone := at.Gone[n[0]]; gone {
			t.Errorf("notice %s is both in the inbox and in gone", n[0])
		}
	}
	for key := range at.Archive {
		if seen[key] {
			t.Errorf("%s is both in the inbox and in the archive", key)
		}
	}
	if got := at.State["unread"]; got != strconv.Itoa(unread) {
		t.Errorf("the counter of user %d is %s, the list has %d unread", seq, got, unread)
	}
	mine := map[string]int64{}
	for member, score := range at.Expiry {
		if strings.HasPrefix(member, user) && member != user {
			mine[member] = score
		}
	}
	if look, ok := at.Expiry[user]; ok && look > first || !ok && first < 1<<62 {
		t.Errorf("inbox %d is to be checked at %d, a row expires at %d", seq, look, first)
	}
	if d := cmp.Diff(due, mine); d != "" {
		t.Errorf("rows and expiry index of user %d differ (-rows +index):\n%s", seq, d)
	}
	s.hints(t, seq, &at)
	if strings.ContainsAny(at.State["ver"]+at.State["opened"], "e.+") {
		t.Errorf("numbers are not stored in decimal: %v", at.State)
	}
	return at
}

func sortedKeys(m map[string]string) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func number(t tb, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Errorf("%q is not a number", s)
	}
	return n
}
