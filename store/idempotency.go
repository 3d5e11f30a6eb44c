package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// keyRetries is the maximum number of retries when a key disappears between the two statements that read it.
const keyRetries = 3

// addNoticesQuery stores rows, some of which have keys, and the audit log entries of their deeds.
// The transaction that claims a key stores its row; a concurrent one with the same key
// waits, and gets the key only if the first one rolls back. Keys are claimed in order, so that
// two transactions with several keys cannot deadlock. The object and the detail of an entry
// come from deedOn.
const addNoticesQuery = `WITH input AS MATERIALIZED (
		SELECT nextval('notices_id_seq') AS id, r.* FROM unnest(` + postgresArrays + `, $25::text[], $26::text[], $27::text[], $28::bytea[], $30::bigint[])
			WITH ORDINALITY AS r (` + postgresNotices + `, owner_kind, owner_id, key, digest, deed, place)
	), claimed AS (
		INSERT INTO idempotency_keys (owner_kind, owner_id, key, digest, notice_id, created_at)
		SELECT owner_kind, owner_id, key, digest, id, $29 FROM input WHERE key IS NOT NULL ORDER BY owner_kind, owner_id, key, place
		ON CONFLICT DO NOTHING RETURNING notice_id
	), fresh AS MATERIALIZED (
		SELECT * FROM input WHERE key IS NULL OR id IN (SELECT notice_id FROM claimed)
	), stored AS (
		INSERT INTO notices (id, ` + postgresNotices + `) OVERRIDING SYSTEM VALUE SELECT id, ` + postgresNotices + ` FROM fresh
	), asked AS (
		INSERT INTO asks (notice_id, closes_at, needs, otherwise) SELECT id, closes_at, needs, otherwise FROM fresh
		JOIN unnest($38::bigint[], $39::bigint[], $40::bigint[], $41::text[]) q (asking, closes_at, needs, otherwise) ON asking = place
	), tasked AS (
		INSERT INTO tasks (notice_id, finish, within, late_at, passes_to) SELECT id, finish, within, late_at, passes_to FROM fresh
		JOIN unnest($42::bigint[], $43::text[], $44::bigint[], $45::bigint[], $46::text[]) t (tasking, finish, within, late_at, passes_to) ON tasking = place
	), recorded AS (
		INSERT INTO audit_log (at, actor_kind, actor_id, action, object_kind, object_id, detail, address)
		SELECT $29, actor_kind, actor_id, action, CASE WHEN object_kind = '' AND many = 1 THEN 'notice' ELSE object_kind END,
			CASE WHEN object_kind = '' AND many = 1 THEN CAST(low AS TEXT) ELSE object_id END,
			CASE WHEN object_kind = '' AND many > 1 THEN many || ' notices, ' || low || ' to ' || high ELSE detail END, address
		FROM unnest($31::text[], $32::text[], $33::text[], $34::text[], $35::text[], $36::text[], $37::text[])
			WITH ORDINALITY AS d (actor_kind, actor_id, action, object_kind, object_id, detail, address, n)
		JOIN (SELECT deed, COUNT(*) AS many, MIN(id) AS low, MAX(id) AS high FROM fresh GROUP BY deed) f ON f.deed = n
		WHERE actor_kind <> '' ORDER BY n
	)
	SELECT id, key IS NULL OR id IN (SELECT notice_id FROM claimed) FROM input ORDER BY place`

// addNotices stores the rows whose requests are new, in one round trip, with a single
// self-committing statement over arrays. It replays the others from the earlier requests. An
// error during the replay affects only those rows.
func (postgresDialect) addNotices(ctx context.Context, s *Store, rows []*noticeRow) error {
	known, err := claim(ctx, s, rows)
	if err != nil {
		return err
	}
	for tries := keyRetries; len(known) > 0; tries-- {
		gone, err := replay(ctx, s, known)
		if err == nil && tries == 0 {
			err = fmt.Errorf("%w: the idempotency keys vanished while they were being read", notifier.ErrUnavailable)
		}
		if err == nil {
			known, err = claim(ctx, s, gone)
		}
		if err != nil {
			for _, n := range gone {
				n.err = err
			}
			return nil // the other rows are stored, and these have the error
		}
	}
	return nil
}

// claim stores the rows that have no key or are the first with their key, and returns the others.
func claim(ctx context.Context, s *Store, rows []*noticeRow) (known []*noticeRow, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	asked := requestArraysOf(rows)
	digests := make([][]byte, len(rows))
	for i, n := range rows {
		if n.once != nil {
			digests[i] = n.once.Digest
		}
	}
	args := append(arraysOf(rows).args(), asked.kinds, asked.owners, asked.keys, digests, millis(s.now()))
	args = append(append(args, deedArrays(rows)...), askArrays(rows)...)
	args = append(args, taskArrays(rows)...)
	hooked, err := s.wants(ctx, s.write, notifier.EventNoticeSent)
	if err != nil {
		return nil, err
	}
	if !hooked && !slices.ContainsFunc(rows, (*noticeRow).passesOn) {
		return addClaimed(ctx, s.write, rows, args)
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		if known, err = addClaimed(ctx, tx, rows, args); err != nil {
			return err
		}
		fresh := slices.DeleteFunc(slices.Clone(rows), func(n *noticeRow) bool { return slices.Contains(known, n) })
		if err := s.passOn(ctx, tx, fresh); err != nil {
			return err
		}
		return s.emitNotices(ctx, tx, notifier.EventNoticeSent, sentNow(fresh)...)
	})
	return known, err
}

// addClaimed runs addNoticesQuery and sets the id of each row. It returns the rows that were not stored, because another request has
// their key.
func addClaimed(ctx context.Context, on querier, rows []*noticeRow, args []any) (known []*noticeRow, err error) {
	stored, err := on.QueryContext(ctx, addNoticesQuery, args...)
	i := 0
	err = each(stored, err, func(found *sql.Rows) error {
		n, fresh := rows[i], false // the result has one row for each, in the same order
		i++
		if err := found.Scan(&n.id, &fresh); err != nil {
			return err
		}
		if !fresh {
			known = append(known, n)
		}
		return nil
	})
	return known, err
}

// replay fills rows from the earlier requests with the same keys. gone contains the rows whose keys no
// longer exist, or all rows after an error.
func replay(ctx context.Context, s *Store, rows []*noticeRow) (gone []*noticeRow, err error) {
	type request struct{ kind, owner, key string }
	type answer struct {
		id     int64
		digest []byte
	}
	asked := requestArraysOf(rows)
	known := make(map[request]answer, len(rows))
	found, err := s.write.QueryContext(ctx, `SELECT owner_kind, owner_id, key, notice_id, digest FROM idempotency_keys
		JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[]) r (owner_kind, owner_id, key)) asked
		USING (owner_kind, owner_id, key)`, asked.kinds, asked.owners, asked.keys)
	err = each(found, err, func(row *sql.Rows) error {
		var r request
		var a answer
		err := row.Scan(&r.kind, &r.owner, &r.key, &a.id, &a.digest)
		known[r] = a
		return err
	})
	if err != nil {
		return rows, err
	}
	for _, n := range rows {
		if a, ok := known[request{string(n.once.Owner.Kind), refID(n.once.Owner), n.once.Key}]; ok {
			n.replay(a.id, a.digest)
		} else {
			gone = append(gone, n)
		}
	}
	return gone, nil
}

// requestArrays contains the requests of rows by column; nil for a row without a request.
type requestArrays struct{ kinds, owners, keys []*string }

func requestArraysOf(rows []*noticeRow) requestArrays {
	a := requestArrays{make([]*string, len(rows)), make([]*string, len(rows)), make([]*string, len(rows))}
	for i, n := range rows {
		if n.once != nil {
			kind, id := string(n.once.Owner.Kind), refID(n.once.Owner)
			a.kinds[i], a.owners[i], a.keys[i] = &kind, &id, &n.once.Key
		}
	}
	return a
}

// forgetBatch is the number of keys deleted by one transaction. Senders wait for it.
const forgetBatch = 5000

// outboxTail is how long before the newest key of an outbox the keys of one read of it may be.
const outboxTail = time.Minute

// ForgetKeys deletes the idempotency keys of requests accepted before then and returns their
// number: a later repetition of such a request counts as new. It does not block writers for
// long. After an error, some keys may already be deleted.
//
// The last keys of each outbox stay: their rows may still be in the database of the application, if that has been away since
// they were accepted.
func (s *Store) ForgetKeys(ctx context.Context, before time.Time) (int64, error) {
	spare, args, err := s.outboxTails(ctx, before)
	if err != nil {
		return 0, s.fail(err, "find the last keys of outboxes")
	}
	args = append([]any{millis(before), forgetBatch}, args...)
	total := int64(0)
	for {
		n, err := s.exec(ctx, `DELETE FROM idempotency_keys WHERE (owner_kind, owner_id, key) IN
			(SELECT owner_kind, owner_id, key FROM idempotency_keys WHERE created_at < $1`+spare+` ORDER BY created_at LIMIT $2)`, args...)
		total += n
		if err != nil || n < forgetBatch {
			return total, s.fail(err, "delete the idempotency keys from before %s", before.Format(time.RFC3339))
		}
	}
}

// outboxTails returns the condition that leaves out the last keys of the outboxes that have sent nothing since a time, with its
// arguments from $3.
func (s *Store) outboxTails(ctx context.Context, since time.Time) (condition string, args []any, err error) {
	rows, err := s.read.QueryContext(ctx, `SELECT owner_id, MAX(created_at) FROM idempotency_keys WHERE owner_kind = 'outbox'
		GROUP BY owner_id HAVING MAX(created_at) < $1`, millis(since.Add(outboxTail)))
	err = each(rows, err, func(row *sql.Rows) error {
		var owner string
		var last int64
		if err := row.Scan(&owner, &last); err != nil {
			return err
		}
		n := len(args) + 3
		condition += fmt.Sprintf(` AND NOT (owner_kind = 'outbox' AND owner_id = $%d AND created_at >= $%d)`, n, n+1)
		args = append(args, owner, last-outboxTail.Milliseconds())
		return nil
	})
	return condition, args, err
}
