package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// HooksKnown is how long an instance relies on having read which events hooks want: an event that another instance stores
// within this time after a hook was added may not reach the hook.
const HooksKnown = time.Second

// wantedEvents caches which hooks want which events, so that facts cost nothing while no hook wants them.
type wantedEvents struct {
	mu sync.Mutex
	at time.Time // when it was read
	of map[notifier.EventType][]int64
}

// forget makes the next fact read the hooks again.
func (w *wantedEvents) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of = nil
}

// get returns the hooks that want events, by type. Callers must not change it. It does not hold the lock while it reads: callers may
// hold the connections that a reader waits for.
func (w *wantedEvents) get(ctx context.Context, db querier, now time.Time) (map[notifier.EventType][]int64, error) {
	if of := w.known(now); of != nil {
		return of, nil
	}
	of := map[notifier.EventType][]int64{}
	rows, err := db.QueryContext(ctx, `SELECT id, events FROM hooks WHERE off = '' ORDER BY id`)
	err = each(rows, err, func(rows *sql.Rows) error {
		var id int64
		var events string
		err := rows.Scan(&id, &events)
		for _, typ := range eventsOf(events) {
			of[typ] = append(of[typ], id)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.of = now, of
	return of, nil
}

// known returns what was read recently, or nil.
func (w *wantedEvents) known(now time.Time) map[notifier.EventType][]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if age := now.Sub(w.at); age >= 0 && age < HooksKnown {
		return w.of
	}
	return nil
}

// fact is something that happened. Data is as documented at its type.
type fact struct {
	typ  notifier.EventType
	seq  int64 // of the user that the data names; 0: none
	data any
}

// eventRow is an event in its stored form.
type eventRow struct {
	id, typ   string
	hook, seq int64
	body      []byte
	at        int64
}

// wants reports whether a hook wants events of one of these types.
func (s *Store) wants(ctx context.Context, tx querier, types ...notifier.EventType) (bool, error) {
	of, err := s.wanted.get(ctx, tx, s.now())
	if err != nil {
		return false, err
	}
	for _, typ := range types {
		if len(of[typ]) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// emit stores the events of facts for the hooks that want them, in the transaction of the facts. It costs nothing if there are none.
func (s *Store) emit(ctx context.Context, tx *sql.Tx, facts ...fact) error {
	if len(facts) == 0 {
		return nil
	}
	of, err := s.wanted.get(ctx, tx, s.now())
	if err != nil {
		return err
	}
	var rows []eventRow
	for _, f := range facts {
		hooks := of[f.typ]
		if len(hooks) == 0 {
			continue
		}
		row, err := s.eventRow(f)
		if err != nil {
			return err
		}
		for _, hook := range hooks {
			row.id, row.hook = eventID(), hook
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return s.dialect.addEvents(ctx, tx, rows)
}

// emitNotices stores an event about each of these notices.
func (s *Store) emitNotices(ctx context.Context, tx *sql.Tx, typ notifier.EventType, ids ...int64) error {
	facts := make([]fact, len(ids))
	for i, id := range ids {
		facts[i] = fact{typ: typ, data: notifier.HookNotice{Notice: id}}
	}
	return s.emit(ctx, tx, facts...)
}

// emitUser stores an event about a user, who may have been deleted.
func (s *Store) emitUser(ctx context.Context, tx *sql.Tx, typ notifier.EventType, seq int64) error {
	if some, err := s.wants(ctx, tx, typ); err != nil || !some {
		return err
	}
	var name string
	err := tx.QueryRowContext(ctx, `SELECT name FROM users WHERE seq = $1`, seq).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.emit(ctx, tx, fact{typ, seq, notifier.HookUser{User: name}})
}

func (s *Store) eventRow(f fact) (eventRow, error) {
	now := s.now()
	body, err := notifier.EventBody(f.typ, now, f.data)
	return eventRow{typ: string(f.typ), seq: f.seq, body: body, at: millis(now)}, err
}

// eventID returns a new webhook-id. It has no dot, because the id is signed in front of one.
func eventID() string { return "msg_" + strings.ToLower(rand.Text()) }

func eventsOf(text string) []notifier.EventType {
	var types []notifier.EventType
	for _, typ := range strings.Fields(text) {
		types = append(types, notifier.EventType(typ))
	}
	return types
}

// addEvents inserts row by row, like addNotices.
func (d sqliteDialect) addEvents(ctx context.Context, tx *sql.Tx, rows []eventRow) error {
	add, err := tx.PrepareContext(ctx, `INSERT INTO hook_events (id, hook, type, seq, body, created_at, due_at)
		SELECT $1, id, $3, $4, $5, $6, $6 FROM hooks WHERE id = $2 AND off = ''`)
	if err != nil {
		return err
	}
	defer func() { _ = add.Close() }()
	row := d.brief(ctx)
	for _, r := range rows {
		if _, err := add.ExecContext(row, r.id, r.hook, r.typ, r.seq, r.body, r.at); err != nil {
			return err
		}
	}
	return nil
}

// addEvents inserts all events with one statement over arrays.
func (postgresDialect) addEvents(ctx context.Context, tx *sql.Tx, rows []eventRow) error {
	n := len(rows)
	ids, types, bodies := make([]string, n), make([]string, n), make([][]byte, n)
	hooks, seqs, at := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, r := range rows {
		ids[i], types[i], bodies[i], hooks[i], seqs[i], at[i] = r.id, r.typ, r.body, r.hook, r.seq, r.at
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO hook_events (id, hook, type, seq, body, created_at, due_at)
		SELECT r.id, hook, type, seq, body, at, at
		FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bytea[], $6::bigint[]) WITH ORDINALITY AS r (id, hook, type, seq, body, at, place)
		JOIN hooks ON hooks.id = hook WHERE off = '' ORDER BY place`, ids, hooks, types, seqs, bodies, at)
	return err
}
