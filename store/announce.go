package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// Announce is AnnounceOnce of an announcement that is one of its own each time.
func (s *Store) Announce(ctx context.Context, n *notifier.Notice) error {
	_, err := s.AnnounceOnce(ctx, n, nil)
	return err
}

// AnnounceOnce stores an announcement with the key of its request and sets its ID.
// Once it returns nil all of it is on disk, as sent. It sets CreatedAt to now where
// that is empty, ExpiresAt to the end of its window, and cuts its times to the
// millisecond that is stored.
//
// It is replayed, and nothing is stored, when a request of the same owner, key and
// digest was accepted before, here or by anybody else, also at the same moment: ID
// is then that one's. With another digest it is notifier.ErrOtherRequest.
//
// It answers a *notifier.InvalidError with notifier.CodeTooManyOpen on starts_at
// for each audience that would have more than notifier.MaxOpen at some instant.
func (s *Store) AnnounceOnce(ctx context.Context, n *notifier.Notice, once *notifier.Once) (replayed bool, err error) {
	if n.CreatedAt.IsZero() {
		n.CreatedAt = s.now()
	}
	n.CreatedAt = fromMillis(millis(n.CreatedAt))
	n.State, n.Recipients, n.Revision = notifier.StateSent, 0, 0
	target, err := announced(n)
	if err != nil {
		return false, s.fail(err, "announce")
	}
	var id int64
	err = s.revise(ctx, func(tx *sql.Tx) error {
		// The first of all questions: the place that would be one too many may be
		// the one that this very request has taken.
		if id, err = s.claimOnce(ctx, tx, once); err != nil {
			return err
		}
		if replayed = id > 0; replayed {
			return errUnchanged
		}
		if id, err = s.addAnnouncement(ctx, tx, n, target); err != nil || once == nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE idempotency_keys SET notice_id = $1 WHERE owner = $2 AND key = $3`, id, once.Owner, once.Key)
		return err
	})
	if err != nil {
		return false, s.fail(err, "announce")
	}
	n.ID = id
	return replayed, nil
}

func (s *Store) addAnnouncement(ctx context.Context, tx *sql.Tx, n *notifier.Notice, target string) (id int64, err error) {
	if err := s.checkOpen(ctx, tx, n, 0); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO notices
		(state, rev, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender, search)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id`,
		string(n.State), n.Revision, millis(n.CreatedAt), millis(n.ExpiresAt), target, n.Type, n.Scope, n.Subject,
		n.Title, n.Body, n.Link, n.Toast, n.Sender, searchable(n.Title, n.Sender)).Scan(&id)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO announcements (notice_id, starts_at, ends_at, pinned, late_joiners)
		VALUES ($1, $2, $3, $4, $5)`, id, millis(n.StartsAt), millis(n.EndsAt), n.Pinned, n.LateJoiners)
	if err != nil {
		return 0, err
	}
	return id, s.addParts(ctx, tx, id, n.Target.Audiences)
}

// announced gives an announcement the form in which it is stored, and its target
// as JSON.
func announced(n *notifier.Notice) (target string, err error) {
	if !n.Announces() {
		var bad notifier.InvalidError
		bad.Add("target", notifier.CodeRequired, nil)
		return "", &bad
	}
	audiences := slices.Clone(n.Target.Audiences)
	slices.Sort(audiences)
	n.Target.Audiences = slices.Compact(audiences)
	n.StartsAt, n.EndsAt = fromMillis(millis(n.StartsAt)), fromMillis(millis(n.EndsAt))
	n.ExpiresAt = n.EndsAt
	text, err := json.Marshal(n.Target)
	if err != nil {
		return "", fmt.Errorf("encode the target: %w", err)
	}
	return string(text), nil
}

// errUnchanged ends a revise that has found nothing to do.
var errUnchanged = errors.New("nothing has changed")

// revise runs do in a transaction that raises the revision of the announcements.
// That comes first: the row is the lock, so that two who announce at once do not
// count the same.
func (s *Store) revise(ctx context.Context, do func(*sql.Tx) error) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		if err := lockAnnouncements(ctx, tx, 1); err != nil {
			return err
		}
		return do(tx)
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// lockAnnouncements keeps others from changing announcements until the end of
// the transaction, and raises their revision by so much.
func lockAnnouncements(ctx context.Context, tx *sql.Tx, by int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE sequences SET value = value + $1 WHERE name = 'announcement'`, by)
	if err != nil {
		return fmt.Errorf("lock the announcements: %w", err)
	}
	return nil
}

// addParts makes the announcement one for these audiences. A part that is there
// lives again, with what it knew.
func (s *Store) addParts(ctx context.Context, tx *sql.Tx, id int64, audiences []notifier.Audience) error {
	for _, audience := range audiences {
		_, err := tx.ExecContext(ctx, `INSERT INTO announcement_audiences (announcement_id, audience) VALUES ($1, $2)
			ON CONFLICT (announcement_id, audience) DO UPDATE SET withdrawn = FALSE, finished = FALSE, reads = 0`,
			id, int64(audience))
		if err != nil {
			return fmt.Errorf("add audience %d: %w", audience, err)
		}
	}
	return nil
}
