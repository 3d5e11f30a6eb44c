package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// AnnounceOnce stores an announcement with the idempotency key of its request and sets its
// ID. When it returns nil, the announcement is on disk in full, in state sent. It sets
// CreatedAt to now if that is empty and ExpiresAt to the end of its window, and truncates
// its times to the stored millisecond.
//
// If a request with the same owner, key and digest was accepted before, by any instance,
// even at the same moment, replayed is true, nothing is stored, and ID is the ID of the
// earlier announcement. If the digest differs, it returns notifier.ErrOtherRequest.
//
// It returns a *notifier.InvalidError with notifier.CodeTooManyOpen on starts_at for each
// audience that would have more than notifier.MaxOpen announcements open at some instant.
func (s *Store) AnnounceOnce(ctx context.Context, of notifier.Deed, n *notifier.Notice, once *notifier.Once) (replayed bool, err error) {
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
		// Claim the idempotency key before checking the limit: on a retry the last free slot may belong to this very
		// request.
		if id, err = s.claimOnce(ctx, tx, once); err != nil {
			return err
		}
		if replayed = id > 0; replayed {
			return errUnchanged
		}
		if id, err = s.addAnnouncement(ctx, tx, n, target); err == nil {
			err = s.record(ctx, tx, of.By, of.Action, notifier.NoticeRef(id), of.Detail)
		}
		if err == nil {
			err = s.turnAnnouncements(ctx, tx, `notice_id = $2`, id)
		}
		if err != nil || once == nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE idempotency_keys SET notice_id = $1 WHERE owner_kind = $2 AND owner_id = $3 AND key = $4`,
			id, string(once.Owner.Kind), refID(once.Owner), once.Key)
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
	extras, err := encodeExtras(&n.Extras)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO notices
		(state, rev, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id, search, send_at, app_id, extras)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING id`,
		string(n.State), n.Revision, millis(n.CreatedAt), millis(n.ExpiresAt), target, n.Type, n.Scope, n.Subject,
		n.Title, n.Body, n.Link, n.Toast, string(n.Sender.Kind), refID(n.Sender), searchable(n.Title, n.Sender), millis(n.SendAt), n.App.ID, extras).Scan(&id)
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

// announced normalizes an announcement to its stored form and returns its target as JSON.
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

// errUnchanged ends revise without a change.
var errUnchanged = errors.New("nothing has changed")

// revise runs do in a transaction that increments the revision of the announcements. The
// increment comes first, because it locks the row: two concurrent announcements must not count
// the same free slots.
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

// lockAnnouncements locks the announcements until the end of the transaction, and increments
// their revision by by.
func lockAnnouncements(ctx context.Context, tx *sql.Tx, by int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE sequences SET value = value + $1 WHERE name = 'announcement'`, by)
	if err != nil {
		return fmt.Errorf("lock the announcements: %w", err)
	}
	return nil
}

// addParts adds these audiences to the announcement. An existing part is revived and keeps
// its settled values.
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

// claimOnce claims the idempotency key of a request for the notice that this transaction is
// about to store; the notice has no id yet. It waits for another transaction that holds the
// same key. It returns the notice of the earlier request if there was one, or 0 if there was
// none or the request has no key.
func (s *Store) claimOnce(ctx context.Context, tx *sql.Tx, once *notifier.Once) (id int64, err error) {
	if once == nil {
		return 0, nil
	}
	digest := append([]byte{}, once.Digest...) // never NULL
	claimed, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (owner_kind, owner_id, key, digest, notice_id, created_at)
		VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT DO NOTHING`, string(once.Owner.Kind), refID(once.Owner), once.Key, digest, millis(s.now()))
	if err != nil {
		return 0, err
	}
	if n, err := claimed.RowsAffected(); n > 0 || err != nil {
		return 0, err
	}
	var known []byte
	err = tx.QueryRowContext(ctx, `SELECT notice_id, digest FROM idempotency_keys WHERE owner_kind = $1 AND owner_id = $2 AND key = $3`,
		string(once.Owner.Kind), refID(once.Owner), once.Key).Scan(&id, &known)
	switch {
	case errors.Is(err, sql.ErrNoRows): // deleted between the two statements
		return 0, fmt.Errorf("%w: the idempotency key vanished while it was being read", notifier.ErrUnavailable)
	case err == nil && !bytes.Equal(known, digest):
		return 0, notifier.ErrOtherRequest
	}
	return id, err
}
