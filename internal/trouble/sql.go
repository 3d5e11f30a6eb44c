package trouble

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const sqlFlag = "--database-url"

// The troubles common to both databases. Full means that the disk is full.
var (
	Full     = Trouble{"its disk is full", "make room on its disk; meanwhile pages can be read, and nothing can be sent or marked for good. It recovers by itself", Changes}
	disk     = Trouble{"its file cannot be read or written", "check whether its disk is full or broken, and the permissions on it", Changes}
	locked   = Trouble{"another process has it locked", "end what holds it, such as a shell of sqlite3 in a transaction, or wait for it; meanwhile pages can be read, and nothing can be sent", Changes}
	readOnly = Trouble{"it is read-only", "correct --database-url, which leads to a standby, or the mode of the file", Changes}
)

// states maps the codes of PostgreSQL, and of PgBouncer, to their troubles.
var states = map[string]Trouble{
	"28P01": {"it refuses the user or the password", "correct the user and the password in --database-url, or in --database-password-file", Refused},
	"28000": {"it does not let this user in from this machine", "add a line for the user, the database and this machine to pg_hba.conf. If the detail says `no encryption`, ask for TLS: sslmode=require", Refused},
	"3D000": {"it has no such database", "create it (`createdb --owner=USER NAME`), or correct its name in --database-url", Refused},
	"42501": {"its user lacks a right", "make the user the owner of the database and of Carillon's tables: ALTER DATABASE … OWNER TO …, or GRANT CREATE, USAGE ON SCHEMA public TO …", Refused},
	"3F000": {"it has no such schema", "create the schema, or correct search_path in --database-url", Refused},
	"57P03": {"it is starting or stopping", "wait: Carillon goes on as soon as it takes connections", Away},
	"57P01": {"it is being stopped", "wait until it runs again", Away},
	"57P02": {"it has crashed and recovers", "wait: Carillon goes on as soon as it takes connections", Away},
	"53300": {"it has no connection left", "raise max_connections, put PgBouncer before it, or find out who holds them (pg_stat_activity)", Away},
	"55000": {"it takes no connections to this database", "allow them: ALTER DATABASE … ALLOW_CONNECTIONS true", Away},
	"26000": {"a pooler before it mixes up prepared statements", "let Carillon know: add default_query_exec_mode=exec to --database-url", Refused},
	"53100": Full,
	"58030": disk,
	"55P03": locked,
	"25006": readOnly,
}

// pooler maps the messages of PgBouncer with the code of a protocol violation to their troubles.
var pooler = []answer{
	{"no such database", states["3D000"]},
	{"no such user", states["28P01"]},
	{"password authentication failed", states["28P01"]},
	{"SASL authentication failed", states["28P01"]},
	{"unsupported startup parameter", Trouble{"PgBouncer refuses a parameter of the connection", "remove it from --database-url, or add it to ignore_startup_parameters in pgbouncer.ini", Refused}},
	{"transaction blocks not allowed in statement pooling mode", Trouble{"PgBouncer pools single statements, and Carillon needs transactions", "set pool_mode=transaction (or session) in pgbouncer.ini", Refused}},
	{"no more connections allowed", Trouble{"PgBouncer has its maximum number of clients", "raise max_client_conn in pgbouncer.ini", Away}},
	{"query_wait_timeout", Trouble{"PgBouncer has no free connection to PostgreSQL", "raise default_pool_size in pgbouncer.ini, or see why PostgreSQL is slow", Away}},
	{"pgbouncer cannot connect to server", Trouble{"PgBouncer does not reach PostgreSQL", "see the log of PgBouncer", Away}},
	{"server login has been failing", Trouble{"PgBouncer cannot sign in at PostgreSQL", "see the log of PgBouncer", Away}},
	{"server conn crashed", Trouble{"PgBouncer has lost PostgreSQL", "see the log of PgBouncer", Away}},
}

// OfSQL returns the trouble behind an error of a call to SQLite or PostgreSQL.
func OfSQL(err error) Trouble {
	var lite *sqlite.Error
	var pg *pgconn.PgError
	switch {
	case err == nil:
		return Trouble{}
	case errors.As(err, &lite):
		return ofSQLite(lite.Code() & 0xff) // the rest is detail
	case errors.As(err, &pg):
		return ofPostgres(pg)
	}
	return network(err, sqlFlag)
}

func ofSQLite(code int) Trouble {
	switch code {
	case sqlite3.SQLITE_FULL:
		return Full
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return disk
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return locked
	case sqlite3.SQLITE_READONLY:
		return readOnly
	}
	return Trouble{}
}

func ofPostgres(reply *pgconn.PgError) Trouble {
	for _, a := range pooler {
		if strings.HasPrefix(reply.Message, a.begins) {
			return a.means
		}
	}
	return states[reply.Code]
}
