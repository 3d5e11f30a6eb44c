package durable

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"

	_ "modernc.org/sqlite" // the driver
)

const schema = `
CREATE TABLE IF NOT EXISTS users (seq INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS members ON users (role, seq) WHERE role <> '';
CREATE TABLE IF NOT EXISTS notices (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, role TEXT NOT NULL, created_at INTEGER NOT NULL,
	type TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, link TEXT NOT NULL, read_at INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS inbox ON notices (seq, id);
CREATE TABLE IF NOT EXISTS progress (one INTEGER PRIMARY KEY, delivered INTEGER NOT NULL);
INSERT OR IGNORE INTO progress VALUES (1, 0);`

// database has one writer, and stores the id up to which all notices were delivered.
type database struct {
	write, read            *sql.DB
	toUser, toRole, record *sql.Stmt

	delivered atomic.Int64 // every notice up to this one
	recorded  int64        // the value of delivered in the database
}

func open(ctx context.Context, cfg Config) (*database, error) {
	source := "file:" + filepath.Join(cfg.Dir, "durable.db") +
		"?_txlock=immediate&_pragma=busy_timeout(1000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	d := &database{}
	var err error
	if d.write, err = sql.Open("sqlite", source); err != nil {
		return nil, err
	}
	d.write.SetMaxOpenConns(1)
	if d.read, err = sql.Open("sqlite", source+"&_pragma=query_only(1)"); err == nil {
		_, err = d.write.ExecContext(ctx, schema)
	}
	if err == nil {
		err = d.addUsers(ctx, cfg)
	}
	prepared := func(text string) (statement *sql.Stmt) {
		if err == nil {
			statement, err = d.write.PrepareContext(ctx, text)
		}
		return statement
	}
	d.toUser = prepared(`INSERT INTO notices (seq, role, created_at, type, title, body, link)
		SELECT seq, '', $2, $3, $4, $5, $6 FROM users WHERE name = $1 RETURNING id, seq`)
	d.toRole = prepared(`INSERT INTO notices (seq, role, created_at, type, title, body, link) VALUES (0, $1, $2, $3, $4, $5, $6) RETURNING id, seq`)
	d.record = prepared(`UPDATE progress SET delivered = $1 WHERE one = 1 AND delivered < $1`)
	if err == nil {
		err = d.read.QueryRowContext(ctx, `SELECT delivered FROM progress`).Scan(&d.recorded)
		d.delivered.Store(d.recorded)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), d.close())
	}
	return d, nil
}

func (d *database) close() error {
	err := d.write.Close()
	if d.read != nil {
		err = errors.Join(err, d.read.Close())
	}
	return err
}

func (d *database) addUsers(ctx context.Context, cfg Config) error {
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	const add = `INSERT OR IGNORE INTO users (seq, name, role) VALUES ($1, $2, $3)`
	for i := range cfg.Users {
		if _, err := tx.ExecContext(ctx, add, i+1, "user"+strconv.Itoa(i+1), ""); err != nil {
			return err
		}
	}
	for i := range cfg.Members {
		if _, err := tx.ExecContext(ctx, add, cfg.Users+i+1, "member"+strconv.Itoa(i+1), cfg.Role); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// undelivered returns the notices that the last run may not have delivered.
func (d *database) undelivered(ctx context.Context) (rest []*notice, err error) {
	rows, err := d.read.QueryContext(ctx, `SELECT id, seq, role, created_at, type, title, body, link FROM notices WHERE id > $1 ORDER BY id`, d.recorded)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		n := &notice{}
		if err := rows.Scan(&n.id, &n.seq, &n.Target.Role, &n.at, &n.Type, &n.Title, &n.Body, &n.Link); err != nil {
			return nil, err
		}
		rest = append(rest, n)
	}
	return rest, rows.Err()
}

// members returns the users of a role.
func (d *database) members(ctx context.Context, role string) (seqs []int64, err error) {
	rows, err := d.read.QueryContext(ctx, `SELECT seq FROM users WHERE role = $1`, role)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return nil, err
		}
		seqs = append(seqs, seq)
	}
	return seqs, rows.Err()
}

// commits stores waiting notices, many in one transaction, responds to their senders, and passes the notices on for
// delivery.
func (s *server) commits(ctx context.Context) error {
	const most = 1000
	for {
		batch := gather(ctx, s.accept, most)
		if batch == nil {
			return ctx.Err()
		}
		unknown, err := s.db.add(ctx, batch)
		for i, n := range batch {
			switch {
			case err != nil:
				n.stored <- err
			case unknown[i]:
				n.stored <- fmt.Errorf("no user %s", n.Target.Users[0])
			default:
				n.stored <- nil
				s.deliver <- n
			}
		}
	}
}

// add stores notices, and the progress of delivery. It reports which have an unknown user.
func (d *database) add(ctx context.Context, batch []*notice) (unknown []bool, err error) {
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	unknown = make([]bool, len(batch))
	toUser, toRole := tx.StmtContext(ctx, d.toUser), tx.StmtContext(ctx, d.toRole) //nolint:sqlclosecheck // the transaction closes them
	for i, n := range batch {
		insert, target := toRole, n.Target.Role
		if target == "" {
			insert, target = toUser, n.Target.Users[0]
		}
		err := insert.QueryRowContext(ctx, target, n.at, n.Type, n.Title, n.Body, n.Link).Scan(&n.id, &n.seq)
		if unknown[i] = errors.Is(err, sql.ErrNoRows); err != nil && !unknown[i] {
			return nil, err
		}
	}
	done := d.delivered.Load()
	if done > d.recorded {
		if _, err := tx.StmtContext(ctx, d.record).ExecContext(ctx, done); err != nil { //nolint:sqlclosecheck // the transaction closes it
			return nil, err
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	d.recorded = done
	return unknown, nil
}

// gather waits for a value and returns it with the values queued behind it; nil when ctx ends.
func gather[T any](ctx context.Context, from <-chan T, most int) (batch []T) {
	select {
	case first := <-from:
		batch = append(batch, first)
	case <-ctx.Done():
		return nil
	}
	for len(batch) < most {
		select {
		case next := <-from:
			batch = append(batch, next)
		default:
			return batch
		}
	}
	return batch
}
