package topic_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/topic"
)

// play is one random sequence of actions on two instances on one Redis and one SQL, compared with a simple model: the
// subscribers of each topic.
type play struct {
	s     *site
	model map[notifier.Topic]map[string]bool
	both  []*player
	flush func(t *rapid.T) // empties Redis

	lost bool // since the last repair, something was lost that no revision shows
}

// player is an instance and its connection to Redis.
type player struct {
	*topic.Topics
	rdb    redis.UniversalClient
	way    *way
	missed bool // another instance has made changes that this one may not see before its next round
}

func TestSubscribersMatchTheirModelUnderRandomActions(t *testing.T) {
	t.Parallel()
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		server := redistest.Own(t)
		c := server.Client(t)
		rapid.Check(t, func(rt *rapid.T) {
			newPlay(t, rt, c, func() redis.UniversalClient { return server.Client(t) }, flushAll(c)).run(rt)
		})
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		c := redistest.Cluster(t)
		rapid.Check(t, func(rt *rapid.T) {
			p := newPlay(t, rt, c, func() redis.UniversalClient { return redistest.Cluster(t) }, nil)
			p.flush = p.deleteAll
			p.run(rt)
		})
	})
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		m, c := redistest.Mini(t)
		rapid.Check(t, func(rt *rapid.T) {
			newPlay(t, rt, c, func() redis.UniversalClient {
				c := redis.NewClient(&redis.Options{Addr: m.Addr(), DisableIdentity: true})
				t.Cleanup(func() { _ = c.Close() })
				return c
			}, flushAll(c)).run(rt)
		})
	})
}

func flushAll(c *redis.Client) func(t *rapid.T) {
	return func(t *rapid.T) {
		if err := c.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func newPlay(t *testing.T, rt *rapid.T, rdb redis.UniversalClient, dial func() redis.UniversalClient, flush func(*rapid.T)) *play {
	p := &play{
		s: &site{rdb: rdb, k: redistest.Space(t), sql: newSQL(), cuts: true}, flush: flush,
		model: map[notifier.Topic]map[string]bool{},
	}
	for range 2 {
		c, w := dial(), newWay()
		rt.Cleanup(func() { _ = c.Close() })
		c.AddHook(w)
		p.both = append(p.both, &player{rdb: c, way: w})
	}
	for i := range p.both {
		p.restart(rt, i)
	}
	return p
}

func (p *play) run(t *rapid.T) {
	t.Repeat(map[string]func(*rapid.T){
		"":          p.check,
		"subscribe": p.subscribe, "subscribe too": p.subscribe, "unsubscribe": p.unsubscribe, "unsubscribe too": p.unsubscribe,
		"somebody leaves": p.leave,
		"restart":         func(t *rapid.T) { p.restart(t, rapid.IntRange(0, 1).Draw(t, "instance")) },
		"look":            func(t *rapid.T) { p.look(t, p.player(t)) },
		"repair":          func(t *rapid.T) { p.repair(t, p.player(t)) },
		"flush":           p.flushAll,
		"lose a key":      p.loseKey,
		"break the way":   func(t *rapid.T) { p.player(t).way.cut(rapid.IntRange(0, 6).Draw(t, "commands before")) },
	})
	for _, of := range p.both {
		p.repair(t, of)
		p.s.right(t)
		p.everybody(t, of)
	}
}

func (p *play) player(t *rapid.T) *player { return rapid.SampledFrom(p.both).Draw(t, "instance") }

var (
	topics = []notifier.Topic{stock, other, news}
	people = []string{"u1", "u2", "u3", "role:picker", "role:staff"}
)

func (p *play) subscribe(t *rapid.T) {
	of, topic, who := p.player(t), rapid.SampledFrom(topics).Draw(t, "topic"), rapid.SampledFrom(people).Draw(t, "who")
	added, err := of.Subscribe(t.Context(), notifier.Actor{}, sub(topic, who))
	if err != nil || added == p.model[topic][who] {
		t.Fatalf("subscribe %s to %v: %v, %v", who, topic, added, err)
	}
	if p.model[topic] == nil {
		p.model[topic] = map[string]bool{}
	}
	p.model[topic][who] = true
	p.changed(of)
}

func (p *play) unsubscribe(t *rapid.T) {
	of, topic, who := p.player(t), rapid.SampledFrom(topics).Draw(t, "topic"), rapid.SampledFrom(people).Draw(t, "who")
	removed, err := of.Unsubscribe(t.Context(), notifier.Actor{}, sub(topic, who))
	if err != nil || removed != p.model[topic][who] {
		t.Fatalf("unsubscribe %s from %v: %v, %v", who, topic, removed, err)
	}
	delete(p.model[topic], who)
	p.changed(of)
}

// changed records that other instances see a change only in their next round if it could not be written through.
func (p *play) changed(by *player) {
	for _, of := range p.both {
		if of != by && by.Behind() {
			of.missed = true
		}
	}
}

// leave deletes a user or a role as the directory does, and creates a new one with that name.
func (p *play) leave(t *rapid.T) {
	who := rapid.SampledFrom(people).Draw(t, "who")
	s := sub(news, who).Subscriber
	p.s.sql.leave(s)
	p.s.sql.mu.Lock()
	delete(p.s.sql.gone, s)
	p.s.sql.mu.Unlock()
	for _, all := range p.model {
		delete(all, who)
	}
	for _, of := range p.both {
		of.missed = true
	}
}

// restart replaces an instance with a new one, as after SIGKILL.
func (p *play) restart(t *rapid.T, i int) {
	was := p.both[i]
	now := &player{rdb: was.rdb, way: was.way, Topics: p.s.another(was.rdb)}
	if err := now.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.both[i] = now
}

// look is one round of Run. While the connection is cut it fails; a later round catches up.
func (p *play) look(t *rapid.T, of *player) {
	if err := of.Round(t.Context()); err == nil {
		of.missed = false
	}
}

// repair restores the connection and repairs the sets, as Run does once Redis is back.
func (p *play) repair(t *rapid.T, of *player) {
	of.way.mend()
	if err := of.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, of := range p.both {
		of.missed = false
	}
	p.lost = false
}

func (p *play) flushAll(t *rapid.T) { p.flush(t) }

func (p *play) deleteAll(t *rapid.T) {
	for _, key := range p.s.keysOf(t) {
		if err := p.s.rdb.Del(t.Context(), key).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *play) loseKey(t *rapid.T) {
	all := p.s.keysOf(t)
	if len(all) == 0 {
		return
	}
	if err := p.s.rdb.Del(t.Context(), rapid.SampledFrom(all).Draw(t, "key")).Err(); err != nil {
		t.Fatal(err)
	}
	p.lost = true
}

func (p *play) check(t *rapid.T) {
	for _, of := range p.both {
		p.everybody(t, of)
	}
	// Where Redis claims to have SQL's revision it must match SQL, except for keys deleted by the test.
	truth, revision := p.s.sql.truth()
	if at := p.s.rdb.Get(t.Context(), p.s.k.SubscriberRevision()).Val(); at == itoa(revision) && !p.lost {
		want, got := p.s.wanted().Sets, map[string][]string{}
		for topic := range maps.Keys(truth) {
			name := topic.Type + ":" + topic.Scope
			if set := sortedMembers(t.Context(), p.s.rdb, p.s.k.Subscribers(topic)); len(set) > 0 {
				got[name] = set
			} else {
				delete(want, name) // deleted by the test
			}
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("at revision %d Redis has %v, want %v", revision, got, want)
		}
	}
}

// everybody compares an instance's subscribers of every topic with the model.
func (p *play) everybody(t *rapid.T, of *player) {
	if of.missed {
		return
	}
	found, err := of.SubscribersOf(t.Context(), topics)
	if err != nil {
		t.Fatal(err)
	}
	for i, topic := range topics {
		var want []string
		for who := range p.model[topic] {
			want = append(want, who)
		}
		slices.SortFunc(want, func(a, b string) int {
			ra, rb := strings.HasPrefix(a, "role:"), strings.HasPrefix(b, "role:")
			if ra != rb {
				if ra {
					return 1
				}
				return -1
			}
			return strings.Compare(a, b)
		})
		if got := names(found[i]); got != strings.Join(want, " ") {
			t.Fatalf("subscribers of %v: %q, want %q", topic, got, strings.Join(want, " "))
		}
	}
}
