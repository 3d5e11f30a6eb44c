package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Subscribe adds a subscription and registers its type. added is false if the subscription existed.
// revision is the resulting revision of the subscriptions: it rises if and only if this call changed
// them.
//
// It returns a *notifier.InvalidError for the faults found by Subscription.Validate, and with
// notifier.CodeUnknownUser on user or notifier.CodeUnknownRole on role.
func (s *Store) Subscribe(ctx context.Context, by notifier.Actor, sub notifier.Subscription) (revision int64, added bool, err error) {
	return s.SubscribeWithin(ctx, by, sub, 0)
}

// SubscribeWithin is Subscribe with a limit on the number of the user's own subscriptions: one more
// gives a *notifier.InvalidError with notifier.CodeTooManySubs on type. 0 means no limit.
func (s *Store) SubscribeWithin(ctx context.Context, by notifier.Actor, sub notifier.Subscription, most int) (revision int64, added bool, err error) {
	if err := sub.Validate(); err != nil {
		return 0, false, err
	}
	revision, added, err = s.resubscribe(ctx, func(tx *sql.Tx) (bool, error) {
		seq, role, err := subscriber(ctx, tx, sub.Subscriber)
		if err != nil {
			return false, err
		}
		n, err := change(ctx, tx, `INSERT INTO subscriptions (type, scope, seq, role_id, search, created_at)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
			sub.Type, sub.Scope, seq, role, searchableSubscription(sub), millis(s.now()))
		if n == 0 || err != nil {
			return false, err
		}
		if most > 0 && seq.Valid {
			if err := withinLimit(ctx, tx, seq.V, most); err != nil {
				return false, err
			}
		}
		if err := s.ensureType(ctx, tx, sub.Type); err != nil {
			return false, err
		}
		object, topic := sub.Audited()
		return true, s.record(ctx, tx, by, "subscription.add", object, topic)
	})
	return revision, added, s.fail(err, "subscribe to %s:%s", sub.Type, sub.Scope)
}

// Unsubscribe removes a subscription. removed is false if there was none, or if the subscriber is
// unknown. revision is as in Subscribe.
func (s *Store) Unsubscribe(ctx context.Context, by notifier.Actor, sub notifier.Subscription) (revision int64, removed bool, err error) {
	if err := sub.Validate(); err != nil {
		return 0, false, err
	}
	revision, removed, err = s.resubscribe(ctx, func(tx *sql.Tx) (bool, error) {
		seq, role, err := subscriber(ctx, tx, sub.Subscriber)
		var unknown *notifier.InvalidError
		switch {
		case errors.As(err, &unknown):
			return false, nil
		case err != nil:
			return false, err
		}
		column, who := "seq", seq.V
		if role.Valid {
			column, who = "role_id", role.V
		}
		n, err := change(ctx, tx, `DELETE FROM subscriptions WHERE type = $1 AND scope = $2 AND `+column+` = $3`,
			sub.Type, sub.Scope, who)
		if err != nil || n == 0 {
			return false, err
		}
		object, topic := sub.Audited()
		return true, s.record(ctx, tx, by, "subscription.remove", object, topic)
	})
	return revision, removed, s.fail(err, "unsubscribe from %s:%s", sub.Type, sub.Scope)
}

// SubscriptionRevision returns a number that rises with every change of a subscription, and only
// then.
func (s *Store) SubscriptionRevision(ctx context.Context) (revision int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT value FROM sequences WHERE name = 'subscription'`).Scan(&revision)
	return revision, s.fail(err, "read the revision of the subscriptions")
}

// resubscribe runs do in a transaction that increments the revision of the subscriptions, unless do
// reports no change. The increment comes first, because it locks the row: the later of two changes
// gets the higher revision.
func (s *Store) resubscribe(ctx context.Context, do func(*sql.Tx) (bool, error)) (revision int64, changed bool, err error) {
	err = s.whileThere(ctx, func(tx *sql.Tx) (err error) {
		if revision, err = lockSubscriptions(ctx, tx, 1); err != nil {
			return err
		}
		if changed, err = do(tx); err == nil && !changed {
			revision-- // the increment is rolled back
			return errUnchanged
		}
		return err
	})
	switch {
	case errors.Is(err, errUnchanged):
		return revision, false, nil
	case err != nil:
		return 0, false, err
	}
	return revision, changed, nil
}

// lockSubscriptions locks the subscriptions until the end of the transaction, increments their
// revision by by and returns it.
func lockSubscriptions(ctx context.Context, tx *sql.Tx, by int64) (revision int64, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE sequences SET value = value + $1 WHERE name = 'subscription' RETURNING value`, by).Scan(&revision)
	if err != nil {
		return 0, fmt.Errorf("lock the subscriptions: %w", err)
	}
	return revision, nil
}

// endSubscriptions removes the subscriptions of a user (column seq) or role (role_id) being deleted.
func endSubscriptions(ctx context.Context, tx *sql.Tx, column string, id int64) error {
	if _, err := lockSubscriptions(ctx, tx, 0); err != nil {
		return err
	}
	n, err := change(ctx, tx, `DELETE FROM subscriptions WHERE `+column+` = $1`, id)
	if n == 0 || err != nil {
		return err
	}
	_, err = lockSubscriptions(ctx, tx, 1)
	return err
}

// subscriber looks up a subscriber; one of seq and role is set.
func subscriber(ctx context.Context, tx *sql.Tx, who notifier.Subscriber) (seq, role sql.Null[int64], err error) {
	query, name, field, code := `SELECT seq FROM users WHERE name = $1`, who.User, "user", notifier.CodeUnknownUser
	found := &seq
	if who.Role != "" {
		query, name, field, code = `SELECT id FROM roles WHERE name = $1`, who.Role, "role", notifier.CodeUnknownRole
		found = &role
	}
	found.V, err = lookUp(ctx, tx, query, name)
	if errors.Is(err, sql.ErrNoRows) {
		var bad notifier.InvalidError
		bad.Add(field, code, map[string]any{"Name": name})
		return seq, role, &bad
	}
	found.Valid = err == nil
	return seq, role, err
}

// withinLimit returns an error if a user has more than most subscriptions.
func withinLimit(ctx context.Context, tx *sql.Tx, seq int64, most int) error {
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM subscriptions WHERE seq = $1`, seq).Scan(&n); err != nil || n <= most {
		return err
	}
	var bad notifier.InvalidError
	bad.Add("type", notifier.CodeTooManySubs, map[string]any{"Max": most})
	return &bad
}

// searchableSubscription returns the text that a search of subscriptions matches against.
func searchableSubscription(sub notifier.Subscription) string {
	return fold(sub.Type + "\n" + sub.Scope + "\n" + sub.User + sub.Role)
}
