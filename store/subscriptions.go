package store

import (
	"context"
	"database/sql"

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
	f.holding("search", q.Contains)
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
