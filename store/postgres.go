package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxConnections = 16
	connectLimit   = 5 * time.Second
)

type postgresDialect struct{ db *sql.DB }

func (s *Store) openPostgres(url string, password func() (string, error)) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err) // pgx leaves out the password
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectLimit
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "carillon"
	}
	db := openPooled(cfg, password)
	db.SetMaxOpenConns(maxConnections)
	db.SetMaxIdleConns(maxConnections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	both := &pool{db, s.timing}
	s.read, s.write, s.dialect = both, both, postgresDialect{db}
	return nil
}

func (postgresDialect) schema() (goose.Dialect, string) { return goose.DialectPostgres, "postgres" }

// brief returns ctx: a statement needs a network round trip.
func (postgresDialect) brief(ctx context.Context) context.Context { return ctx }

func (postgresDialect) within(column string, n int) string {
	return column + " = ANY($" + strconv.Itoa(n) + ")"
}

func (postgresDialect) textList(values []string) any { return values }

func (postgresDialect) numberList(values []int64) any { return values }

func (postgresDialect) lockRows(table string) string { return " FOR UPDATE OF " + table }

func (postgresDialect) skipLocked() string { return " FOR UPDATE SKIP LOCKED" }

func (postgresDialect) pairs(first, second string, n int) string {
	return "SELECT DISTINCT value ->> 0 AS " + first + ", value ->> 1 AS " + second + " FROM json_array_elements($" + strconv.Itoa(n) + "::json)"
}

// locked always returns false: PostgreSQL waits for locks itself and respects the context.
func (postgresDialect) locked(error) bool { return false }

func (postgresDialect) fault(err error) fault {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return connectionFault(err)
	}
	switch pg.Code {
	case "23505": // unique_violation
		return faultConflict
	case "23503": // foreign_key_violation
		return faultMissing
	case "25006", // read_only_sql_transaction: a standby, before it is promoted
		"3D000",          // invalid_catalog_name: the database does not exist
		"40001", "40P01", // serialization_failure, deadlock_detected: nothing was done
		"55000": // object_not_in_prerequisite_state: connections are not allowed
		return faultAway
	case "42703", "42P01", "42883", // undefined column, table, function
		"23502": // not_null_violation: our statements set every column in this version of the schema
		return faultSchema
	case "0A000": // feature_not_supported
		if strings.Contains(pg.Message, "cached plan") { // a column was added since the statement was prepared
			return faultSchema
		}
	}
	switch pg.Code[:min(2, len(pg.Code))] {
	case "08", "28", "53", "57", "58": // connection, authorization, resources, operator, system
		return faultAway
	}
	return faultOther
}

// connectionFault classifies an error that is not a response of the server.
func connectionFault(err error) fault {
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect), errors.As(err, &network), pgconn.SafeToRetry(err), pgconn.Timeout(err),
		errors.Is(err, driver.ErrBadConn), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed):
		return faultAway
	}
	return closedFault(err)
}

// closedFault recognizes an error of database/sql that has no exported name.
func closedFault(err error) fault {
	if strings.Contains(err.Error(), "sql: database is closed") {
		return faultAway
	}
	return faultOther
}

// subscribers looks up each topic of t. OFFSET 0 forces that plan: the planner cannot estimate how few
// topics t has, and would otherwise read all subscriptions.
func (postgresDialect) subscribers() string {
	return `SELECT t.type, t.scope, s.seq, '' FROM t CROSS JOIN LATERAL (
			SELECT seq FROM subscriptions WHERE type = t.type AND scope = t.scope AND seq IS NOT NULL OFFSET 0) s
		UNION ALL SELECT t.type, t.scope, 0, r.name FROM t CROSS JOIN LATERAL (
			SELECT role_id FROM subscriptions WHERE type = t.type AND scope = t.scope AND role_id IS NOT NULL OFFSET 0) s
			JOIN roles r ON r.id = s.role_id`
}

// addUsers inserts all rows with one statement over arrays.
func (postgresDialect) addUsers(ctx context.Context, tx *sql.Tx, rows []userRow) (int, error) {
	n := len(rows)
	seqs, audiences := make([]int64, n), make([]int64, n)
	names, folds, hashes, locales := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, u := range rows {
		seqs[i], names[i], folds[i], hashes[i] = u.seq, u.Name, u.fold, u.PasswordHash
		audiences[i], locales[i] = int64(u.Audience), u.Locale
	}
	added, err := tx.QueryContext(ctx, `INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at)
		SELECT u.*, $7::bigint FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[]) u
		ON CONFLICT (name) DO NOTHING RETURNING seq`,
		seqs, names, folds, hashes, audiences, locales, rows[0].created)
	if err != nil {
		return -1, err
	}
	defer func() { _ = added.Close() }()
	found := make(map[int64]bool, n)
	for added.Next() {
		var seq int64
		if err := added.Scan(&seq); err != nil {
			return -1, err
		}
		found[seq] = true
	}
	if err := added.Err(); err != nil {
		return -1, err
	}
	for i, u := range rows {
		if !found[u.seq] {
			return i, nil
		}
	}
	return -1, nil
}

func (postgresDialect) addMembers(ctx context.Context, tx *sql.Tx, roles, seqs []int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO role_members (role_id, seq)
		SELECT DISTINCT * FROM unnest($1::bigint[], $2::bigint[])
		ON CONFLICT (role_id, seq) DO UPDATE SET app_id = 0 WHERE role_members.app_id <> 0`, roles, seqs)
	return err
}

// saveReads stores all segments with one statement over arrays. It locks the announcements: an
// edit that marks one as unread for all users waits until the segments are stored, and then
// deletes them; after such an edit saveReads reads the new reads_from and drops the segments.
func (postgresDialect) saveReads(ctx context.Context, tx *sql.Tx, segments []notifier.ReadSegment) error {
	n := len(segments)
	ids, audiences, numbers := make([]int64, n), make([]int64, n), make([]int64, n)
	vers, from := make([]int64, n), make([]int64, n)
	bits := make([][]byte, n)
	for i, r := range segments {
		ids[i], audiences[i], numbers[i], vers[i] = r.ID, int64(r.Audience), int64(r.Segment), r.Ver
		from[i] = r.From
		bits[i] = append([]byte{}, r.Bits...) // nil means no reads; it must not become NULL
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO announcement_reads (announcement_id, audience, segment, ver, bits)
		SELECT announcement_id, audience, segment, ver, bits
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[])
			r (announcement_id, audience, segment, ver, bits, reads_from)
		JOIN announcement_audiences USING (announcement_id, audience)
		JOIN announcements a ON a.notice_id = announcement_id AND a.reads_from = r.reads_from
		ORDER BY announcement_id, audience, segment FOR SHARE OF a
		ON CONFLICT (announcement_id, audience, segment) DO UPDATE SET ver = excluded.ver, bits = excluded.bits
		WHERE excluded.ver > announcement_reads.ver`, ids, audiences, numbers, vers, bits, from)
	return err
}

// markTargets locks the targets in order before it changes them, so that it cannot deadlock with Step.
func (postgresDialect) markTargets(ctx context.Context, tx *sql.Tx, set, where string, rows []unreadRow) (marked []int64, err error) {
	seqs, newest, urgent := make([]int64, len(rows)), make([]int64, len(rows)), make([]int64, len(rows))
	for i, u := range rows {
		seqs[i], newest[i], urgent[i] = u.seq, u.newest, u.urgent
	}
	if _, err := tx.ExecContext(ctx, `SELECT 1 FROM targets WHERE seq = ANY($1) ORDER BY id FOR UPDATE`, seqs); err != nil {
		return nil, err
	}
	//nolint:gosec // set and where come from the caller in marks.go, which joins constants
	found, err := tx.QueryContext(ctx, `UPDATE targets`+set+` FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) x (seq, newest, urgent)
		WHERE targets.seq = x.seq`+where+` RETURNING targets.seq`, seqs, newest, urgent)
	err = each(found, err, func(row *sql.Rows) error {
		var seq int64
		err := row.Scan(&seq)
		marked = append(marked, seq)
		return err
	})
	return marked, err
}
