package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/source"
)

// faulty is the condition for rows that are passed over.
const faulty = `error <> ''`

// deleteAtOnce is how many rows one statement deletes.
const deleteAtOnce = 100

// errTurn is returned when a pooler no longer holds the connection of the lock.
var errTurn = errors.New("the lock of the outbox is lost")

// link is a connection to the database of an outbox.
type link struct {
	dialect
	box     Box
	db      *sql.DB
	conn    *sql.Conn
	holding *sql.Tx // holds the lock behind a pooler
	unlock  func()  // nil: the lock ends with the connection
	pooled  bool
	listens bool // for notifications about new rows
}

// open connects to the database.
func open(ctx context.Context, box Box) (*link, error) {
	db, err := box.Source.Open()
	if err != nil {
		return nil, err
	}
	l := &link{dialect: dialects[box.Source.Dialect()], box: box, db: db}
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	if l.conn, err = db.Conn(ctx); err == nil {
		err = l.prepare(ctx, l)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// close ends the connection, and with it the lock.
func (l *link) close() {
	if l.holding != nil {
		_ = l.holding.Rollback()
	}
	if l.conn != nil {
		_ = l.conn.Close()
	}
	_ = l.db.Close()
	if l.unlock != nil {
		l.unlock()
	}
}

// lock tries to get the lock of the outbox.
func (l *link) lock(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	mine, err := l.obtain(ctx, l)
	if err != nil {
		err = fmt.Errorf("lock %s: %w", l.box.Table, err)
	}
	return mine, err
}

// held returns an error if the lock is no longer held. Where it belongs to the connection, the next call on it fails.
func (l *link) held(ctx context.Context) error {
	if l.holding == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	if _, err := l.holding.ExecContext(ctx, `SELECT 1`); err != nil {
		return fmt.Errorf("%w: %w", errTurn, err)
	}
	return nil
}

// check returns an error in words if the user may not do what reading needs, or the table is not as it must be. It changes
// nothing.
func (l *link) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	table := l.quoted(l.box.Table)
	for _, statement := range []string{
		`SELECT id, payload, error, created_at FROM ` + table + ` WHERE 1 = 0`,
		`UPDATE ` + table + ` SET error = NULL WHERE 1 = 0`,
		`DELETE FROM ` + table + ` WHERE 1 = 0`,
	} {
		if _, err := l.conn.ExecContext(ctx, statement); err != nil {
			return l.explain(err)
		}
	}
	return nil
}

// explain adds to an error of check what has to be done.
func (l *link) explain(err error) error {
	advice := map[source.Fault]string{
		source.NoTable:  "there is no such table: `carillon outbox schema` prints it",
		source.NoColumn: "the table needs the columns id, payload, error and created_at: `carillon outbox schema` prints it",
		source.NoRight:  "the user needs SELECT, DELETE and UPDATE (error): GRANT SELECT, DELETE, UPDATE (error) ON " + l.box.Table + " TO …",
		source.ReadOnly: "the database is read-only here: the source must lead to one that accepts changes, with a user who may SELECT, DELETE and UPDATE (error)",
	}[source.FaultOf(err)]
	if advice == "" {
		return fmt.Errorf("check %s: %w", l.box.Table, err)
	}
	return fmt.Errorf("%s: %s: %w", l.box.Table, advice, err)
}

// rows returns the first rows without an error, in the order of their ids. It reports whether there may be more.
func (l *link) rows(ctx context.Context) (all []row, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	payload := `COALESCE(CASE WHEN ` + l.size + ` <= ` + strconv.Itoa(maxPayload) + ` THEN ` + l.text + ` END, '')`
	query := `SELECT id, COALESCE(` + l.moment + `, ''), COALESCE(` + l.size + `, 0), ` + payload + ` FROM ` + l.quoted(l.box.Table) + ` WHERE error IS NULL OR NOT (` + faulty + `) ORDER BY id LIMIT ` + strconv.Itoa(maxRows) //nolint:gosec // texts of the dialect, and a name that was checked
	found, err := l.conn.QueryContext(ctx, query)
	if err != nil {
		return nil, false, l.explain(err)
	}
	defer func() { _ = found.Close() }()
	for size := 0; size <= maxRead && found.Next(); {
		var at row
		if err := found.Scan(&at.id, &at.created, &at.size, &at.payload); err != nil {
			return nil, false, fmt.Errorf("read %s: %w", l.box.Table, err)
		}
		size += len(at.payload)
		more = size > maxRead
		all = append(all, at)
	}
	if err := found.Close(); err != nil {
		return nil, false, fmt.Errorf("read %s: %w", l.box.Table, err)
	}
	return all, more || len(all) == maxRows, found.Err()
}

// remove deletes rows. A row that has the id of one of them and was created at another time stays: the table was
// truncated meanwhile.
func (l *link) remove(ctx context.Context, rows []row) error {
	for len(rows) > 0 {
		some := rows[:min(deleteAtOnce, len(rows))]
		rows = rows[len(some):]
		conditions, args := make([]string, len(some)), make([]any, 0, 2*len(some))
		for i, at := range some {
			conditions[i] = l.is(2*i + 1)
			args = append(args, at.id, at.created)
		}
		if err := l.change(ctx, `DELETE FROM `+l.quoted(l.box.Table)+` WHERE `+strings.Join(conditions, " OR "), args...); err != nil {
			return fmt.Errorf("delete from %s: %w", l.box.Table, err)
		}
	}
	return nil
}

// mark writes the errors of rows.
func (l *link) mark(ctx context.Context, faults []fault) error {
	statement := `UPDATE ` + l.quoted(l.box.Table) + ` SET error = ` + l.place(1) + ` WHERE ` + l.is(2)
	for _, f := range faults {
		if err := l.change(ctx, statement, f.text, f.row.id, f.row.created); err != nil {
			return fmt.Errorf("write an error to %s: %w", l.box.Table, err)
		}
	}
	return nil
}

func (l *link) change(ctx context.Context, statement string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callWait) // its rows were sent
	defer cancel()
	_, err := l.conn.ExecContext(ctx, statement, args...)
	return err
}

// is returns the condition for one row; n is the number of its first argument.
func (l *link) is(n int) string {
	return `(id = ` + l.place(n) + ` AND COALESCE(` + l.moment + `, '') = ` + l.place(n+1) + `)`
}

// await waits for new rows, or for a time.
func (l *link) await(ctx context.Context, most time.Duration) error {
	if !l.listens {
		pause(ctx, most)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if err := source.Await(ctx, l.conn); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return nil
}
