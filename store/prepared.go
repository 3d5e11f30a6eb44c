package store

import (
	"context"
	"database/sql"
	"time"
)

// statements contains the prepared statements of most requests. On SQLite, parsing takes longer than
// running, especially for statements over a list; so each connection parses them once.
type statements struct {
	sessions statement // sessions that are not in the cache
	user     statement // a user by name
	named    statement // the numbers of names, and the users who have muted a type
	muted    statement // which of a few users have muted a type

	// For SQLite's writer; on PostgreSQL, one statement handles all rows of a call.
	addNotice *sql.Stmt // a notice
	findKey   *sql.Stmt // an idempotency key
	addKey    *sql.Stmt // an idempotency key
	confirm   *sql.Stmt // a notice that was delivered
	confirmed *sql.Stmt // whether it was already confirmed
	audit     *sql.Stmt // an entry of the audit log
}

// statement is a query used by most requests. On PostgreSQL it is not prepared here: the driver does that for each
// connection, unless there is a pooler.
type statement struct {
	on    *pool
	query string
	made  *sql.Stmt // nil on PostgreSQL
}

// QueryContext runs the query.
func (q statement) QueryContext(ctx context.Context, args ...any) (*sql.Rows, error) {
	if q.made == nil {
		return q.on.DB.QueryContext(ctx, q.query, args...)
	}
	return q.made.QueryContext(ctx, args...)
}

// prepare prepares the statements. They are closed with the database.
func (s *Store) prepare(ctx context.Context) (err error) {
	on := func(p *pool) func(query string) *sql.Stmt {
		return func(query string) (statement *sql.Stmt) {
			if err == nil {
				statement, err = p.PrepareContext(ctx, query)
			}
			return statement
		}
	}
	prepared := on(s.read)
	query := func(text string) statement {
		if s.read == s.write {
			return statement{on: s.read, query: text}
		}
		return statement{made: prepared(text)}
	}
	s.ready.sessions = query(sessionsQuery + s.dialect.within("s.id", 1))
	s.ready.user = query(userQuery(`u.name = $1`))
	s.ready.named = query(`SELECT name, seq, EXISTS (SELECT 1 FROM mutes m WHERE m.type = $1 AND m.seq = users.seq)
		FROM users WHERE ` + s.dialect.within("name", 2))
	s.ready.muted = query(`SELECT seq FROM mutes WHERE type = $1 AND ` + s.dialect.within("seq", 2))
	if s.read == s.write {
		return err
	}
	prepared = on(s.write)
	s.ready.addNotice = prepared(`INSERT INTO notices
		(state, rev, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id, search,
			recipients, recipient_count, reasons, send_at, app_id, owner, due_at, trace, extras)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`)
	s.ready.findKey = prepared(`SELECT notice_id, digest FROM idempotency_keys WHERE owner_kind = $1 AND owner_id = $2 AND key = $3`)
	s.ready.addKey = prepared(`INSERT INTO idempotency_keys (owner_kind, owner_id, key, digest, notice_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)`)
	s.ready.confirm = prepared(`UPDATE notices SET state = 'sent', done = 0 WHERE id = $1 AND rev = $2 AND state = 'accepted'`)
	s.ready.confirmed = prepared(`SELECT EXISTS (SELECT 1 FROM notices WHERE id = $1 AND rev = $2 AND state = 'sent')`)
	s.ready.audit = prepared(addAuditEntry)
	return err
}

// ask runs a prepared short query and passes each row to scan.
func (s *Store) ask(ctx context.Context, query statement, scan func(*sql.Rows) error, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	rows, err := query.QueryContext(s.dialect.brief(ctx), args...)
	s.timing.since(ctx, CallQuery, began)
	return each(rows, err, scan)
}
