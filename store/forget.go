package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// forgetPage is the number of rows scanned at a time.
	forgetPage = 2000
	// forgetWrites is the maximum number of notices changed by one transaction. Senders wait for it.
	forgetWrites = 100
	// inFlight is how far below the highest id a row may still be uncommitted.
	inFlight = 10_000
)

// Forget removes the remaining data of a user whose deletion has begun. With BeginDeletion it removes:
//
//   - the account with its roles, settings, muted types, subscriptions, sessions, drafts and inbox;
//   - notices whose only recipient is this user, with their counts and dead letters, but for tasks that others get or have as well;
//   - the user from the recipients of all other notices, and their name from the targets;
//   - the user as a sender of notices, and the idempotency keys of their requests;
//   - the user as the actor of notices: the actor is then notifier.Somebody;
//   - the reads of announcements by this user; the total numbers of reads stay;
//   - events of webhooks that name the user, but for user.deleted, which is kept for as long as other events;
//   - the name in the audit log, which shows "deleted" instead, and the addresses of the user's
//     requests.
//
// Notices that the user sent to others stay, without the name. Texts, subjects and links in which
// others mention the user also stay.
//
// acted is called with some of the notices whose actor was the user, after they were changed, to change their rows. It may be nil. Notices for
// which it returned an error are passed to it again when the call is repeated.
//
// The caller must erase the user's data in Redis before EndDeletion.
//
// Transactions are short enough not to delay senders noticeably, and memory use is bounded by a
// page, regardless of the amount of data. After an error or a restart, call it again: it continues.
// Concurrent calls are safe. progress may be nil; it is called with the id of the last processed notice
// and the highest id.
func (s *Store) Forget(ctx context.Context, d notifier.Deletion, acted func(ids []int64) error, progress func(at, last int64)) error {
	if acted == nil {
		acted = func([]int64) error { return nil }
	}
	if progress == nil {
		progress = func(int64, int64) {}
	}
	if err := s.forget(ctx, d, acted, progress); err != nil {
		return s.fail(err, "delete user %d", d.Seq)
	}
	return nil
}

// passes is the number of scans of the notices: one of all notices, and one of the last, which may have
// been uncommitted when the account was removed.
const passes = 2

func (s *Store) forget(ctx context.Context, d notifier.Deletion, acted func(ids []int64) error, progress func(at, last int64)) error {
	var pass int
	var seen, last int64
	err := s.read.QueryRowContext(ctx, `SELECT pass, notice FROM deletions WHERE seq = $1`, d.Seq).Scan(&pass, &seen)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // another call has finished the deletion
	}
	if err == nil {
		err = s.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0) FROM notices`).Scan(&last)
	}
	if err != nil {
		return err
	}
	u := &notifier.User{Seq: d.Seq, Name: d.Name, Audience: d.Audience}
	for ; pass < passes; pass++ {
		err := s.forgetNotices(ctx, u, &seen, acted, func() error {
			progress(seen, max(seen, last))
			_, err := s.exec(ctx, `UPDATE deletions SET pass = $1, notice = $2 WHERE seq = $3`, pass, seen, d.Seq)
			return err
		})
		if err != nil {
			return err
		}
		if err := s.forgetTraces(ctx, u); err != nil {
			return err
		}
		seen = max(0, seen-inFlight)
		if _, err := s.exec(ctx, `UPDATE deletions SET pass = $1, notice = $2 WHERE seq = $3`, pass+1, seen, d.Seq); err != nil {
			return err
		}
	}
	return nil
}

// forgetTraces removes the user's data outside of notices.
func (s *Store) forgetTraces(ctx context.Context, u *notifier.User) error {
	if err := s.forgetReads(ctx, u); err != nil {
		return err
	}
	if err := s.forgetAudit(ctx, u); err != nil {
		return err
	}
	if err := s.forgetTasks(ctx, u); err != nil {
		return err
	}
	if err := s.forgetEvents(ctx, u); err != nil {
		return err
	}
	_, err := s.exec(ctx, `DELETE FROM idempotency_keys WHERE owner_kind = 'user' AND owner_id = $1`, refID(notifier.UserRef(*u)))
	return err
}

// forgetAudit anonymizes the user's audit entries in batches. The entry about the deletion itself
// keeps the user's number.
func (s *Store) forgetAudit(ctx context.Context, u *notifier.User) error {
	for _, statement := range []string{
		`UPDATE audit_log SET actor_id = $2, address = '' WHERE actor_kind = 'user' AND actor_id = $1
			AND id IN (SELECT id FROM audit_log WHERE actor_kind = 'user' AND actor_id = $1 LIMIT $3)`,
		`UPDATE audit_log SET object_id = $2 WHERE object_kind = 'user' AND object_id = $1 AND id IN
			(SELECT id FROM audit_log WHERE object_kind = 'user' AND object_id = $1 AND action <> 'user.delete' LIMIT $3)`,
	} {
		for changed := int64(forgetPage); changed == forgetPage; {
			var err error
			changed, err = s.exec(ctx, statement, refID(notifier.UserRef(*u)), refID(notifier.DeletedUser()), forgetPage)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// bitPlace is the position of a user's bit in the bitmaps of reads.
type bitPlace struct {
	segment int64
	at      int  // byte of the segment
	mask    byte // as in Redis, the first bit of a byte is the highest
}

func bitOf(seq int64) bitPlace {
	const segmentBits = 8 * notifier.SegmentBytes
	bit := seq % segmentBits
	return bitPlace{seq / segmentBits, int(bit / 8), byte(0x80) >> (bit % 8)}
}

// in reports whether the bit is set in the segment. Bits beyond its end are zero.
func (p bitPlace) in(bits []byte) bool { return p.at < len(bits) && bits[p.at]&p.mask != 0 }

// forgetReads clears a user's bit in the announcements that they have read.
func (s *Store) forgetReads(ctx context.Context, u *notifier.User) error {
	where := bitOf(u.Seq)
	var read []int64
	err := s.all(ctx, func(rows *sql.Rows) error {
		var id int64
		var bits sql.RawBytes
		err := rows.Scan(&id, &bits)
		if err == nil && where.in(bits) {
			read = append(read, id)
		}
		return err
	}, `SELECT announcement_id, bits FROM announcement_reads WHERE audience = $1 AND segment = $2`, int64(u.Audience), where.segment)
	if err != nil {
		return err
	}
	for _, id := range read {
		err := s.tx(ctx, func(tx *sql.Tx) error {
			return clearBit(ctx, tx, notifier.PartKey{ID: id, Audience: u.Audience}, where)
		})
		if err != nil && !errors.Is(err, sql.ErrNoRows) { // the announcement may have been deleted
			return err
		}
	}
	return nil
}

// clearBit does not change the version, so that a later write-behind still counts as newer.
func clearBit(ctx context.Context, tx *sql.Tx, k notifier.PartKey, where bitPlace) error {
	// Lock and read in one statement, so that no concurrent write-behind is lost.
	var bits []byte
	err := tx.QueryRowContext(ctx, `UPDATE announcement_reads SET ver = ver
		WHERE announcement_id = $1 AND audience = $2 AND segment = $3 RETURNING bits`, k.ID, int64(k.Audience), where.segment).Scan(&bits)
	if err != nil || !where.in(bits) {
		return err
	}
	bits[where.at] &^= where.mask
	_, err = tx.ExecContext(ctx, `UPDATE announcement_reads SET bits = $1 WHERE announcement_id = $2 AND audience = $3 AND segment = $4`,
		bits, k.ID, int64(k.Audience), where.segment)
	return err
}

// removeUser deletes an account and records that its number was deleted.
func (s *Store) removeUser(ctx context.Context, tx *sql.Tx, seq int64) error {
	if err := endSubscriptions(ctx, tx, "seq", seq); err != nil {
		return err
	}
	if _, err := s.endSessions(ctx, tx, `seq = $1`, seq); err != nil {
		return err
	}
	if err := handOverTemplates(ctx, tx, seq); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM users WHERE seq = $1`, seq) // roles, mutes, drafts and the inbox are deleted with it
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO deleted_users (seq, deleted_at) VALUES ($1, $2)
		ON CONFLICT (seq) DO UPDATE SET deleted_at = excluded.deleted_at`, seq, millis(s.now()))
	return err
}

// DeletedSince returns, in order, the numbers above after of users deleted at or after since: a Redis
// restored to an earlier state still has their inboxes. Numbers that are in use again are
// omitted.
func (s *Store) DeletedSince(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error) {
	var seqs []int64
	err := s.all(ctx, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	}, `SELECT seq FROM deleted_users WHERE seq > $1 AND deleted_at >= $2
		AND NOT EXISTS (SELECT 1 FROM users WHERE users.seq = deleted_users.seq) ORDER BY seq LIMIT $3`,
		after, millis(since), pageSize(limit))
	return seqs, s.fail(err, "list the users deleted since %s", since.Format(time.RFC3339))
}
