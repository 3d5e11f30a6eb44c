package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// forgetNotices removes a user from all notices with an id above seen. It calls step after each
// page, with seen updated, and acted as Forget does. There is no index from users to their notices, so it reads all of
// them.
func (s *Store) forgetNotices(ctx context.Context, u *notifier.User, seen *int64, acted func(ids []int64) error, step func() error) error {
	quoted, err := json.Marshal(u.Name) // as it appears in a target
	if err != nil {
		return err
	}
	for {
		ids, acts, last, err := s.noticesOf(ctx, u, quoted, *seen)
		if err != nil || last == 0 {
			return err
		}
		for some := range slices.Chunk(ids, forgetWrites) {
			err := s.tx(ctx, func(tx *sql.Tx) error {
				for _, id := range some {
					if err := s.forgetNotice(ctx, tx, u, id); err != nil {
						return fmt.Errorf("notice %d: %w", id, err)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		for some := range slices.Chunk(acts, forgetWrites) {
			if err := acted(some); err != nil {
				return err
			}
		}
		*seen = last
		if err := step(); err != nil {
			return err
		}
	}
}

// noticesOf returns the ids of notices after the given id that refer to the user, the ids of those whose actor the user
// is or was, and the last examined id, or 0 if there are no more notices.
func (s *Store) noticesOf(ctx context.Context, u *notifier.User, quoted []byte, after int64) (ids, acts []int64, last int64, err error) {
	var target, who, extras sql.RawBytes
	var sender notifier.Ref
	err = s.all(ctx, func(rows *sql.Rows) error {
		if err := rows.Scan(&last, &sender.Kind, &sender.ID, &target, &who, &extras); err != nil {
			return err
		}
		var x notifier.Extras
		if err := decodeExtras(string(extras), &x); err != nil {
			return fmt.Errorf("notice %d: %w", last, err)
		}
		actor, acted := x.Forget(u.Name)
		if actor {
			acts = append(acts, last)
		}
		his := acted || sender.Is(notifier.UserRef(*u)) || bytes.Contains(target, quoted)
		if !his && len(who) > 0 {
			to, err := decodeRecipients(last, who)
			if err != nil {
				return err
			}
			his = to.Contains(member(u.Seq))
		}
		if his {
			ids = append(ids, last)
		}
		return nil
	}, `SELECT id, sender_kind, sender_id, target, recipients, extras FROM notices WHERE id > $1 ORDER BY id LIMIT $2`, after, forgetPage)
	return ids, acts, last, err
}

// forgetNotice removes a user from one notice, or deletes the notice if it had no other recipient. It
// does nothing if the notice no longer exists.
func (s *Store) forgetNotice(ctx context.Context, tx *sql.Tx, u *notifier.User, id int64) error {
	n := notifier.Notice{ID: id}
	var target, extras string
	var blob, reasons []byte
	// Lock and read in one statement, so that concurrent deletions of two users are serialized.
	err := tx.QueryRowContext(ctx, `UPDATE notices SET rev = rev WHERE id = $1 RETURNING title, target, recipients, reasons, extras, `+senderColumns, id).
		Scan(append([]any{&n.Title, &target, &blob, &reasons, &extras}, refFields(&n.Sender)...)...)
	if err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	}
	if err := json.Unmarshal([]byte(target), &n.Target); err != nil {
		return fmt.Errorf("read its target: %w", err)
	}
	var to *roaring.Bitmap
	if blob != nil {
		if to, err = decodeRecipients(id, blob); err != nil {
			return err
		}
	}
	if err := decodeExtras(extras, &n.Extras); err != nil {
		return err
	}
	n.Reasons = storedReasons(reasons)
	rest, alone := forgetRecipient(&n, to, u)
	if alone {
		if _, err := tx.ExecContext(ctx, `DELETE FROM dead_letters WHERE notice_id = $1`, id); err != nil {
			return err
		}
		// Its counts are deleted with it. A task that was passed on has other recipients, and one that is to be passed on gets them.
		deleted, err := change(ctx, tx, `DELETE FROM notices WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.notice_id = $1
			AND (t.passed > 0 OR t.passes_to <> '' AND t.state <> 'done' AND notices.state NOT IN ('retracting', 'retracted')))`, id)
		if err != nil || deleted > 0 {
			return err
		}
	}
	if _, acted := n.Extras.Forget(u.Name); acted {
		if err := s.forgetActor(ctx, tx, &n); err != nil {
			return err
		}
	}
	err = updateForgotten(ctx, tx, &n, rest)
	if err == nil && n.Extras.Ask != nil {
		err = s.forgetAnswer(ctx, tx, u, id)
	}
	return err
}

// forgetActor stores the extras of a notice without its actor, as an edit: editors who saw the actor are refused, and
// a delivery under way begins again. See EditNotice.
func (s *Store) forgetActor(ctx context.Context, tx *sql.Tx, n *notifier.Notice) error {
	extras, err := encodeExtras(&n.Extras)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE notices SET extras = $1, rev = rev + 1, changed_at = $2 WHERE id = $3`, extras, millis(s.now()), n.ID)
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE notices SET state = CASE WHEN rev = 1 THEN 'accepted' ELSE state END, done = 0, owner = 0, due_at = 0, tries = 0
			WHERE id = $1 AND state IN ('accepted', 'sending')`, n.ID)
	}
	return err
}

// forgetRecipient removes a user from the sender and the recipients of a notice. rest is the set of
// the other recipients, or nil if the set did not change. alone reports that the user is the only
// recipient.
func forgetRecipient(n *notifier.Notice, to *roaring.Bitmap, u *notifier.User) (rest *roaring.Bitmap, alone bool) {
	if n.Sender.Is(notifier.UserRef(*u)) {
		n.Sender = notifier.DeletedUser()
	}
	named := slices.Contains(n.Target.Users, u.Name)
	n.Target.Users = slices.DeleteFunc(n.Target.Users, func(name string) bool { return name == u.Name })
	onlyNamed := named && len(n.Target.Users) == 0
	if to != nil && to.CheckedRemove(member(u.Seq)) {
		for _, why := range n.Reasons {
			if why.To != nil {
				why.To.Remove(uint32(u.Seq)) //nolint:gosec // as above
			}
		}
		return to, to.IsEmpty()
	}
	return nil, onlyNamed && (to == nil || to.IsEmpty())
}

// updateForgotten stores the rest of a notice.
func updateForgotten(ctx context.Context, tx *sql.Tx, n *notifier.Notice, rest *roaring.Bitmap) error {
	target, err := json.Marshal(n.Target)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE notices SET sender_kind = $1, sender_id = $2, search = $3, target = $4 WHERE id = $5`,
		string(n.Sender.Kind), refID(n.Sender), searchable(n.Title, n.Sender), string(target), n.ID)
	if err != nil || rest == nil {
		return err
	}
	blob, err := encodeRecipients(rest)
	if err != nil {
		return err
	}
	reasons, err := encodeReasons(n.Reasons)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE notices SET recipients = $1, recipient_count = $2, reasons = $3 WHERE id = $4`,
		blob, int64(rest.GetCardinality()), reasons, n.ID) //nolint:gosec // at most 2^32
	return err
}
