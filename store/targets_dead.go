package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// Bounced records that mail to a user bounced. After a permanent fault the address is dead: it is retried
// after notifier.DeadRest. It returns notifier.ErrNotFound for a user without an address.
func (s *Store) Bounced(ctx context.Context, name string, permanent bool) error {
	state, due, now := "CASE state WHEN 'off' THEN 'off' WHEN 'dead' THEN 'dead' ELSE 'failing' END", "", s.now()
	args := []any{millis(now), "the mail came back", text(name)}
	if permanent {
		state = "CASE state WHEN 'off' THEN 'off' ELSE 'dead' END"
		due = ", due_at = CASE state WHEN 'off' THEN 0 ELSE CAST($4 AS BIGINT) END, upto = 0, urgent = FALSE, tries = 0, held_since = 0"
		args = append(args, millis(now.Add(notifier.DeadRest)))
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var seq int64
		var was, is notifier.ReachState
		// The update locks the row, so that of two calls only the first changes the state.
		err := tx.QueryRowContext(ctx, `UPDATE targets SET seq = seq WHERE kind = 'mail' AND seq = (SELECT seq FROM users WHERE name = $1) RETURNING seq, state`, text(name)).
			Scan(&seq, &was)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `UPDATE targets SET state = `+state+`, failing_since = CASE failing_since WHEN 0 THEN $1 ELSE failing_since END, error = $2`+due+`
			WHERE kind = 'mail' AND seq = (SELECT seq FROM users WHERE name = $3) RETURNING state`, args...).Scan(&is)
		if err != nil || is != notifier.ReachDead || was == is {
			return err
		}
		return s.emitUser(ctx, tx, notifier.EventMailDead, seq)
	})
	return s.fail(err, "record mail that came back")
}

// MailFaults returns which of these users have a dead or failing mail address.
func (s *Store) MailFaults(ctx context.Context, seqs []int64) (map[int64]notifier.ReachState, error) {
	found := map[int64]notifier.ReachState{}
	if len(seqs) == 0 {
		return found, nil
	}
	err := s.all(ctx, func(rows *sql.Rows) error {
		var seq int64
		var state notifier.ReachState
		err := rows.Scan(&seq, &state)
		found[seq] = state
		return err
	}, `SELECT seq, state FROM targets WHERE kind = 'mail' AND state IN ('dead', 'failing') AND `+s.dialect.within("seq", 1), s.dialect.numberList(seqs))
	return found, s.fail(err, "list the mail addresses of %d users", len(seqs))
}

// Revive retries dead and failing mail addresses immediately, with everything in the inbox that was not sent
// to them, and returns their number. It selects the address of a user, the addresses of a domain, or all.
func (s *Store) Revive(ctx context.Context, which notifier.Revival) (n int64, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		switch {
		case which.Own:
			n, err = s.revive(ctx, tx, `AND seq = $2 AND (state = 'dead' OR failing_since <= $3)`, which.Seq, millis(s.now().Add(-notifier.OwnRevivalWait)))
		case which.Seq != 0:
			n, err = s.revive(ctx, tx, `AND seq = $2`, which.Seq)
		case which.Domain != "":
			domain := "@" + strings.ToLower(text(which.Domain))
			n, err = s.revive(ctx, tx, `AND LOWER(SUBSTR(address, LENGTH(address) - LENGTH(CAST($2 AS TEXT)) + 1)) = $2`, domain)
		default:
			n, err = s.revive(ctx, tx, ``)
		}
		return err
	})
	return n, s.fail(err, "revive mail addresses")
}

// revive makes the dead and failing mail addresses that match a condition due; its arguments count from $2.
func (s *Store) revive(ctx context.Context, tx *sql.Tx, where string, args ...any) (int64, error) {
	return change(ctx, tx, `UPDATE targets SET state = 'on', due_at = $1, upto = 0, urgent = FALSE, tries = 0,
			refusals = 0, refused_at = 0, failing_since = 0, held_since = 0, error = ''
		WHERE kind = 'mail' AND state IN ('dead', 'failing') `+where, append([]any{millis(s.now())}, args...)...)
}
