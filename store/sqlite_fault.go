package store

import (
	"errors"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

func (sqliteDialect) fault(err error) fault {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return closedFault(err)
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return faultConflict
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return faultMissing
	case sqlite3.SQLITE_CONSTRAINT_NOTNULL: // our statements set every column in this version of the schema
		return faultSchema
	case sqlite3.SQLITE_SCHEMA:
		return faultSchema
	case sqlite3.SQLITE_ERROR: // a code shared by several causes
		if strings.Contains(e.Error(), "no such ") || strings.Contains(e.Error(), "has no column named") {
			return faultSchema
		}
	}
	switch e.Code() & 0xff { // the rest is detail
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return faultAway
	}
	return faultOther
}
