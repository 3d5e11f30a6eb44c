package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// mailDefault is the time, in ms, since which users without a setting get mail; 0: from the beginning.
type mailDefault struct{ since int64 }

// SetDefaults applies Config.Mail to users without a setting; a server calls it when it starts. If they
// got no mail before, they get none about older notices; if they got it at other times, pending
// notices are scheduled again.
func (s *Store) SetDefaults(ctx context.Context) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var value string
		err := tx.QueryRowContext(ctx, `SELECT value, since FROM reach_defaults WHERE kind = 'mail'`).Scan(&value, &s.defaults.since)
		if errors.Is(err, sql.ErrNoRows) {
			_, err = tx.ExecContext(ctx, `INSERT INTO reach_defaults (kind, value, since) VALUES ('mail', $1, 0)`, s.mail.String())
			return err
		}
		if err != nil || value == s.mail.String() {
			return err
		}
		if value == (notifier.When{Off: true}).String() {
			s.defaults.since = millis(s.now())
		}
		_, err = tx.ExecContext(ctx, `UPDATE reach_defaults SET value = $1, since = $2 WHERE kind = 'mail'`, s.mail.String(), s.defaults.since)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE targets SET due_at = $1 WHERE kind = 'mail' AND due_at > $1 AND upto = 0 AND state IN ('on', 'failing')
			AND seq IN (SELECT seq FROM users WHERE mail_when = '')`, millis(s.now()))
		return err
	})
	return s.fail(err, "bring the defaults of users into force")
}

// follow schedules a target of a user without a setting at the default time. mailAt is the minute of the user's
// daily mails.
func (s *Store) follow(d *notifier.ReachDue, mailAt int) {
	d.Off, d.Wait, d.Daily = s.mail.Off, s.mail.Wait, -1
	if s.mail.Daily {
		d.Daily = mailAt
	}
	d.Since = s.defaults.since
}

// untold returns the time up to which a user without a setting gets nothing, because they got no mail then.
func (s *Store) untold(had *notifier.Preferences) int64 {
	switch {
	case had.MailChosen:
		return 0
	case s.mail.Off:
		return millis(s.now())
	}
	return s.defaults.since
}

// notChosen is true for a mail address whose user has not set when they get mail.
const notChosen = `(targets.kind = 'mail' AND (SELECT mail_when FROM users WHERE users.seq = targets.seq) = '')`

// marking returns the clauses of the UPDATE that makes targets due, from x with a user and the newest entries. The
// address of a user without a setting is due at the default time, even if an earlier default switched it off.
func (s *Store) marking() (set, where string) {
	if s.mail.Off {
		return markSet("wait"), markWhere(`state <> 'off' AND NOT ` + notChosen)
	}
	wait := `CASE WHEN ` + notChosen + ` THEN ` + formatInt(s.mail.Wait/time.Millisecond) + ` ELSE wait END`
	return markSet(wait) + `, state = CASE state WHEN 'off' THEN 'on' ELSE state END`,
		markWhere(`(state <> 'off' OR ` + notChosen + `)`)
}
