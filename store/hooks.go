package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

const hookColumns = `hooks.id, name, url, events, hooks.created_at, off, off_at, failing_since, hooks.error, old_until`

// hookRow is a hook as it is scanned.
type hookRow struct {
	notifier.Hook
	events                          string
	created, offAt, failing, oldEnd int64
}

// fields returns the scan destinations of hookColumns.
func (r *hookRow) fields() []any {
	h := &r.Hook
	return []any{&h.ID, &h.Name, &h.URL, &r.events, &r.created, &h.Off, &r.offAt, &r.failing, &h.Error, &r.oldEnd}
}

func (r *hookRow) hook() notifier.Hook {
	h := r.Hook
	h.Events = eventsOf(r.events)
	h.CreatedAt, h.OffAt, h.FailingSince, h.OldUntil = fromMillis(r.created), fromMillis(r.offAt), fromMillis(r.failing), fromMillis(r.oldEnd)
	return h
}

// AddHook stores a hook with its sealed secret and returns it as stored. It returns a *notifier.InvalidError if its name is in use or
// there are notifier.MaxHooks. Other instances store events for it after HooksKnown.
func (s *Store) AddHook(ctx context.Context, by notifier.Actor, h notifier.Hook, secret []byte) (added notifier.Hook, err error) {
	defer s.wanted.forget()
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var others int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM hooks`).Scan(&others); err != nil {
			return err
		}
		if others >= notifier.MaxHooks {
			return invalidHook(notifier.CodeTooManyHooks, map[string]any{"Max": notifier.MaxHooks})
		}
		events := make([]string, len(h.Events))
		for i, typ := range h.Events {
			events[i] = string(typ)
		}
		var r hookRow
		err := tx.QueryRowContext(ctx, `INSERT INTO hooks (name, url, events, secret, old_secret, created_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING `+hookColumns,
			h.Name, h.URL, strings.Join(events, " "), secret, []byte{}, millis(s.now())).Scan(r.fields()...)
		if err != nil && s.dialect.fault(err) == faultConflict {
			return invalidHook(notifier.CodeHookNameTaken, nil)
		}
		if err != nil {
			return err
		}
		added = r.hook()
		return s.record(ctx, tx, by, "hook.add", notifier.HookRef(h.Name), added.Audited())
	})
	return added, s.fail(err, "add webhook %q", h.Name)
}

func invalidHook(code string, params map[string]any) error {
	var bad notifier.InvalidError
	bad.Add("name", code, params)
	return &bad
}

// Hooks lists all hooks by name, with the number of events that wait.
func (s *Store) Hooks(ctx context.Context) (all []notifier.Hook, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var r hookRow
		var waiting int64
		err := rows.Scan(append(r.fields(), &waiting)...)
		h := r.hook()
		h.Waiting = waiting
		all = append(all, h)
		return err
	}, `SELECT `+hookColumns+`, (SELECT COUNT(*) FROM hook_events WHERE hook = hooks.id AND state = 'waiting') FROM hooks ORDER BY name`)
	return all, s.fail(err, "list webhooks")
}

// Hook returns one hook, or notifier.ErrNotFound.
func (s *Store) Hook(ctx context.Context, id int64) (notifier.Hook, error) {
	return s.oneHook(ctx, `hooks.id = $1`, id)
}

// HookNamed returns the hook with this name, or notifier.ErrNotFound.
func (s *Store) HookNamed(ctx context.Context, name string) (notifier.Hook, error) {
	return s.oneHook(ctx, `name = $1`, valid(name))
}

func (s *Store) oneHook(ctx context.Context, where string, arg any) (notifier.Hook, error) {
	var r hookRow
	err := s.read.QueryRowContext(ctx, `SELECT `+hookColumns+` FROM hooks WHERE `+where, arg).Scan(r.fields()...)
	return r.hook(), s.fail(err, "read a webhook")
}

// RemoveHook deletes a hook and its events, and returns it. It returns notifier.ErrNotFound for an unknown id.
func (s *Store) RemoveHook(ctx context.Context, by notifier.Actor, id int64) (notifier.Hook, error) {
	h, err := s.changeHook(ctx, by, "hook.remove", `DELETE FROM hooks WHERE id = $1`, id)
	if err != nil {
		return h, s.fail(err, "remove webhook %d", id)
	}
	for n := int64(hookBatch); n == hookBatch; { // what an interrupted call leaves, TidyHookEvents deletes
		n, err = s.exec(ctx, `DELETE FROM hook_events WHERE n IN (SELECT n FROM hook_events WHERE hook = $1 LIMIT $2)`, id, hookBatch)
		if err != nil {
			return h, s.fail(err, "delete the events of webhook %d", id)
		}
	}
	return h, nil
}

// RotateHook replaces the sealed secret of a hook. The one before signs, too, for notifier.HookOverlap.
func (s *Store) RotateHook(ctx context.Context, by notifier.Actor, id int64, secret []byte) (notifier.Hook, error) {
	h, err := s.changeHook(ctx, by, "hook.rotate", `UPDATE hooks SET old_secret = secret, secret = $2, old_until = $3 WHERE id = $1`,
		id, secret, millis(s.now().Add(notifier.HookOverlap)))
	return h, s.fail(err, "rotate the secret of webhook %d", id)
}

// ResealHook stores the same secrets sealed under a newer key, unless they have changed since they were read.
func (s *Store) ResealHook(ctx context.Context, had *notifier.SealedHook, secret, old []byte) error {
	_, err := s.exec(ctx, `UPDATE hooks SET secret = $1, old_secret = $2 WHERE id = $3 AND secret = $4 AND old_secret = $5`, secret, old, had.ID, had.Secret, had.Old)
	return s.fail(err, "seal the secrets of webhook %d again", had.ID)
}

// SwitchHookOn makes a hook receive events again. Those that wait are due at once.
func (s *Store) SwitchHookOn(ctx context.Context, by notifier.Actor, id int64) (notifier.Hook, error) {
	defer s.wanted.forget()
	h, err := s.changeHook(ctx, by, "hook.on", `UPDATE hooks SET off = '', off_at = 0, failing_since = 0, error = '' WHERE id = $1`, id)
	if err == nil {
		_, err = s.exec(ctx, `UPDATE hook_events SET due_at = $2, tries = 0 WHERE hook = $1 AND state = 'waiting'`, id, millis(s.now()))
	}
	return h, s.fail(err, "switch webhook %d on", id)
}

// SwitchHookOff makes a hook receive no events. Those that wait stay. It does nothing if the hook is off, or has succeeded since it was read
// as had.
func (s *Store) SwitchHookOff(ctx context.Context, had *notifier.Hook, why notifier.HookOff) error {
	defer s.wanted.forget()
	by := notifier.Actor{Ref: notifier.HookRef(had.Name)}
	_, err := s.changeHook(ctx, by, "hook.off", `UPDATE hooks SET off = $2, off_at = $3 WHERE id = $1 AND off = '' AND failing_since = $4 AND failing_since > 0`,
		had.ID, string(why), millis(s.now()), millis(had.FailingSince))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return s.fail(err, "switch webhook %d off", had.ID)
}

// changeHook runs a statement that changes one hook, and returns it.
func (s *Store) changeHook(ctx context.Context, by notifier.Actor, action, statement string, args ...any) (h notifier.Hook, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var r hookRow
		if err := tx.QueryRowContext(ctx, statement+` RETURNING `+hookColumns, args...).Scan(r.fields()...); err != nil {
			return err
		}
		h = r.hook()
		return s.record(ctx, tx, by, action, notifier.HookRef(h.Name), string(h.Off))
	})
	return h, err
}
