package store

import (
	"context"
	"fmt"
)

// addNotices inserts all rows with one statement over arrays, which commits by
// itself: one round trip.
func (postgresDialect) addNotices(ctx context.Context, s *Store, rows []noticeRow) ([]int64, error) {
	var c noticeArrays
	for i := range rows {
		c.add(&rows[i])
	}
	stored, err := s.write.QueryContext(ctx, `INSERT INTO notices
		(state, rev, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender, search)
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[],
			$8::text[], $9::text[], $10::text[], $11::text[], $12::boolean[], $13::text[], $14::text[]) RETURNING id`,
		c.states, c.revs, c.created, c.expires, c.targets, c.types, c.scopes,
		c.subjects, c.titles, c.bodies, c.links, c.toasts, c.senders, c.searches)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stored.Close() }()
	ids := make([]int64, 0, len(rows))
	for stored.Next() {
		var id int64
		if err := stored.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if err := stored.Err(); err != nil {
		return nil, err
	}
	if len(ids) != len(rows) {
		return nil, fmt.Errorf("%d notices were stored instead of %d", len(ids), len(rows))
	}
	return ids, nil
}

// noticeArrays is rows by column.
type noticeArrays struct {
	states, targets, types, scopes, subjects, titles, bodies, links, senders, searches []string
	revs, created, expires                                                             []int64
	toasts                                                                             []bool
}

func (c *noticeArrays) add(n *noticeRow) {
	c.states, c.revs = append(c.states, string(n.State)), append(c.revs, n.Revision)
	c.created, c.expires = append(c.created, millis(n.CreatedAt)), append(c.expires, millis(n.ExpiresAt))
	c.targets, c.types, c.scopes = append(c.targets, n.target), append(c.types, n.Type), append(c.scopes, n.Scope)
	c.subjects, c.titles, c.bodies = append(c.subjects, n.Subject), append(c.titles, n.Title), append(c.bodies, n.Body)
	c.links, c.toasts, c.senders = append(c.links, n.Link), append(c.toasts, n.Toast), append(c.senders, n.Sender)
	c.searches = append(c.searches, n.search)
}
