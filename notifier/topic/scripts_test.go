package topic_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

func source(t tb, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// state is a set, or a string in its place, and its version; empty: missing.
type state struct {
	set     []string
	version string
	expires bool // the version expires
}

var (
	nobody = notifier.Topic{Type: "script"}
	drafts = "SCRIPT"
)

// put writes the state of the topic `nobody`, and a draft next to it.
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

// is fails the test unless the topic `nobody` has this state and no draft is left.
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
		t.Errorf("%s: TTL of the version is %v", what, ttl)
	}
	if ttl := s.rdb.TTL(ctx, set).Val(); ttl >= 0 {
		t.Errorf("%s: TTL of the set is %v", what, ttl)
	}
	if s.rdb.Exists(ctx, s.k.SubscribersDraft(nobody, drafts)).Val() != 0 {
		t.Errorf("%s: the draft was not removed", what)
	}
}

// scripted is a call of a script: the state before it, its reply, the state after it, and the reply
// of the same call repeated, which must not change the state.
type scripted struct {
	name          string
	before        state
	draft         []string
	args          []any
	reply         int64
	after         state
	again         int64
	drafted, once bool // drafted: the script uses a draft; once: the call is not repeated
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
			t.Errorf("%s, repeated: %d, %v; want %d", tt.name, got, err, tt.again)
		}
		s.is(t, tt.name+", again", tt.after)
	}
}

func TestEditSubscribers(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one, two := []string{"0", "user:1"}, []string{"0", "role:b", "user:1"}
		s.script(t, "edit_subscribers.lua", []scripted{
			{name: "add one", before: state{one, "4", false}, args: []any{5, "role:b", 1, 60}, reply: 2, after: state{two, "5", false}, again: -2},
			{name: "add an existing one", before: state{one, "4", false}, args: []any{5, "user:1", 1, 60}, reply: 1, after: state{one, "5", false}, again: -2},
			{name: "remove one", before: state{two, "4", false}, args: []any{5, "role:b", 0, 60}, reply: 1, after: state{one, "5", false}, again: -2},
			{name: "remove a missing one", before: state{one, "4", false}, args: []any{5, "role:b", 0, 60}, reply: 1, after: state{one, "5", false}, again: -2},
			{name: "remove the last one", before: state{one, "4", false}, args: []any{5, "user:1", 0, 60}, reply: 0, after: state{nil, "5", true}, again: -2},
			{name: "add the first one", args: []any{5, "user:1", 1, 60}, reply: -1, again: -1},
			{name: "add one to a deleted set", before: state{nil, "4", false}, args: []any{5, "user:1", 1, 60}, reply: -1, after: state{nil, "4", false}, again: -1},
			{name: "a newer set", before: state{one, "10", false}, args: []any{9, "user:1", 0, 60}, reply: -2, after: state{one, "10", false}, again: -2},
			{name: "a set that is not whole", before: state{[]string{"user:1"}, "4", false}, args: []any{5, "role:b", 1, 60}, reply: -1, after: state{[]string{"user:1"}, "4", false}, again: -1},
			{name: "a set without version", before: state{one, "", false}, args: []any{5, "role:b", 1, 60}, reply: -1, after: state{one, "", false}, again: -1},
		})
	})
}

func TestReplaceSubscribers(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		one, two := []string{"0", "user:1"}, []string{"0", "role:b", "user:1"}
		s.script(t, "replace_subscribers.lua", []scripted{
			{name: "no set yet", draft: two, drafted: true, args: []any{5, 3, 0, 60}, reply: 1, after: state{two, "5", false}, again: -3},
			{name: "an older set", before: state{one, "4", false}, draft: two, drafted: true, args: []any{5, 3, 0, 60}, reply: 1, after: state{two, "5", false}, again: -3},
			{name: "a set of the same revision", before: state{one, "5", false}, draft: two, drafted: true, args: []any{5, 3, 0, 60}, reply: 1, after: state{two, "5", false}, again: -3},
			{name: "no subscribers", before: state{one, "4", false}, drafted: true, args: []any{5, 0, 0, 60}, reply: 1, after: state{nil, "5", true}, again: 1},
			{name: "a newer set", before: state{one, "10", false}, draft: two, drafted: true, args: []any{9, 3, 0, 60}, reply: -2, after: state{one, "10", false}, again: -2},
			{name: "a newer set with force", before: state{one, "10", false}, draft: two, drafted: true, args: []any{9, 3, 1, 60}, reply: 1, after: state{two, "9", false}, again: -3},
			{name: "a draft that is not whole", before: state{one, "4", false}, draft: []string{"0"}, drafted: true, args: []any{5, 3, 0, 60}, reply: -3, after: state{one, "4", false}, again: -3},
			{name: "a missing draft", before: state{one, "4", false}, drafted: true, args: []any{5, 3, 0, 60}, reply: -3, after: state{one, "4", false}, again: -3},
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
