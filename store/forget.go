package store

import (
	"context"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// forgotten stands in the audit log where the name of a deleted user stood.
const forgotten = "deleted"

const (
	// forgetPage is how many rows are looked through at a time.
	forgetPage = 2000
	// forgetWrites is how many notices one transaction changes: senders wait for it.
	forgetWrites = 100
	// inFlight is how far behind the last id a row may yet be committed.
	inFlight = 10_000
)

// DeleteUser removes what is known of a person, and answers who that was. An unknown
// name is notifier.ErrNotFound.
//
//   - His account with roles, settings, muted types, subscriptions, sessions
//     and inbox.
//   - Notices that went to nobody else, or were to, with their counts and dead letters.
//   - His place among the recipients of all others, and his name among those they name.
//   - His name as a sender of notices, and the keys of the requests he made.
//   - That he has read announcements. The numbers of who has read them stay.
//   - His name in the audit log, which says "deleted" instead, and the addresses that
//     he came from.
//
// That there was a user of his number stays: see DeletedSince.
// What he has sent to others stays, without his name. So does what somebody wrote
// about him in the words of a notice, its subject or its link.
//
// First he can sign in no more; his account goes last. In between no transaction is
// so long that senders notice it, however much there is. After an error call it
// again: it goes on with what is left.
//
// Redis is the caller's: what it knows of him is to be erased afterwards, and his
// sessions there before.
func (s *Store) DeleteUser(ctx context.Context, name string) (notifier.User, error) {
	u, err := s.UserByName(ctx, name)
	if err != nil {
		return notifier.User{}, err
	}
	err = s.deleteUser(ctx, &u)
	if err != nil {
		return notifier.User{}, s.fail(err, "delete user %d", u.Seq)
	}
	return u, nil
}

func (s *Store) deleteUser(ctx context.Context, u *notifier.User) error {
	if err := s.SetPassword(ctx, u.Name, ""); err != nil { // ends his sessions too
		return err
	}
	var seen traces
	if err := s.forgetTraces(ctx, u, &seen); err != nil {
		return err
	}
	if err := s.forgetReads(ctx, u); err != nil {
		return err
	}
	if err := s.removeUser(ctx, u.Seq); err != nil {
		return err
	}
	// What was under way when his last traces went may be committed since.
	seen.notice, seen.audit = seen.notice-inFlight, seen.audit-inFlight
	return s.forgetTraces(ctx, u, &seen)
}

// traces says up to which rows somebody's traces were looked for.
type traces struct{ notice, audit int64 }

// forgetTraces goes on from seen until the last row.
func (s *Store) forgetTraces(ctx context.Context, u *notifier.User, seen *traces) error {
	if err := s.forgetNotices(ctx, u, &seen.notice); err != nil {
		return err
	}
	if err := s.forgetAudit(ctx, u, &seen.audit); err != nil {
		return err
	}
	form := "form:" + strconv.FormatInt(u.Seq, 10) // whose keys the send form makes
	_, err := s.exec(ctx, `DELETE FROM idempotency_keys WHERE owner IN ($1, $2)`, u.Name, form)
	return err
}

// forgetAudit goes through the log a piece at a time: it has no index by name.
func (s *Store) forgetAudit(ctx context.Context, u *notifier.User, seen *int64) error {
	var last int64
	if err := s.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0) FROM audit_log`).Scan(&last); err != nil {
		return err
	}
	for ; *seen < last; *seen = min(last, *seen+forgetPage) {
		_, err := s.exec(ctx, `UPDATE audit_log SET
				actor = CASE WHEN actor = $1 THEN $2 ELSE actor END, address = CASE WHEN actor = $1 THEN '' ELSE address END,
				object = CASE WHEN object = $1 THEN $2 ELSE object END
			WHERE id > $3 AND id <= $4 AND (actor = $1 OR object = $1)`, u.Name, forgotten, *seen, *seen+forgetPage)
		if err != nil {
			return err
		}
	}
	return nil
}
