package store

import (
	"context"
	"database/sql"
)

// statements are those that most requests run, on the readers. SQLite takes longer to
// parse one than to run it, and longest over a list: each connection does so once.
type statements struct {
	session *sql.Stmt // for every session that no cache knows
	user    *sql.Stmt // who bears a name
	names   *sql.Stmt // the numbers of names
	muted   *sql.Stmt // who of a few has muted a type
}

// prepare fills them in. They are closed with the database.
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
func ask(ctx context.Context, query *sql.Stmt, scan func(*sql.Rows) error, args ...any) error {
	rows, err := query.QueryContext(ctx, args...)
	return each(rows, err, scan)
}
