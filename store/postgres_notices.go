package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// postgresNotices are the columns of noticeArrays; postgresArrays are their parameters, the first of
// the statement.
const (
	postgresNotices = `state, rev, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id,
		search, recipients, recipient_count, reasons, send_at, app_id, owner, due_at, trace, extras`
	postgresArrays = `$1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
		$10::text[], $11::text[], $12::boolean[], $13::text[], $14::text[], $15::text[], $16::bytea[], $17::bigint[], $18::bytea[], $19::bigint[], $20::bigint[], $21::bigint[], $22::bigint[], $23::text[], $24::text[]`
)

// noticeArrays contains rows by column.
type noticeArrays struct {
	states, targets, types, scopes, subjects, titles, bodies, links, kinds, senders, searches, traces, extras []string
	revs, created, expires, counts, sendAt, apps, owners, due                                                 []int64
	toasts                                                                                                    []bool
	recipients, reasons                                                                                       [][]byte
}

func arraysOf(rows []*noticeRow) *noticeArrays {
	c := &noticeArrays{}
	for _, n := range rows {
		c.states, c.revs = append(c.states, string(n.State)), append(c.revs, n.Revision)
		c.created, c.expires = append(c.created, millis(n.CreatedAt)), append(c.expires, millis(n.ExpiresAt))
		c.targets, c.types, c.scopes = append(c.targets, n.target), append(c.types, n.Type), append(c.scopes, n.Scope)
		c.subjects, c.titles, c.bodies = append(c.subjects, n.Subject), append(c.titles, n.Title), append(c.bodies, n.Body)
		c.links, c.toasts = append(c.links, n.Link), append(c.toasts, n.Toast)
		c.kinds, c.senders = append(c.kinds, string(n.Sender.Kind)), append(c.senders, refID(n.Sender))
		c.searches, c.traces, c.extras = append(c.searches, n.search), append(c.traces, n.trace), append(c.extras, n.extras)
		c.recipients, c.counts = append(c.recipients, n.recipients), append(c.counts, n.Recipients)
		c.reasons, c.sendAt = append(c.reasons, n.reasons), append(c.sendAt, millis(n.SendAt))
		c.apps, c.owners, c.due = append(c.apps, n.App.ID), append(c.owners, n.claim.Owner), append(c.due, millis(n.claim.Until))
	}
	return c
}

// args returns the parameters of postgresArrays.
func (c *noticeArrays) args() []any {
	return []any{
		c.states, c.revs, c.created, c.expires, c.targets, c.types, c.scopes,
		c.subjects, c.titles, c.bodies, c.links, c.toasts, c.kinds, c.senders, c.searches, c.recipients, c.counts, c.reasons, c.sendAt, c.apps,
		c.owners, c.due, c.traces, c.extras,
	}
}

// confirm updates and checks in one statement, all parts of which read the notices as they were before. Its
// commit does not wait for the disk.
func (postgresDialect) confirm(ctx context.Context, s *Store, ids, revisions []int64) (moved []int64, err error) {
	if hooked, err := s.wants(ctx, s.write, notifier.EventNoticeDelivered); err != nil || !hooked {
		if err != nil {
			return nil, err
		}
		moved, _, err = confirmAll(ctx, s.write, ids, revisions)
		return moved, err
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var delivered []int64
		if moved, delivered, err = confirmAll(ctx, tx, ids, revisions); err != nil {
			return err
		}
		return s.emitNotices(ctx, tx, notifier.EventNoticeDelivered, delivered...)
	})
	return moved, err
}

// confirmAll is confirm, without the events. It also returns the notices that it has changed.
func confirmAll(ctx context.Context, on querier, ids, revisions []int64) (moved, delivered []int64, err error) {
	found, err := on.QueryContext(ctx, `WITH asked AS MATERIALIZED (
			SELECT * FROM unnest($1::bigint[], $2::bigint[]) r (id, rev) WHERE set_config('synchronous_commit', 'off', TRUE) = 'off'
		), confirmed AS (
			UPDATE notices n SET state = 'sent', done = 0 FROM asked
			WHERE n.id = asked.id AND n.rev = asked.rev AND n.state = 'accepted' RETURNING n.id
		)
		SELECT id, FALSE FROM asked WHERE id NOT IN (SELECT id FROM confirmed)
			AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.id = asked.id AND n.rev = asked.rev AND n.state = 'sent')
		UNION ALL SELECT id, TRUE FROM confirmed`, ids, revisions)
	err = each(found, err, func(row *sql.Rows) error {
		var id int64
		var now bool
		err := row.Scan(&id, &now)
		if now {
			delivered = append(delivered, id)
		} else {
			moved = append(moved, id)
		}
		return err
	})
	return moved, delivered, err
}

// saveSnapshots stores all inboxes with one statement over arrays.
func (postgresDialect) saveSnapshots(ctx context.Context, tx *sql.Tx, rows []snapshotRow) error {
	n := len(rows)
	seqs, vers, unread, opened, floor, wakes := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	entries, gone, kept, archived, members := make([][]byte, n), make([][]byte, n), make([][]byte, n), make([][]byte, n), make([][]byte, n)
	for i, r := range rows {
		seqs[i], vers[i], unread[i], opened[i], wakes[i] = r.seq, r.ver, r.unread, r.opened, r.wakes
		floor[i], entries[i], gone[i], kept[i], archived[i], members[i] = r.floor, r.entries, r.gone, r.kept, r.archived, r.members
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO inbox_snapshots (seq, ver, unread, opened, floor, entries, gone, kept, archived, members, wakes)
		SELECT seq, ver, unread, opened, floor, entries, gone, kept, archived, members, wakes
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bigint[])
			r (seq, ver, unread, opened, floor, entries, gone, kept, archived, members, wakes)
		JOIN users USING (seq) ORDER BY seq`+replaceSnapshot, seqs, vers, unread, opened, floor, entries, gone, kept, archived, members, wakes)
	return err
}

// saveCounts raises all counts with one statement over arrays.
func (postgresDialect) saveCounts(ctx context.Context, tx *sql.Tx, counts []notifier.NoticeCount) error {
	n := len(counts)
	ids, partitions, delivered, read := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i, c := range counts {
		ids[i], partitions[i], delivered[i], read[i] = c.NoticeID, int64(c.Partition), c.Delivered, c.Read
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO notice_counts (notice_id, partition, delivered, read)
		SELECT id, partition, delivered, read
		FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) r (id, partition, delivered, read)
		JOIN notices USING (id) ORDER BY id, partition`+raiseCounts, ids, partitions, delivered, read)
	return err
}
