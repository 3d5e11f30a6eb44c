package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

const preferencesQuery = `SELECT mail_when, mail_at, push_when, quiet_from, quiet_to, zone, paused_until FROM users WHERE seq = $1`

// scanPreferences reads a row of preferencesQuery; mail is when users get mail who have not chosen.
func scanPreferences(row *sql.Row, mail notifier.When) (p notifier.Preferences, err error) {
	var mailWhen, pushWhen string
	var from, to sql.Null[int64]
	var paused int64
	if err := row.Scan(&mailWhen, &p.MailAt, &pushWhen, &from, &to, &p.Zone, &paused); err != nil {
		return p, err
	}
	p.Mail = mail
	if when, ok := notifier.ParseWhen(mailWhen); ok {
		p.Mail = when
	}
	if when, ok := notifier.ParseWhen(pushWhen); ok {
		p.Push = when
	}
	p.Quiet, p.PausedUntil = quietOf(from, to), fromMillis(paused)
	return p, nil
}

// Preferences returns the preferences of a user, with the types for which they have chosen.
func (s *Store) Preferences(ctx context.Context, seq int64) (p notifier.Preferences, err error) {
	if p, err = scanPreferences(s.read.QueryRowContext(ctx, preferencesQuery, seq), s.mail); err != nil {
		return p, s.fail(err, "read the preferences of user %d", seq)
	}
	p.Types = map[string]notifier.TypeWants{}
	err = s.all(ctx, func(rows *sql.Rows) error {
		var typ, kind string
		var wanted bool
		err := rows.Scan(&typ, &kind, &wanted)
		w := p.Types[typ]
		switch notifier.ReachKind(kind) {
		case notifier.ReachMail:
			w.Mail = &wanted
		case notifier.ReachPush:
			w.Push = &wanted
		default:
			w.Inbox = &wanted
		}
		p.Types[typ] = w
		return err
	}, `SELECT type, kind, wanted FROM type_wants WHERE seq = $1 UNION ALL SELECT type, 'inbox', FALSE FROM mutes WHERE seq = $1`, seq)
	return p, s.fail(err, "read the wanted types of user %d", seq)
}

// PutPreferences replaces the preferences of a user that p sets, all or none, and looks at what their
// targets hold back again at once. Mail that is switched on again tells nothing older. p must be valid. It
// returns notifier.ErrNotFound for an unknown seq.
func (s *Store) PutPreferences(ctx context.Context, seq int64, p notifier.PutPreferences) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var known int64
		if err := tx.QueryRowContext(ctx, `UPDATE users SET seq = seq WHERE seq = $1 RETURNING seq`, seq).Scan(&known); err != nil { // locks the row
			return err
		}
		var err error
		set := func(columns string, args ...any) {
			if err == nil {
				_, err = tx.ExecContext(ctx, `UPDATE users SET `+columns+` WHERE seq = $1`, slices.Concat([]any{seq}, args)...) //nolint:gosec // columns is a constant below
			}
		}
		if p.SetQuiet && p.Quiet == nil {
			set(`quiet_from = NULL, quiet_to = NULL`)
		} else if p.SetQuiet {
			set(`quiet_from = $2, quiet_to = $3`, p.Quiet.From, p.Quiet.To)
		}
		if p.Zone != nil {
			set(`zone = $2`, *p.Zone)
		}
		if p.PausedUntil != nil {
			set(`paused_until = $2`, millis(*p.PausedUntil))
		}
		if p.Mail != nil {
			set(`mail_when = $2, mail_at = $3`, p.Mail.String(), p.MailAt)
		}
		if p.Push != nil {
			set(`push_when = $2`, p.Push.String())
		}
		if err == nil && p.Mail != nil {
			err = s.retime(ctx, tx, seq, notifier.ReachMail, *p.Mail, p.MailAt)
		}
		if err == nil && p.Push != nil {
			err = s.retime(ctx, tx, seq, notifier.ReachPush, *p.Push, 0)
		}
		if err == nil && p.Types != nil {
			err = putWants(ctx, tx, seq, p.Types)
		}
		if err != nil {
			return err
		}
		return lookAgain(ctx, tx, seq, s.now())
	})
	return s.fail(err, "change the preferences of user %d", seq)
}

// retime gives the targets of a kind another time to wait. Those that are switched on tell nothing older.
func (s *Store) retime(ctx context.Context, tx *sql.Tx, seq int64, kind notifier.ReachKind, when notifier.When, minute int) error {
	if when.Off {
		_, err := tx.ExecContext(ctx, `UPDATE targets SET state = 'off', due_at = 0, upto = 0, urgent = FALSE, tries = 0, held_since = 0
			WHERE seq = $1 AND kind = $2`, seq, string(kind))
		return err
	}
	told, err := ahead(ctx, tx, seq, millis(s.now()))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE targets SET wait = $1, daily = $2,
			told = CASE state WHEN 'off' THEN $3 ELSE told END, state = CASE state WHEN 'off' THEN 'on' ELSE state END
		WHERE seq = $4 AND kind = $5`, when.Wait.Milliseconds(), dailyOf(when, minute), told, seq, string(kind))
	return err
}

// putWants replaces what a user has chosen for types.
func putWants(ctx context.Context, tx *sql.Tx, seq int64, types map[string]notifier.TypeWants) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM type_wants WHERE seq = $1`, seq); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM mutes WHERE seq = $1`, seq); err != nil {
		return err
	}
	for _, typ := range slices.Sorted(maps.Keys(types)) {
		w := types[typ]
		if w.Inbox != nil && !*w.Inbox {
			if _, err := tx.ExecContext(ctx, `INSERT INTO mutes (type, seq) VALUES ($1, $2)`, typ, seq); err != nil {
				return err
			}
		}
		for kind, wanted := range map[notifier.ReachKind]*bool{notifier.ReachMail: w.Mail, notifier.ReachPush: w.Push} {
			if wanted == nil {
				continue
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO type_wants (seq, type, kind, wanted) VALUES ($1, $2, $3, $4)`, seq, typ, string(kind), *wanted)
			if err != nil {
				return err
			}
		}
	}
	return nil
}
