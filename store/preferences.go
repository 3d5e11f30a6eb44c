package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

const preferencesQuery = `SELECT mail_when, mail_at, push_when, quiet_from, quiet_to, zone, zone_seen, paused_until FROM users WHERE seq = $1`

// scanPreferences reads a row of preferencesQuery.
func (s *Store) scanPreferences(row *sql.Row) (p notifier.Preferences, err error) {
	var mailWhen, pushWhen string
	var from, to sql.Null[int64]
	var paused int64
	var zones notifier.Zones
	if err := row.Scan(&mailWhen, &p.MailAt, &pushWhen, &from, &to, &zones.Chosen, &zones.Seen, &paused); err != nil {
		return p, err
	}
	p.Mail = s.mail
	if when, ok := notifier.ParseWhen(mailWhen); ok {
		p.Mail, p.MailChosen = when, true
	}
	if when, ok := notifier.ParseWhen(pushWhen); ok {
		p.Push = when
	}
	p.Zone = zones.Chosen
	p.InForce, p.ZoneFrom = zones.InForce(s.zone)
	p.Quiet, p.PausedUntil = quietOf(from, to), fromMillis(paused)
	return p, nil
}

// Preferences returns the preferences of a user, with the types that they have set.
func (s *Store) Preferences(ctx context.Context, seq int64) (p notifier.Preferences, err error) {
	if p, err = s.scanPreferences(s.read.QueryRowContext(ctx, preferencesQuery, seq)); err != nil {
		return p, s.fail(err, "read the preferences of user %d", seq)
	}
	rows, err := s.read.QueryContext(ctx, wantsQuery, seq)
	p.Types, err = gatherWants(rows, err)
	return p, s.fail(err, "read the wanted types of user %d", seq)
}

// wantsQuery lists mutes last, because they take precedence.
const wantsQuery = `SELECT type, kind, wanted, 0 AS muted FROM type_wants WHERE seq = $1
	UNION ALL SELECT type, 'inbox', FALSE, 1 FROM mutes WHERE seq = $1 ORDER BY muted`

// kindInbox marks a type that the user wants in the inbox; unwanted types are in the table mutes.
const kindInbox notifier.ReachKind = "inbox"

func gatherWants(rows *sql.Rows, err error) (map[string]notifier.TypeWants, error) {
	types := map[string]notifier.TypeWants{}
	return types, each(rows, err, func(rows *sql.Rows) error {
		var typ string
		var kind notifier.ReachKind
		var wanted, muted bool
		err := rows.Scan(&typ, &kind, &wanted, &muted)
		w := types[typ]
		switch kind {
		case notifier.ReachMail:
			w.Mail = &wanted
		case notifier.ReachPush:
			w.Push = &wanted
		case kindInbox:
			w.Inbox = &wanted
		}
		types[typ] = w
		return err
	})
}

// PutPreferences replaces the preferences of a user that are set in p, all or none, and immediately reschedules what
// their targets hold back. Mail that is switched on again is not sent about older notices. p must be valid. It
// returns notifier.ErrNotFound for an unknown seq.
func (s *Store) PutPreferences(ctx context.Context, seq int64, p notifier.PutPreferences) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var known int64
		if err := tx.QueryRowContext(ctx, `UPDATE users SET seq = seq WHERE seq = $1 RETURNING seq`, seq).Scan(&known); err != nil { // locks the row
			return err
		}
		if err := s.noteChange(ctx, tx, seq, false); err != nil {
			return err
		}
		had, err := s.scanPreferences(tx.QueryRowContext(ctx, preferencesQuery, seq))
		if err != nil {
			return err
		}
		if err := putChoices(ctx, tx, seq, &p); err != nil {
			return err
		}
		if p.Mail != nil {
			minute := had.MailAt
			if p.MailAt != nil {
				minute = *p.MailAt
			}
			if _, err := tx.ExecContext(ctx, `UPDATE users SET mail_when = $2, mail_at = $3 WHERE seq = $1`, seq, p.Mail.String(), minute); err != nil {
				return err
			}
			if err := s.retime(ctx, tx, seq, notifier.ReachMail, *p.Mail, minute, s.untold(&had)); err != nil {
				return err
			}
		}
		if p.Push != nil {
			if err := s.retime(ctx, tx, seq, notifier.ReachPush, *p.Push, 0, 0); err != nil {
				return err
			}
		}
		if err := putTypes(ctx, tx, seq, &p); err != nil {
			return err
		}
		if err := s.emitUser(ctx, tx, notifier.EventPreferencesChanged, seq); err != nil {
			return err
		}
		return lookAgain(ctx, tx, seq, s.now())
	})
	return s.fail(err, "change the preferences of user %d", seq)
}

// putChoices stores preferences that do not belong to a single target.
func putChoices(ctx context.Context, tx *sql.Tx, seq int64, p *notifier.PutPreferences) (err error) {
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
	if p.Push != nil {
		set(`push_when = $2`, p.Push.String())
	}
	return err
}

// SetZone stores the zone of a user's browser. changed is false if it was already stored.
func (s *Store) SetZone(ctx context.Context, seq int64, zone string) (changed bool, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		n, err := change(ctx, tx, `UPDATE users SET zone_seen = $1, zone_seen_at = $2 WHERE seq = $3 AND zone_seen <> $1`, valid(zone), millis(s.now()), seq)
		if changed = n == 1; err != nil || !changed {
			return err
		}
		return s.noteChange(ctx, tx, seq, false)
	})
	return changed, s.fail(err, "store the time zone of user %d", seq)
}

// retime changes when the targets of a kind are due. Targets that are switched on skip older notices, and all targets
// skip notices up to untold.
func (s *Store) retime(ctx context.Context, tx *sql.Tx, seq int64, kind notifier.ReachKind, when notifier.When, minute int, untold int64) error {
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
			told = CASE WHEN state = 'off' THEN $3 WHEN told < $6 THEN $6 ELSE told END, state = CASE state WHEN 'off' THEN 'on' ELSE state END
		WHERE seq = $4 AND kind = $5`, when.Wait.Milliseconds(), dailyOf(when, minute), told, seq, string(kind), untold)
	return err
}

// putTypes replaces the user's settings for types if p sets them.
func putTypes(ctx context.Context, tx *sql.Tx, seq int64, p *notifier.PutPreferences) error {
	types := p.Types
	if p.Change != nil {
		rows, err := tx.QueryContext(ctx, wantsQuery, seq)
		had, err := gatherWants(rows, err)
		if err != nil {
			return err
		}
		types = p.Change(had)
	}
	if types == nil {
		return nil
	}
	return putWants(ctx, tx, seq, types)
}

// putWants replaces the user's settings for types.
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
		for kind, wanted := range map[notifier.ReachKind]*bool{notifier.ReachMail: w.Mail, notifier.ReachPush: w.Push, kindInbox: w.Inbox} {
			if wanted == nil || kind == kindInbox && !*wanted {
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
