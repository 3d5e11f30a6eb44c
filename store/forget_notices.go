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

// forgetNotices takes somebody out of all notices with an id above seen, which
// follows. Whom a notice concerns is in no index: all of them are read.
func (s *Store) forgetNotices(ctx context.Context, u *notifier.User, seen *int64) error {
	quoted, err := json.Marshal(u.Name) // as it stands in a target
	if err != nil {
		return err
	}
	for {
		ids, last, err := s.noticesOf(ctx, u, quoted, *seen)
		if err != nil || last == 0 {
			return err
		}
		for some := range slices.Chunk(ids, forgetWrites) {
			err := s.tx(ctx, func(tx *sql.Tx) error {
				for _, id := range some {
					if err := forgetNotice(ctx, tx, u, id); err != nil {
						return fmt.Errorf("notice %d: %w", id, err)
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		*seen = last
	}
}

// noticesOf returns which of the notices behind after know of somebody, and the last
// that it looked at; 0: there is none.
func (s *Store) noticesOf(ctx context.Context, u *notifier.User, quoted []byte, after int64) (ids []int64, last int64, err error) {
	var sender, target, who sql.RawBytes
	err = s.all(ctx, func(rows *sql.Rows) error {
		if err := rows.Scan(&last, &sender, &target, &who); err != nil {
			return err
		}
		his := string(sender) == u.Name || bytes.Contains(target, quoted)
		if !his && len(who) > 0 {
			to, err := decodeRecipients(last, who)
			if err != nil {
				return err
			}
			his = to.Contains(uint32(u.Seq)) //nolint:gosec // a user's number is below 2^32
		}
		if his {
			ids = append(ids, last)
		}
		return nil
	}, `SELECT id, sender, target, recipients FROM notices WHERE id > $1 ORDER BY id LIMIT $2`, after, forgetPage)
	return ids, last, err
}

// forgetNotice takes somebody out of one notice, or the notice away when it went to
// nobody else. It may be gone already.
func forgetNotice(ctx context.Context, tx *sql.Tx, u *notifier.User, id int64) error {
	n := notifier.Notice{ID: id}
	var target string
	var blob, reasons []byte
	// Locked and read in one: two who are deleted at once are taken out one after the other.
	err := tx.QueryRowContext(ctx, `UPDATE notices SET rev = rev WHERE id = $1 RETURNING sender, title, target, recipients, reasons`, id).
		Scan(&n.Sender, &n.Title, &target, &blob, &reasons)
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
	n.Reasons = storedReasons(reasons)
	rest, alone := forgetRecipient(&n, to, u)
	if alone {
		if _, err := tx.ExecContext(ctx, `DELETE FROM dead_letters WHERE notice_id = $1`, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM notices WHERE id = $1`, id) // its counts go with it
		return err
	}
	return updateForgotten(ctx, tx, &n, rest)
}

// forgetRecipient takes somebody out of those whom a notice goes to. rest is the
// others; nil: they are as they were. alone: it went, or is to go, to nobody else.
func forgetRecipient(n *notifier.Notice, to *roaring.Bitmap, u *notifier.User) (rest *roaring.Bitmap, alone bool) {
	if n.Sender == u.Name {
		n.Sender = ""
	}
	named := slices.Contains(n.Target.Users, u.Name)
	n.Target.Users = slices.DeleteFunc(n.Target.Users, func(name string) bool { return name == u.Name })
	onlyNamed := named && len(n.Target.Users) == 0
	if to != nil && to.CheckedRemove(uint32(u.Seq)) { //nolint:gosec // a user's number is below 2^32
		for _, why := range n.Reasons {
			if why.To != nil {
				why.To.Remove(uint32(u.Seq)) //nolint:gosec // as above
			}
		}
		return to, to.IsEmpty()
	}
	return nil, onlyNamed && (to == nil || to.IsEmpty())
}

// updateForgotten writes down what is left of a notice.
func updateForgotten(ctx context.Context, tx *sql.Tx, n *notifier.Notice, rest *roaring.Bitmap) error {
	target, err := json.Marshal(n.Target)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE notices SET sender = $1, search = $2, target = $3 WHERE id = $4`,
		n.Sender, searchable(n.Title, n.Sender), string(target), n.ID)
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
