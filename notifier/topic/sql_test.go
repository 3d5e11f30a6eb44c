package topic_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

var errAway = errors.New("sql is away")

// sql is a fake Store. Its users are u1, u2, … with these seqs, without limit; every user and role
// exists until it is deleted.
type sql struct {
	mu       sync.Mutex
	revision int64
	types    map[string]notifier.NoticeType
	subs     map[notifier.Topic]map[notifier.Subscriber]bool
	gone     map[notifier.Subscriber]bool
	calls    map[string]int

	// before is called before each call, without the lock held.
	before func(call string) error
}

func newSQL() *sql {
	return &sql{
		types: map[string]notifier.NoticeType{}, subs: map[notifier.Topic]map[notifier.Subscriber]bool{},
		gone: map[notifier.Subscriber]bool{}, calls: map[string]int{}, before: func(string) error { return nil },
	}
}

func (q *sql) call(name string, do func() error) error {
	if err := q.before(name); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls[name]++
	return do()
}

// asked returns the number of calls of a kind since it was last called for that kind.
func (q *sql) asked(call string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.calls[call]
	delete(q.calls, call)
	return n
}

func seqOf(name string) (seq int64) {
	_, _ = fmt.Sscanf(name, "u%d", &seq)
	return seq
}

// leave deletes a user or a role with its subscriptions.
func (q *sql) leave(who notifier.Subscriber) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.gone[who] = true
	had := false
	for _, all := range q.subs {
		had = had || all[who]
		delete(all, who)
	}
	if had {
		q.revision++
	}
}

// many subscribes users 1 to n at once.
func (q *sql) many(topic notifier.Topic, users int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.subs[topic] = map[notifier.Subscriber]bool{}
	for i := range users {
		q.subs[topic][notifier.Subscriber{User: fmt.Sprint("u", i+1)}] = true
	}
	q.revision++
}

// backup copies the current state; restore brings it back.
func (q *sql) backup() (restore func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	revision, gone, subs := q.revision, maps.Clone(q.gone), map[notifier.Topic]map[notifier.Subscriber]bool{}
	for topic, all := range q.subs {
		subs[topic] = maps.Clone(all)
	}
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.revision, q.gone, q.subs = revision, gone, subs
	}
}

func (q *sql) of(topic notifier.Topic) notifier.TopicSubscribers {
	s := notifier.TopicSubscribers{Topic: topic}
	for who := range q.subs[topic] {
		if who.User != "" {
			s.Users = append(s.Users, seqOf(who.User))
		} else {
			s.Roles = append(s.Roles, who.Role)
		}
	}
	slices.Sort(s.Users)
	slices.Sort(s.Roles)
	return s
}

// truth returns all subscribers and the revision.
func (q *sql) truth() (all map[notifier.Topic]notifier.TopicSubscribers, revision int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all = map[notifier.Topic]notifier.TopicSubscribers{}
	for topic, who := range q.subs {
		if len(who) > 0 {
			all[topic] = q.of(topic)
		}
	}
	return all, q.revision
}

// The methods of topic.Store.

func (q *sql) EnsureTypes(_ context.Context, slugs []string) error {
	return q.call("ensure", func() error {
		for _, slug := range slugs {
			q.ensure(slug)
		}
		return nil
	})
}

func (q *sql) ensure(slug string) {
	if _, known := q.types[slug]; !known {
		q.types[slug] = notifier.NoticeType{Slug: slug, CreatedAt: time.UnixMilli(1_700_000_000_000)}
	}
}

func (q *sql) Types(context.Context) (all []notifier.NoticeType, err error) {
	err = q.call("types", func() error {
		for _, slug := range slices.Sorted(maps.Keys(q.types)) {
			all = append(all, q.types[slug])
		}
		return nil
	})
	return all, err
}

func (q *sql) SaveType(_ context.Context, _ notifier.Actor, t notifier.NoticeType) error {
	return q.call("save", func() error {
		t.Names = maps.Clone(t.Names)
		q.types[t.Slug] = t
		return nil
	})
}

func (q *sql) DeleteUndescribed(context.Context, notifier.Actor) (n int64, err error) {
	return n, q.call("tidy", func() error {
		for slug, t := range q.types {
			if len(t.Names) == 0 {
				delete(q.types, slug)
				n++
			}
		}
		return nil
	})
}

func (q *sql) DeleteType(_ context.Context, _ notifier.Actor, slug string) error {
	return q.call("delete", func() error {
		for topic, all := range q.subs {
			if topic.Type == slug && len(all) > 0 {
				return notifier.ErrConflict
			}
		}
		if _, known := q.types[slug]; !known {
			return notifier.ErrNotFound
		}
		delete(q.types, slug)
		return nil
	})
}

func (q *sql) SubscribeWithin(_ context.Context, _ notifier.Actor, s notifier.Subscription, most int) (revision int64, added bool, err error) {
	err = q.call("subscribe", func() error {
		if q.gone[s.Subscriber] {
			var bad notifier.InvalidError
			bad.Add("user", notifier.CodeUnknownUser, nil)
			return &bad
		}
		q.ensure(s.Type)
		if q.subs[s.Topic] == nil {
			q.subs[s.Topic] = map[notifier.Subscriber]bool{}
		}
		if added = !q.subs[s.Topic][s.Subscriber]; added {
			if most > 0 && q.count(s.Subscriber) >= most {
				added = false
				var bad notifier.InvalidError
				bad.Add("type", notifier.CodeTooManySubs, map[string]any{"Max": most})
				return &bad
			}
			q.subs[s.Topic][s.Subscriber] = true
			q.revision++
		}
		revision = q.revision
		return nil
	})
	return revision, added, err
}

func (q *sql) Unsubscribe(_ context.Context, _ notifier.Actor, s notifier.Subscription) (revision int64, removed bool, err error) {
	err = q.call("unsubscribe", func() error {
		if removed = q.subs[s.Topic][s.Subscriber]; removed {
			delete(q.subs[s.Topic], s.Subscriber)
			q.revision++
		}
		revision = q.revision
		return nil
	})
	return revision, removed, err
}

func (q *sql) count(who notifier.Subscriber) (n int) {
	for _, all := range q.subs {
		if all[who] {
			n++
		}
	}
	return n
}

func (q *sql) SubscriptionRevision(context.Context) (n int64, err error) {
	err = q.call("revision", func() error { n = q.revision; return nil })
	return n, err
}

func (q *sql) SubscribersOf(_ context.Context, topics []notifier.Topic) (all []notifier.TopicSubscribers, err error) {
	err = q.call("subscribers", func() error {
		for _, topic := range topics {
			all = append(all, q.of(topic))
		}
		return nil
	})
	return all, err
}

func compareTopics(a, b notifier.Topic) int {
	return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.Scope, b.Scope))
}

func (q *sql) AllSubscribers(_ context.Context, after notifier.Topic, limit int) (all []notifier.TopicSubscribers, err error) {
	err = q.call("all", func() error {
		for _, topic := range slices.SortedFunc(maps.Keys(q.subs), compareTopics) {
			if compareTopics(topic, after) > 0 && len(q.subs[topic]) > 0 && len(all) < limit {
				all = append(all, q.of(topic))
			}
		}
		return nil
	})
	return all, err
}

func (q *sql) SeqsByName(_ context.Context, names []string) (seqs map[string]int64, unknown []string, err error) {
	seqs = map[string]int64{}
	err = q.call("names", func() error {
		for _, name := range names {
			if q.gone[notifier.Subscriber{User: name}] {
				unknown = append(unknown, name)
			} else {
				seqs[name] = seqOf(name)
			}
		}
		return nil
	})
	return seqs, unknown, err
}
