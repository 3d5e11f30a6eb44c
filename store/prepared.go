package store

import (
	"context"
	"database/sql"
	"time"
)

// statements are the prepared statements of the readers that most requests run. SQLite needs longer
// to parse them than to run them, most of all those over a list; so each connection parses them once.
type statements struct {
	session *sql.Stmt // a session that is not in the cache
	user    *sql.Stmt // a user by name
	names   *sql.Stmt // the numbers of names
	muted   *sql.Stmt // those of a few users who have muted a type
}

// prepare prepares the statements. They are closed with the database.
func (s *Store) prepare(ctx context.Context) (err error) {
	prepared := func(query string) (statement *sql.Stmt) {
		if err == nil {
			statement, err = s.read.PrepareContext(ctx, query)
		}
		return statement
	}
	s.ready.session = prepared(sessionQuery)
	s.ready.user = prepared(userQuery(`u.name = $1`))
	s.ready.names = prepared(`SELECT name, seq FROM users WHERE ` + s.dialect.within("name", 1))
	s.ready.muted = prepared(`SELECT seq FROM mutes WHERE type = $1 AND ` + s.dialect.within("seq", 2))
	return err
}

// ask runs a prepared query and hands each row to scan.
func (s *Store) ask(ctx context.Context, query *sql.Stmt, scan func(*sql.Rows) error, args ...any) error {
	began := time.Now()
	rows, err := query.QueryContext(ctx, args...)
	s.timing.since(CallQuery, began)
	return each(rows, err, scan)
}
