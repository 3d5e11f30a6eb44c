package topic_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

func TestEachScriptsHeaderTellsTheTruth(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.lua")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		if err := script.CheckHeader(source(t, file)); err != nil {
			t.Errorf("%s:\n%v", file, err)
		}
	}
}

func source(t tb, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// state is a set, or a string in its place, and its version; empty: there is none.
type state struct {
	set     []string
	version string
	expires bool // the version does
}

var (
	nobody = notifier.Topic{Type: "script"}
	drafts = "SCRIPT"
)

// put makes the state of the topic nobody, and a draft beside it.
func (s *site) put(t tb, at state, draft ...string) (set, version, beside string) {
	t.Helper()
	ctx := t.Context()
	set, version, beside = s.k.Subscribers(nobody), s.k.SubscribersVersion(nobody), s.k.SubscribersDraft(nobody, drafts)
	for key, members := range map[string][]string{set: at.set, beside: draft} {
		err := s.rdb.Del(ctx, key).Err()
		for _, m := range members {
			err = errors.Join(err, s.rdb.SAdd(ctx, key, m).Err())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err := s.rdb.Del(ctx, version).Err()
	if at.version != "" {
		err = s.rdb.Set(ctx, version, at.version, 0).Err()
	}
	if len(draft) > 0 {
		err = errors.Join(err, s.rdb.Expire(ctx, beside, 60_000_000_000).Err())
	}
	if err != nil {
		t.Fatal(err)
	}
	return set, version, beside
}

// is holds that the topic nobody is so, and that no draft is left.
func (s *site) is(t tb, what string, want state) {
	t.Helper()
	ctx := t.Context()
	set, version := s.k.Subscribers(nobody), s.k.SubscribersVersion(nobody)
	if got := sortedMembers(ctx, s.rdb, set); !slices.Equal(got, want.set) {
		t.Errorf("%s: the set is %q, want %q", what, got, want.set)
	}
	if got := s.rdb.Get(ctx, version).Val(); got != want.version {
		t.Errorf("%s: the version is %q, want %q", what, got, want.version)
	}
	if ttl := s.rdb.TTL(ctx, version).Val(); (ttl > 0) != want.expires {
		t.Errorf("%s: the version lives for %v", what, ttl)
	}
	if ttl := s.rdb.TTL(ctx, set).Val(); ttl >= 0 {
		t.Errorf("%s: the set lives for %v", what, ttl)
	}
	if s.rdb.Exists(ctx, s.k.SubscribersDraft(nobody, drafts)).Val() != 0 {
		t.Errorf("%s: the draft is left", what)
	}
}

// scripted is one call of a script: its state before, its reply, and its state after
// that and after the same call again.
type scripted struct {
	name          string
	before        state
	draft         []string
	args          []any
	reply         int64
	after         state
	again         int64
	drafted, once bool // it takes a draft; the second call is left out
}

func (s *site) script(t *testing.T, file string, tests []scripted) {
	t.Helper()
	lua := redis.NewScript(source(t, file))
	for _, tt := range tests {
		set, version, beside := s.put(t, tt.before, tt.draft...)
		keys := []string{set, version}
		if tt.drafted {
			keys = append(keys, beside)
		}
		if got, err := lua.Run(t.Context(), s.rdb, keys, tt.args...).Int64(); err != nil || got != tt.reply {
			t.Errorf("%s: %d, %v; want %d", tt.name, got, err, tt.reply)
		}
		s.is(t, tt.name, tt.after)
		if tt.once {
			continue
		}
		if got, err := lua.Run(t.Context(), s.rdb, keys, tt.args...).Int64(); err != nil || got != tt.again {
			t.Errorf("%s, again: %d, %v; want %d", tt.name, got, err, tt.again)
		}
		s.is(t, tt.name+", again", tt.after)
	}
}

func TestEditSubscribers(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one, two := []string{"0", "user:1"}, []string{"0", "role:b", "user:1"}
		s.script(t, "edit_subscribers.lua", []scripted{
			{name: "one more", before: state{one, "4", false}, args: []any{5, "role:b", 1, 60}, reply: 2, after: state{two, "5", false}, again: -2},
			{name: "one who is there", before: state{one, "4", false}, args: []any{5, "user:1", 1, 60}, reply: 1, after: state{one, "5", false}, again: -2},
			{name: "one less", before: state{two, "4", false}, args: []any{5, "role:b", 0, 60}, reply: 1, after: state{one, "5", false}, again: -2},
			{name: "one who is not there", before: state{one, "4", false}, args: []any{5, "role:b", 0, 60}, reply: 1, after: state{one, "5", false}, again: -2},
			{name: "the last one", before: state{one, "4", false}, args: []any{5, "user:1", 0, 60}, reply: 0, after: state{nil, "5", true}, again: -2},
			{name: "the first one", args: []any{5, "user:1", 1, 60}, reply: -1, again: -1},
			{name: "after the last one", before: state{nil, "4", false}, args: []any{5, "user:1", 1, 60}, reply: -1, after: state{nil, "4", false}, again: -1},
			{name: "a newer set", before: state{one, "10", false}, args: []any{9, "user:1", 0, 60}, reply: -2, after: state{one, "10", false}, again: -2},
			{name: "not whole", before: state{[]string{"user:1"}, "4", false}, args: []any{5, "role:b", 1, 60}, reply: -1, after: state{[]string{"user:1"}, "4", false}, again: -1},
			{name: "of no version", before: state{one, "", false}, args: []any{5, "role:b", 1, 60}, reply: -1, after: state{one, "", false}, again: -1},
		})
	})
}

func TestReplaceSubscribers(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one, two := []string{"0", "user:1"}, []string{"0", "role:b", "user:1"}
		s.script(t, "replace_subscribers.lua", []scripted{
			{name: "a first one", draft: two, drafted: true, args: []any{5, 3, 0, 60}, reply: 1, after: state{two, "5", false}, again: -3},
			{name: "another", before: state{one, "4", false}, draft: two, drafted: true, args: []any{5, 3, 0, 60}, reply: 1, after: state{two, "5", false}, again: -3},
			{name: "of the same revision", before: state{one, "5", false}, draft: two, drafted: true, args: []any{5, 3, 0, 60}, reply: 1, after: state{two, "5", false}, again: -3},
			{name: "nobody", before: state{one, "4", false}, drafted: true, args: []any{5, 0, 0, 60}, reply: 1, after: state{nil, "5", true}, again: 1},
			{name: "a newer set", before: state{one, "10", false}, draft: two, drafted: true, args: []any{9, 3, 0, 60}, reply: -2, after: state{one, "10", false}, again: -2},
			{name: "a newer set by force", before: state{one, "10", false}, draft: two, drafted: true, args: []any{9, 3, 1, 60}, reply: 1, after: state{two, "9", false}, again: -3},
			{name: "a draft that is not whole", before: state{one, "4", false}, draft: []string{"0"}, drafted: true, args: []any{5, 3, 0, 60}, reply: -3, after: state{one, "4", false}, again: -3},
			{name: "a draft that is gone", before: state{one, "4", false}, drafted: true, args: []any{5, 3, 0, 60}, reply: -3, after: state{one, "4", false}, again: -3},
		})
	})
}

func TestClaimSubscribers(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		lua := redis.NewScript(source(t, "claim_subscribers.lua"))
		for _, tt := range []struct {
			was           string
			revision      int
			force         int
			reply         int64
			after, reason string
		}{
			{"", 5, 0, 1, "5", "a first one"},
			{"4", 5, 0, 1, "5", "an older one"},
			{"5", 5, 0, 1, "5", "the same"},
			{"10", 9, 0, -2, "10", "a newer one"},
			{"10", 9, 1, 1, "9", "a newer one by force"},
		} {
			_, version, _ := s.put(t, state{nil, tt.was, false})
			for range 2 {
				if got, err := lua.Run(t.Context(), s.rdb, []string{version}, tt.revision, tt.force).Int64(); err != nil || got != tt.reply {
					t.Errorf("%s: %d, %v; want %d", tt.reason, got, err, tt.reply)
				}
				s.is(t, tt.reason, state{nil, tt.after, false})
			}
		}
	})
}

func TestMoveRevision(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		lua := redis.NewScript(source(t, "move_revision.lua"))
		for _, tt := range []struct {
			was, to, from string
			reply         int64
			after         string
			again         int64
		}{
			{"", "5", "4", 0, "", 0},
			{"4", "5", "4", 1, "5", 0},
			{"3", "5", "4", 0, "3", 0},
			{"9", "10", "9", 1, "10", 0},
			{"", "5", "", 1, "5", 1},
			{"4", "5", "", 1, "5", 1},
			{"10", "9", "", 0, "10", 0},
			{"foo", "9", "", 1, "9", 1},
			{"10", "9", "*", 1, "9", 1},
			{"", "9", "*", 1, "9", 1},
		} {
			key := s.k.SubscriberRevision()
			err := s.rdb.Del(t.Context(), key).Err()
			if tt.was != "" {
				err = s.rdb.Set(t.Context(), key, tt.was, 0).Err()
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []int64{tt.reply, tt.again} {
				got, err := lua.Run(t.Context(), s.rdb, []string{key}, tt.to, tt.from).Int64()
				if is := s.rdb.Get(t.Context(), key).Val(); err != nil || got != want || is != tt.after {
					t.Errorf("%q to %s from %q, call %d: %d, %v and %q; want %d and %q", tt.was, tt.to, tt.from, i+1, got, err, is, want, tt.after)
				}
			}
		}
	})
}
