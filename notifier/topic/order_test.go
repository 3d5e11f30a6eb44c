package topic_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/topic"
)

// stop holds the first command that contains all these words until open is called.
func (w *way) stop(words string) (reached <-chan struct{}, open func()) {
	at, gate := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.hold(func(cmd redis.Cmder) {
		text := fmt.Sprint(cmd.Args()...)
		if !slices.ContainsFunc(strings.Fields(words), func(word string) bool { return !strings.Contains(text, word) }) {
			once.Do(func() {
				close(at)
				<-gate
			})
		}
	})
	return at, func() { close(gate) }
}

// client returns another client for the Redis of a site, with hooks.
func (s *site) client(t *testing.T) (redis.UniversalClient, *way) {
	t.Helper()
	var c redis.UniversalClient
	switch of := s.rdb.(type) {
	case *redis.ClusterClient:
		o := *of.Options()
		c = redis.NewClusterClient(&o)
	case *redis.Client:
		o := *of.Options()
		c = redis.NewClient(&o)
	}
	t.Cleanup(func() { _ = c.Close() })
	w := newWay()
	c.AddHook(w)
	return c, w
}

// TestALateChangeDoesNotOverwriteARepair stops an instance at each of its steps, as SIGSTOP does, while another one
// continues and repairs.
func TestALateChangeDoesNotOverwriteARepair(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.cuts = true                               // a stopped instance may leave its draft
		for _, fresh := range []bool{false, true} { // whether the set does not exist yet
			for _, on := range []bool{true, false} {
				for _, step := range []string{"subscribers", "evalsha revision:{", "draft:", "evalsha draft:", "evalsha revision:subscribers"} {
					name := fmt.Sprint(step, " fresh ", fresh, " on ", on)
					s.late(t, name, step, fresh, on)
				}
			}
		}
	})
}

func (s *site) late(t *testing.T, name, step string, fresh, on bool) {
	t.Helper()
	c, w := s.client(t)
	slow := s.another(c)
	if err := slow.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !fresh {
		s.subscribe(t, stock, "u2")
	}
	if !on {
		s.subscribe(t, stock, "u1")
	}
	reached, open := w.stop(step)
	ended := make(chan error)
	go func() {
		var err error
		if on {
			_, err = slow.Subscribe(context.WithoutCancel(t.Context()), notifier.Actor{}, sub(stock, "u1"))
		} else {
			_, err = slow.Unsubscribe(context.WithoutCancel(t.Context()), notifier.Actor{}, sub(stock, "u1"))
		}
		ended <- err
	}()
	var err error
	select {
	case <-reached:
	case err = <-ended:
		open()
		reached = nil
	}
	if reached != nil {
		// Make the opposite change and reverse it, so that the late change is outdated.
		s.sync(t)
		if on {
			s.unsubscribe(t, stock, "u1")
		} else {
			s.subscribe(t, stock, "u1")
		}
		if s.Behind() {
			s.sync(t)
		}
		s.right(t)
		open()
		err = <-ended
		if at := s.rdb.Get(t.Context(), s.k.SubscriberRevision()).Val(); at != s.wanted().Revision {
			t.Errorf("%s: the sets are as of revision %s, want %s", name, at, s.wanted().Revision)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if at := s.rdb.Get(t.Context(), s.k.SubscriberRevision()).Val(); at == s.wanted().Revision {
		s.right(t)
	}
	if got, want := who(t, s.Topics, stock), names(s.truthOf(stock)); got != want {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
	if got, want := who(t, slow, stock), names(s.truthOf(stock)); got != want {
		t.Errorf("%s: the slow instance returns %q, want %q", name, got, want)
	}
	s.sync(t)
	s.right(t)
	for _, who := range strings.Fields(who(t, s.Topics, stock)) {
		s.unsubscribe(t, stock, who)
	}
}

func (s *site) truthOf(topic notifier.Topic) notifier.TopicSubscribers {
	all, _ := s.sql.truth()
	return all[topic]
}

// TestConcurrentChangesAllReachRedis makes several instances change the same topics, each for several users at a
// time, without a repair.
func TestConcurrentChangesAllReachRedis(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var all sync.WaitGroup
		instances := make([]*topic.Topics, 3)
		for i := range instances {
			instances[i] = s.another(s.rdb)
			if err := instances[i].Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			for k := range 4 {
				all.Go(func() {
					who := "u" + itoa(int64(10*i+k+1))
					for range 20 {
						topic := topics[rand.IntN(len(topics))]
						change := instances[i].Subscribe
						if rand.IntN(2) == 0 {
							change = instances[i].Unsubscribe
						}
						if _, err := change(t.Context(), notifier.Actor{}, sub(topic, who)); err != nil {
							t.Error(err)
						}
						if _, err := instances[i].SubscribersOf(t.Context(), topics); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		all.Wait()
		// On a slow machine a change may have waited too long for its turn. Then the revision shows this, and the
		// sets are not used.
		for _, of := range instances {
			if of.Behind() {
				if err := of.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.right(t)
		for _, topic := range topics {
			for i, of := range instances {
				if got, want := who(t, of, topic), names(s.truthOf(topic)); got != want {
					t.Errorf("instance %d, %v: %q, want %q", i, topic, got, want)
				}
			}
		}
	})
}

// TestRepairsAreHarmlessWhileSubscriptionsChange makes Run repair all the time.
func TestRepairsAreHarmlessWhileSubscriptionsChange(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		instances := []*topic.Topics{s.another(s.rdb), s.another(s.rdb)}
		var all sync.WaitGroup
		for i, of := range instances {
			run(t, of)
			all.Go(func() {
				for k := range 60 {
					who := "u" + itoa(int64(i+2*rand.IntN(4)+1))
					change := of.Subscribe
					if rand.IntN(2) == 0 {
						change = of.Unsubscribe
					}
					topic := topics[rand.IntN(len(topics))]
					if _, err := change(t.Context(), notifier.Actor{}, sub(topic, who)); err != nil {
						t.Error(err)
					}
					if k%7 == i {
						of.Suspect()
					}
					if got, err := of.SubscribersOf(t.Context(), topics[:1]); err != nil || len(got) != 1 {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		testkit.Eventually(t, "the repair finished", func() bool {
			at := s.rdb.Get(t.Context(), s.k.SubscriberRevision()).Val()
			return at == s.wanted().Revision && !instances[0].Behind() && !instances[1].Behind()
		})
		s.right(t)
	})
}
