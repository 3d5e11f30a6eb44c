package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// dueEvents is the condition that a hook has events to send. A test is sent even to a hook that is off.
const dueEvents = `EXISTS (SELECT 1 FROM hook_events e WHERE e.hook = hooks.id AND e.state = 'waiting' AND e.due_at <= $1 AND (off = '' OR e.type = 'test'))`

// DueHooks returns the hooks with events that are due, with their secrets.
func (s *Store) DueHooks(ctx context.Context) (due []notifier.SealedHook, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var r hookRow
		var h notifier.SealedHook
		err := rows.Scan(append(r.fields(), &h.Secret, &h.Old)...)
		h.Hook, h.Old = r.hook(), append([]byte{}, h.Old...) // never NULL
		due = append(due, h)
		return err
	}, `SELECT `+hookColumns+`, secret, old_secret FROM hooks WHERE `+dueEvents+` ORDER BY hooks.id`, millis(s.now()))
	return due, s.fail(err, "list webhooks with events that are due")
}

const dueEventsOf = `SELECT ` + eventColumns + ` FROM hook_events WHERE hook = $1 AND state = 'waiting' AND due_at <= $2
	AND (CAST($3 AS BOOLEAN) OR type = 'test') ORDER BY due_at, n LIMIT $4`

// ClaimEvents claims up to limit events of a hook that are due, until a time. It skips events that another instance is claiming.
func (s *Store) ClaimEvents(ctx context.Context, h *notifier.Hook, limit int, until time.Time) (claimed []notifier.HookEvent, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		claimed = nil
		rows, err := tx.QueryContext(ctx, dueEventsOf+s.dialect.skipLocked(), h.ID, millis(s.now()), h.Off == notifier.HookOn, limit)
		err = each(rows, err, func(rows *sql.Rows) error {
			e, err := scanEvent(rows)
			e.DueAt = fromMillis(millis(until))
			claimed = append(claimed, e)
			return err
		})
		if err != nil || len(claimed) == 0 {
			return err
		}
		ns := make([]int64, len(claimed))
		for i := range claimed {
			ns[i] = claimed[i].N
		}
		_, err = change(ctx, tx, `UPDATE hook_events SET due_at = $1 WHERE `+s.dialect.within("n", 2), millis(until), s.dialect.numberList(ns))
		return err
	})
	return claimed, s.fail(err, "claim events of webhook %d", h.ID)
}

// EndedTry is the result of a try.
type EndedTry struct {
	Event    notifier.HookEvent // as it is now; N, State, DueAt, Tries, Status and Error are stored
	Claim    time.Time          // the DueAt with which it was claimed
	Released bool               // it was not tried
}

// SettleEvents stores the results of tries of one hook, unless others have claimed the events since: such a result says nothing about
// the hook either, which may have succeeded since. It returns since when the hook has been failing according to the results that it stored;
// zero: it has not. It keeps the last notifier.MaxHookPast events that have ended.
func (s *Store) SettleEvents(ctx context.Context, hook int64, ended []EndedTry) (failing time.Time, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		now := millis(s.now())
		delivered := map[settled][]int64{}
		success, failure := false, ""
		for i := range ended {
			e := &ended[i].Event
			if e.State == notifier.HookDelivered {
				like := settled{e.Status, e.Tries, millis(ended[i].Claim)}
				delivered[like] = append(delivered[like], e.N)
				continue
			}
			end := int64(0)
			if e.State == notifier.HookFailed {
				end = now
			}
			held, err := change(ctx, tx, `UPDATE hook_events SET state = $1, due_at = $2, tries = $3, status = $4, error = $5, ended_at = $6
				WHERE n = $7 AND state = 'waiting' AND due_at = $8`,
				string(e.State), millis(e.DueAt), e.Tries, e.Status, text(e.Error), end, e.N, millis(ended[i].Claim))
			if err != nil {
				return err
			}
			if held > 0 && !ended[i].Released {
				failure = e.Error
			}
		}
		for like, ns := range delivered {
			held, err := change(ctx, tx, `UPDATE hook_events SET state = 'delivered', status = $1, error = '', ended_at = $2, tries = $5
				WHERE `+s.dialect.within("n", 3)+` AND state = 'waiting' AND due_at = $4`, like.status, now, s.dialect.numberList(ns), like.claim, like.tries)
			if err != nil {
				return err
			}
			success = success || held > 0
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM hook_events WHERE hook = $1 AND state <> 'waiting' AND (ended_at, n) <= (SELECT ended_at, n FROM hook_events
			WHERE hook = $1 AND state <> 'waiting' ORDER BY ended_at DESC, n DESC LIMIT 1 OFFSET $2)`, hook, notifier.MaxHookPast)
		if err != nil {
			return err
		}
		failing, err = s.markHook(ctx, tx, hook, success, failure)
		return err
	})
	return failing, s.fail(err, "store the results of webhook %d", hook)
}

// settled is what delivered events of a batch have in common.
type settled struct {
	status, tries int
	claim         int64
}

// markHook records whether a hook fails, and returns since when.
func (s *Store) markHook(ctx context.Context, tx *sql.Tx, hook int64, success bool, failure string) (time.Time, error) {
	var since int64
	var err error
	switch {
	case success:
		_, err = tx.ExecContext(ctx, `UPDATE hooks SET failing_since = 0, error = '' WHERE id = $1 AND failing_since > 0`, hook)
	case failure != "":
		rows, query := tx.QueryContext(ctx, `UPDATE hooks SET failing_since = CASE failing_since WHEN 0 THEN $2 ELSE failing_since END, error = $3 WHERE id = $1
			RETURNING failing_since`, hook, millis(s.now()), text(failure))
		err = each(rows, query, func(rows *sql.Rows) error { return rows.Scan(&since) })
	}
	return fromMillis(since), err
}
