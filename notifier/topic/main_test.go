package topic_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/topic"
)

// The connection pool of a closed client keeps dialling a lost server for up to a second.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(sqltest.Wrap(redistest.Wrap(m)),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// tb is a test, a benchmark, or one run of a property test.
type tb interface {
	rapid.TB
	Context() context.Context
	Cleanup(f func())
}

var (
	stock = notifier.Topic{Type: "rep_notice", Scope: "119240"}
	other = notifier.Topic{Type: "rep_notice", Scope: "7"}
	news  = notifier.Topic{Type: "news"} // the empty scope is an ordinary scope
)

// site is the sets of one key space on one kind of Redis, with a fake SQL.
type site struct {
	*topic.Topics
	rdb  redis.UniversalClient
	k    keys.Space
	sql  *sql
	cuts bool // calls are cut off and keys are lost, so drafts, and the versions of deleted sets, may be left
}

func newSite(t testing.TB, rdb redis.UniversalClient) *site {
	t.Helper()
	s := &site{rdb: rdb, k: redistest.Space(t), sql: newSQL()}
	s.Topics = s.another(rdb)
	s.load(t)
	return s
}

// another returns another instance on the same Redis and SQL.
func (s *site) another(rdb redis.UniversalClient) *topic.Topics {
	return topic.New(rdb, s.k, s.sql, topic.Options{Every: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
}

// onEachRedis runs a test on a strict server and on miniredis.
func onEachRedis(t *testing.T, promise func(t *testing.T, s *site)) {
	t.Helper()
	redistest.OnEach(t, func(t *testing.T, rdb redis.UniversalClient) { t.Helper(); promise(t, newSite(t, rdb)) })
}

func (s *site) load(t tb) {
	t.Helper()
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *site) sync(t tb) {
	t.Helper()
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// sub makes a subscription from `u7` or `role:picker`.
func sub(topic notifier.Topic, who string) notifier.Subscription {
	s := notifier.Subscription{Topic: topic}
	if role, is := strings.CutPrefix(who, "role:"); is {
		s.Role = role
	} else {
		s.User = who
	}
	return s
}

func (s *site) subscribe(t tb, topic notifier.Topic, all ...string) {
	t.Helper()
	for _, who := range all {
		if added, err := s.Subscribe(t.Context(), notifier.Actor{}, sub(topic, who)); err != nil || !added {
			t.Fatalf("subscribe %s to %v: %v, %v", who, topic, added, err)
		}
	}
}

func (s *site) unsubscribe(t tb, topic notifier.Topic, all ...string) {
	t.Helper()
	for _, who := range all {
		if removed, err := s.Unsubscribe(t.Context(), notifier.Actor{}, sub(topic, who)); err != nil || !removed {
			t.Fatalf("unsubscribe %s from %v: %v, %v", who, topic, removed, err)
		}
	}
}

// who returns an instance's subscribers of a topic as `u1 u7 role:picker`.
func who(t tb, of *topic.Topics, topic notifier.Topic) string {
	t.Helper()
	found, err := of.SubscribersOf(t.Context(), []notifier.Topic{topic})
	if err != nil || len(found) != 1 || found[0].Topic != topic {
		t.Fatalf("the subscribers of %v: %+v, %v", topic, found, err)
	}
	return names(found[0])
}

func names(s notifier.TopicSubscribers) string {
	var all []string
	for _, seq := range s.Users {
		all = append(all, "u"+itoa(seq))
	}
	for _, role := range s.Roles {
		all = append(all, "role:"+role)
	}
	return strings.Join(all, " ")
}

// stored is everything that Redis stores for topics, except versions.
type stored struct {
	Revision string
	Index    []string
	Sets     map[string][]string
}

// keysOf lists all keys of the key space.
func (s *site) keysOf(t tb) (all []string) {
	t.Helper()
	list := func(ctx context.Context, c *redis.Client) error {
		found, err := c.Keys(ctx, s.prefix()+"*").Result()
		all = append(all, found...)
		return err
	}
	var err error
	switch c := s.rdb.(type) {
	case *redis.ClusterClient:
		turn := make(chan struct{}, 1)
		err = c.ForEachMaster(t.Context(), func(ctx context.Context, c *redis.Client) error {
			turn <- struct{}{}
			defer func() { <-turn }()
			return list(ctx, c)
		})
	case *redis.Client:
		err = list(t.Context(), c)
	default:
		err = errors.New("another client")
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func (s *site) prefix() string { return strings.TrimSuffix(s.k.SubscriberIndex(), "subscribers") }

func (s *site) stored(t tb) stored {
	t.Helper()
	ctx := t.Context()
	got := stored{Sets: map[string][]string{}}
	for _, key := range s.keysOf(t) {
		short := strings.TrimPrefix(key, s.prefix())
		_, isSet := s.k.TopicOf(key)
		versioned, version := strings.CutPrefix(short, "revision:{")
		switch {
		case key == s.k.SubscriberRevision():
			got.Revision = s.rdb.Get(ctx, key).Val()
		case key == s.k.SubscriberIndex():
			got.Index = sortedMembers(ctx, s.rdb, key)
		case isSet:
			if ttl := s.rdb.TTL(ctx, key).Val(); ttl >= 0 {
				t.Errorf("TTL of %s is %v", short, ttl)
			}
			got.Sets[strings.TrimPrefix(short, "subscribers:")] = sortedMembers(ctx, s.rdb, key)
		case version:
			set := strings.TrimSuffix(versioned, "}")
			ttl, there := s.rdb.TTL(ctx, key).Val(), s.rdb.Exists(ctx, set).Val() == 1
			forever := ttl < 0
			if there && !forever || !there && forever && !s.cuts || ttl > time.Hour {
				t.Errorf("TTL of %s is %v; its set exists: %v", short, ttl, there)
			}
		case s.cuts && strings.HasPrefix(short, "draft:{"):
			if ttl := s.rdb.TTL(ctx, key).Val(); ttl == -1 || ttl > time.Minute {
				t.Errorf("TTL of %s is %v", short, ttl)
			}
		default:
			t.Errorf("unexpected key %s", short)
		}
	}
	return got
}

func sortedMembers(ctx context.Context, rdb redis.UniversalClient, key string) []string {
	all := rdb.SMembers(ctx, key).Val()
	slices.Sort(all)
	return all
}

// wanted is what Redis should contain according to SQL.
func (s *site) wanted() stored {
	truth, revision := s.sql.truth()
	want := stored{Revision: itoa(revision), Index: []string{"0"}, Sets: map[string][]string{}}
	for topic, of := range truth {
		name := topic.Type + ":" + topic.Scope
		set := []string{"0"}
		for _, seq := range of.Users {
			set = append(set, "user:"+itoa(seq))
		}
		for _, role := range of.Roles {
			set = append(set, "role:"+role)
		}
		slices.Sort(set)
		want.Sets[name], want.Index = set, append(want.Index, name)
	}
	slices.Sort(want.Index)
	return want
}

// right fails the test unless Redis matches SQL exactly.
func (s *site) right(t tb) {
	t.Helper()
	if d := cmp.Diff(s.wanted(), s.stored(t)); d != "" {
		t.Fatalf("Redis differs from SQL (-sql +redis):\n%s", d)
	}
}

// run runs an instance until the test ends.
func run(t *testing.T, of *topic.Topics) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- of.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}
