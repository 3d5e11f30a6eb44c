package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// Subscriptions lists subscriptions, newest first. A search for part of a word reads subscriptions
// until the page is full.
func (s *Store) Subscriptions(ctx context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error) {
	query, args := subscriptionsQuery(q)
	var found []notifier.Subscription
	err := s.all(ctx, func(rows *sql.Rows) error {
		var sub notifier.Subscription
		var created int64
		err := rows.Scan(&sub.ID, &sub.Type, &sub.Scope, &created, &sub.User, &sub.Role)
		sub.CreatedAt = fromMillis(created)
		found = append(found, sub)
		return err
	}, query, args...)
	return found, s.fail(err, "list subscriptions")
}

func subscriptionsQuery(q notifier.SubscriptionQuery) (query string, args []any) {
	var f filter
	if q.Type != "" {
		f.add("type = %s", text(q.Type))
	}
	if q.Type != "" && q.ByScope {
		f.add("scope = %s", text(q.Scope))
	}
	if q.User != "" {
		f.add("seq = (SELECT seq FROM users WHERE name = %s)", valid(q.User))
	}
	if q.Role != "" {
		f.add("role_id = (SELECT id FROM roles WHERE name = %s)", valid(q.Role))
	}
	f.holding(q.Contains, "search")
	if q.Before > 0 {
		f.add("id < %s", q.Before)
	}
	query = `WITH s AS MATERIALIZED (
			SELECT id, type, scope, seq, role_id, created_at FROM subscriptions
			` + f.where() + ` ORDER BY id DESC LIMIT ` + f.param(pageSize(q.Limit)) + `)
		SELECT s.id, s.type, s.scope, s.created_at, COALESCE(u.name, ''), COALESCE(r.name, '') FROM s
		LEFT JOIN users u ON u.seq = s.seq LEFT JOIN roles r ON r.id = s.role_id ORDER BY s.id DESC`
	return query, f.args
}

// topicBatch is how many topics one statement looks up.
const topicBatch = 1000

// SubscribersOf returns the subscribers of each of these topics, in the order of topics: users by
// number, roles by name. A topic without subscribers has an empty result. Each batch of topicBatch
// topics is read at a single moment.
func (s *Store) SubscribersOf(ctx context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error) {
	found := make([]notifier.TopicSubscribers, len(topics))
	for i := 0; i < len(topics); i += topicBatch {
		end := min(len(topics), i+topicBatch)
		asked := make([][2]string, 0, end-i)
		for _, t := range topics[i:end] {
			asked = append(asked, [2]string{text(t.Type), text(t.Scope)})
		}
		some, err := s.subscribers(ctx, s.subscribersQuery(), jsonList(asked))
		if err != nil {
			return nil, s.fail(err, "read the subscribers of %d topics", len(topics))
		}
		for j := i; j < end; j++ {
			found[j].Topic = topics[j]
			if has := some[topics[j]]; has != nil {
				found[j] = *has
				found[j].Users, found[j].Roles = slices.Clone(has.Users), slices.Clone(has.Roles) // the same topic may be requested twice
			}
		}
	}
	return found, nil
}

// subscribersQuery reads the subscribers of the topics in a JSON list of pairs.
func (s *Store) subscribersQuery() string {
	return `WITH t AS MATERIALIZED (` + s.dialect.pairs("type", "scope", 1) + `) ` + s.dialect.subscribers()
}

// AllSubscribers returns topics after the given one that have subscribers, with their
// subscribers: up to limit topics, ordered by the bytes of type and scope. The zero Topic starts at the
// beginning; an empty result is the end.
func (s *Store) AllSubscribers(ctx context.Context, after notifier.Topic, limit int) ([]notifier.TopicSubscribers, error) {
	some, err := s.subscribers(ctx, s.allSubscribersQuery(), text(after.Type), text(after.Scope), pageSize(limit))
	if err != nil {
		return nil, s.fail(err, "read the subscribers after %s:%s", after.Type, after.Scope)
	}
	found := make([]notifier.TopicSubscribers, 0, len(some))
	for _, has := range some {
		found = append(found, *has)
	}
	slices.SortFunc(found, func(a, b notifier.TopicSubscribers) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Scope, b.Scope))
	})
	return found, nil
}

// FollowedTopics returns up to limit topics that have subscribers, of these types and with a scope that begins with
// prefix, ordered by the bytes of type and scope.
func (s *Store) FollowedTopics(ctx context.Context, types []string, prefix string, limit int) ([]notifier.Topic, error) {
	var found []notifier.Topic
	err := s.all(ctx, func(rows *sql.Rows) error {
		var t notifier.Topic
		err := rows.Scan(&t.Type, &t.Scope)
		found = append(found, t)
		return err
	}, s.followedTopicsQuery(), s.dialect.textList(types), text(prefix), text(prefix)+"\x7f", pageSize(limit)) // DEL is above all characters of a scope
	return found, s.fail(err, "list followed topics")
}

func (s *Store) followedTopicsQuery() string {
	return `SELECT DISTINCT type, scope FROM subscriptions WHERE ` + s.dialect.within("type", 1) + ` AND scope >= $2 AND scope < $3 ORDER BY type, scope LIMIT $4`
}

// allSubscribersQuery reads the subscribers of the next topics, up to a limit.
func (s *Store) allSubscribersQuery() string {
	return `WITH t AS MATERIALIZED (SELECT DISTINCT type, scope FROM subscriptions
		WHERE (type, scope) > ($1, $2) ORDER BY type, scope LIMIT $3) ` + s.dialect.subscribers()
}

func (s *Store) subscribers(ctx context.Context, query string, args ...any) (map[notifier.Topic]*notifier.TopicSubscribers, error) {
	found := make(map[notifier.Topic]*notifier.TopicSubscribers)
	var last *notifier.TopicSubscribers
	err := s.all(ctx, func(rows *sql.Rows) error {
		var t notifier.Topic
		var seq int64
		var role string
		if err := rows.Scan(&t.Type, &t.Scope, &seq, &role); err != nil {
			return err
		}
		if last == nil || last.Topic != t {
			if last = found[t]; last == nil {
				last = &notifier.TopicSubscribers{Topic: t}
				found[t] = last
			}
		}
		if role != "" {
			last.Roles = append(last.Roles, role)
		} else {
			last.Users = append(last.Users, seq)
		}
		return nil
	}, query, args...)
	for _, has := range found {
		slices.Sort(has.Users)
		slices.Sort(has.Roles)
	}
	return found, err
}
