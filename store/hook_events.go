package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// hookBatch is the number of events deleted by one transaction. Senders wait for it.
	hookBatch = 5000
	// hookEventLife is how long an event is kept, whatever its state.
	hookEventLife = 30 * 24 * time.Hour
)

const eventColumns = `n, id, hook, type, body, created_at, state, due_at, tries, status, error, ended_at`

func scanEvent(row interface{ Scan(into ...any) error }) (e notifier.HookEvent, err error) {
	var created, due, ended int64
	err = row.Scan(&e.N, &e.ID, &e.Hook, &e.Type, &e.Body, &created, &e.State, &due, &e.Tries, &e.Status, &e.Error, &ended)
	e.CreatedAt, e.DueAt, e.EndedAt = fromMillis(created), fromMillis(due), fromMillis(ended)
	return e, err
}

// AddTestEvent stores a test for one hook, even if the hook is off, and returns it. It returns notifier.ErrNotFound for an unknown hook.
func (s *Store) AddTestEvent(ctx context.Context, by notifier.Actor, hook int64) (e notifier.HookEvent, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var name string
		if err := tx.QueryRowContext(ctx, `SELECT name FROM hooks WHERE id = $1`, hook).Scan(&name); err != nil {
			return err
		}
		row, err := s.eventRow(fact{typ: notifier.EventTest, data: notifier.HookTest{Hook: name}})
		if err != nil {
			return err
		}
		e, err = scanEvent(tx.QueryRowContext(ctx, `INSERT INTO hook_events (id, hook, type, body, created_at, due_at) VALUES ($1, $2, $3, $4, $5, $5) RETURNING `+eventColumns,
			eventID(), hook, row.typ, row.body, row.at))
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "hook.test", notifier.HookRef(name), "")
	})
	return e, s.fail(err, "test webhook %d", hook)
}

// ReplayEvent makes an event of a hook due at once, with all its tries, under the same webhook-id and with the same bytes. It returns
// notifier.ErrNotFound unless the hook has it.
func (s *Store) ReplayEvent(ctx context.Context, by notifier.Actor, hook, n int64) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var name, id string
		err := tx.QueryRowContext(ctx, `UPDATE hook_events SET state = 'waiting', due_at = $3, tries = 0, status = 0, error = '', ended_at = 0
			WHERE hook = $1 AND n = $2 RETURNING id, (SELECT name FROM hooks WHERE hooks.id = hook)`, hook, n, millis(s.now())).Scan(&id, &name)
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "hook.replay", notifier.HookRef(name), id)
	})
	return s.fail(err, "replay an event of webhook %d", hook)
}

// HookEvent returns an event by its number, or notifier.ErrNotFound.
func (s *Store) HookEvent(ctx context.Context, n int64) (notifier.HookEvent, error) {
	e, err := scanEvent(s.read.QueryRowContext(ctx, `SELECT `+eventColumns+` FROM hook_events WHERE n = $1`, n))
	return e, s.fail(err, "read event %d", n)
}

// HookEvents lists the events of a hook: up to limit that wait, the first to be tried first, and then those that have ended, the
// latest first.
func (s *Store) HookEvents(ctx context.Context, hook int64, limit int) (all []notifier.HookEvent, err error) {
	for _, query := range []string{
		`state = 'waiting' ORDER BY due_at, n LIMIT $2`,
		`state <> 'waiting' ORDER BY ended_at DESC, n DESC LIMIT $2`,
	} {
		err = s.all(ctx, func(rows *sql.Rows) error {
			e, err := scanEvent(rows)
			all = append(all, e)
			return err
		}, `SELECT `+eventColumns+` FROM hook_events WHERE hook = $1 AND `+query, hook, pageSize(limit))
		if err != nil {
			return nil, s.fail(err, "list the events of webhook %d", hook)
		}
	}
	return all, nil
}

// LimitHookEvents deletes the oldest waiting events of a hook beyond notifier.MaxHookWaiting, and returns their number.
func (s *Store) LimitHookEvents(ctx context.Context, hook, most int64) (dropped int64, err error) {
	var waiting int64
	err = s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM hook_events WHERE hook = $1 AND state = 'waiting'`, hook).Scan(&waiting)
	for over := waiting - most; err == nil && over > 0; over -= hookBatch {
		var n int64
		n, err = s.exec(ctx, `DELETE FROM hook_events WHERE n IN (SELECT n FROM hook_events WHERE hook = $1 AND state = 'waiting' ORDER BY n LIMIT $2)`,
			hook, min(over, hookBatch))
		dropped += n
	}
	return dropped, s.fail(err, "drop events of webhook %d", hook)
}

// TidyHookEvents deletes events that are older than 30 days, and those of hooks that were removed while they were being stored.
func (s *Store) TidyHookEvents(ctx context.Context) error {
	for n := int64(hookBatch); n == hookBatch; {
		var err error
		n, err = s.exec(ctx, `DELETE FROM hook_events WHERE n IN (SELECT n FROM hook_events
			WHERE created_at < $1 OR NOT EXISTS (SELECT 1 FROM hooks WHERE hooks.id = hook) LIMIT $2)`, millis(s.now().Add(-hookEventLife)), hookBatch)
		if err != nil {
			return s.fail(err, "tidy the events of webhooks")
		}
	}
	return nil
}

// forgetEvents deletes the events that name a user who is being deleted.
func (s *Store) forgetEvents(ctx context.Context, u *notifier.User) error {
	for n := int64(hookBatch); n == hookBatch; {
		var err error
		n, err = s.exec(ctx, `DELETE FROM hook_events WHERE n IN (SELECT n FROM hook_events WHERE seq > 0 AND seq = $1 AND type <> $2 LIMIT $3)`,
			u.Seq, string(notifier.EventUserDeleted), hookBatch)
		if err != nil {
			return err
		}
	}
	return nil
}

// HookStats counts hooks and their events.
func (s *Store) HookStats(ctx context.Context) (n notifier.HookStats, err error) {
	var oldest sql.Null[int64]
	err = s.read.QueryRowContext(ctx, `SELECT COUNT(*), COUNT(CASE WHEN off = '' AND failing_since > 0 THEN 1 END), COUNT(CASE WHEN off <> '' THEN 1 END) FROM hooks`).
		Scan(&n.Hooks, &n.Failing, &n.Off)
	if err == nil && n.Hooks > n.Off {
		err = s.read.QueryRowContext(ctx, `SELECT COUNT(*), MIN(e.created_at) FROM hooks JOIN hook_events e ON e.hook = hooks.id AND e.state = 'waiting' WHERE off = ''`).
			Scan(&n.Waiting, &oldest)
	}
	if oldest.Valid {
		n.Oldest = fromMillis(oldest.V)
	}
	return n, s.fail(err, "count webhooks")
}

// TurnAnnouncements stores the events of announcements that have opened or closed.
func (s *Store) TurnAnnouncements(ctx context.Context) error {
	now := millis(s.now())
	var some bool
	err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM announcements WHERE told < 2 AND (told = 0 AND starts_at <= $1 OR told = 1 AND ends_at <= $1))`, now).Scan(&some)
	if err != nil || !some {
		return s.fail(err, "look for announcements that have opened or closed")
	}
	err = s.tx(ctx, func(tx *sql.Tx) error { return s.turnAnnouncements(ctx, tx, `TRUE`) })
	return s.fail(err, "store the events of announcements")
}

// turnAnnouncements is TurnAnnouncements for those that match a condition.
func (s *Store) turnAnnouncements(ctx context.Context, tx *sql.Tx, where string, args ...any) error {
	args = append([]any{millis(s.now())}, args...)
	if err := s.turn(ctx, tx, notifier.EventAnnouncementOpened, `told = 1 WHERE told = 0 AND starts_at <= $1 AND `+where, args...); err != nil {
		return err
	}
	return s.turn(ctx, tx, notifier.EventAnnouncementClosed, `told = 2 WHERE told = 1 AND ends_at <= $1 AND `+where, args...)
}

// closeAnnouncement stores that an announcement is closed before its end, if it has opened, and what it has told then.
func (s *Store) closeAnnouncement(ctx context.Context, tx *sql.Tx, id, told int64) error {
	if err := s.turn(ctx, tx, notifier.EventAnnouncementClosed, `told = 2 WHERE told = 1 AND notice_id = $1`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE announcements SET told = $1 WHERE notice_id = $2`, told, id)
	return err
}

// turn changes announcements, and stores an event about each.
func (s *Store) turn(ctx context.Context, tx *sql.Tx, typ notifier.EventType, change string, args ...any) error {
	var facts []fact
	rows, err := tx.QueryContext(ctx, `UPDATE announcements SET `+change+` RETURNING notice_id`, args...) //nolint:gosec // change is a constant of a caller
	err = each(rows, err, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		facts = append(facts, fact{typ: typ, data: notifier.HookAnnouncement{Announcement: id}})
		return err
	})
	if err != nil {
		return err
	}
	return s.emit(ctx, tx, facts...)
}
