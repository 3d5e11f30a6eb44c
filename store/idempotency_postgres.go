package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// vanishing is how often a key may be forgotten between two looks at it.
const vanishing = 3

// addOnceQuery stores rows of which some have keys. Who claims a key stores the
// row: another who is at the same key is waited for, and only when he gives up
// is it free. The order of the keys keeps two who claim several from waiting for
// each other in a circle.
const addOnceQuery = `WITH input AS MATERIALIZED (
		SELECT nextval('notices_id_seq') AS id, r.* FROM unnest(` + postgresArrays + `, $18::text[], $19::text[], $20::bytea[])
			WITH ORDINALITY AS r (` + postgresNotices + `, owner, key, digest, place)
	), claimed AS (
		INSERT INTO idempotency_keys (owner, key, digest, notice_id, created_at)
		SELECT owner, key, digest, id, $21 FROM input WHERE key IS NOT NULL ORDER BY owner, key, place
		ON CONFLICT DO NOTHING RETURNING notice_id
	), stored AS (
		INSERT INTO notices (id, ` + postgresNotices + `) OVERRIDING SYSTEM VALUE
		SELECT id, ` + postgresNotices + ` FROM input WHERE key IS NULL OR id IN (SELECT notice_id FROM claimed)
	)
	SELECT id, key IS NULL OR id IN (SELECT notice_id FROM claimed) FROM input ORDER BY place`

// addOnce stores rows whose requests were not accepted before. Those that were
// are answered from what is stored then; an error in that is theirs alone.
func addOnce(ctx context.Context, s *Store, rows []*noticeRow) error {
	known, err := claim(ctx, s, rows)
	if err != nil {
		return err
	}
	for tries := vanishing; len(known) > 0; tries-- {
		gone, err := replay(ctx, s, known)
		if err == nil && tries == 0 {
			err = fmt.Errorf("%w: a key comes and goes", notifier.ErrUnavailable)
		}
		if err == nil {
			known, err = claim(ctx, s, gone)
		}
		if err != nil {
			for _, n := range gone {
				n.err = err
			}
			return nil // the others are stored, and these know
		}
	}
	return nil
}

// claim stores the rows that have no key or are the first with theirs, and
// returns the others.
func claim(ctx context.Context, s *Store, rows []*noticeRow) (known []*noticeRow, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	owners, keys, digests := make([]*string, len(rows)), make([]*string, len(rows)), make([][]byte, len(rows))
	for i, n := range rows {
		if n.once != nil {
			owners[i], keys[i], digests[i] = &n.once.Owner, &n.once.Key, n.once.Digest
		}
	}
	stored, err := s.write.QueryContext(ctx, addOnceQuery, append(arraysOf(rows).args(), owners, keys, digests, millis(s.now()))...)
	i := 0
	err = each(stored, err, func(found *sql.Rows) error {
		n, fresh := rows[i], false // as many as there are rows, in their order
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

// replay answers rows from the requests that came before them. gone are those
// whose keys are there no more, or all of them when there is an error.
func replay(ctx context.Context, s *Store, rows []*noticeRow) (gone []*noticeRow, err error) {
	type request struct{ owner, key string }
	type answer struct {
		id     int64
		digest []byte
	}
	owners, keys := make([]string, len(rows)), make([]string, len(rows))
	for i, n := range rows {
		owners[i], keys[i] = n.once.Owner, n.once.Key
	}
	known := make(map[request]answer, len(rows))
	found, err := s.write.QueryContext(ctx, `SELECT owner, key, notice_id, digest FROM idempotency_keys
		JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) r (owner, key)) asked USING (owner, key)`, owners, keys)
	err = each(found, err, func(row *sql.Rows) error {
		var r request
		var a answer
		err := row.Scan(&r.owner, &r.key, &a.id, &a.digest)
		known[r] = a
		return err
	})
	if err != nil {
		return rows, err
	}
	for _, n := range rows {
		if a, ok := known[request{n.once.Owner, n.once.Key}]; ok {
			n.replay(a.id, a.digest)
		} else {
			gone = append(gone, n)
		}
	}
	return gone, nil
}
