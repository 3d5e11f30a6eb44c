package source

import (
	"errors"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Fault is why a source refuses a statement, for those reasons that its owner has to mend.
type Fault string

// The faults.
const (
	NoTable  Fault = "no table"
	NoColumn Fault = "no column"
	NoRight  Fault = "no right"  // the user lacks a right on the table or one of its columns
	ReadOnly Fault = "read-only" // the database, or the server, as a replica is
)

// postgresFaults and mysqlFaults map the codes of errors.
var (
	postgresFaults = map[string]Fault{"42P01": NoTable, "3F000": NoTable, "42703": NoColumn, "42501": NoRight, "25006": ReadOnly}
	mysqlFaults    = map[uint16]Fault{
		1146: NoTable, 1054: NoColumn, 1142: NoRight, 1143: NoRight, 1044: NoRight, 1290: ReadOnly, 1792: ReadOnly, 1836: ReadOnly,
	}
)

// FaultOf returns the fault behind an error of a statement; empty: another reason.
func FaultOf(err error) Fault {
	var pg *pgconn.PgError
	var my *mysql.MySQLError
	var lite *sqlite.Error
	switch {
	case errors.As(err, &pg):
		return postgresFaults[pg.Code]
	case errors.As(err, &my):
		return mysqlFaults[my.Number]
	case !errors.As(err, &lite):
		return ""
	case lite.Code()&0xff == sqlite3.SQLITE_READONLY:
		return ReadOnly
	case strings.Contains(lite.Error(), "no such table"):
		return NoTable
	case strings.Contains(lite.Error(), "no such column"):
		return NoColumn
	}
	return ""
}
