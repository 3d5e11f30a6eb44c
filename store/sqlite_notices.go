package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// addNotices inserts row by row: on SQLite a statement with many rows is slower.
func (sqliteDialect) addNotices(ctx context.Context, s *Store, rows []*noticeRow) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		insert := tx.StmtContext(ctx, s.ready.addNotice) //nolint:sqlclosecheck // the transaction closes it
		keys := sqliteKeys{now: millis(s.now()), find: tx.StmtContext(ctx, s.ready.findKey), put: tx.StmtContext(ctx, s.ready.addKey)}
		row := s.dialect.brief(ctx)
		for _, n := range rows {
			known, err := keys.known(row, n)
			if err != nil {
				return err
			}
			if known {
				continue
			}
			res, err := insert.ExecContext(row, string(n.State), n.Revision, millis(n.CreatedAt), millis(n.ExpiresAt), n.target,
				n.Type, n.Scope, n.Subject, n.Title, n.Body, n.Link, n.Toast,
				string(n.Sender.Kind), refID(n.Sender), n.search, n.recipients, n.Recipients, n.reasons, millis(n.SendAt), n.App.ID,
				n.claim.Owner, millis(n.claim.Until), n.trace, n.extras)
			if err != nil {
				return err
			}
			if n.id, err = res.LastInsertId(); err != nil {
				return err
			}
			if err := keys.add(row, n); err != nil {
				return err
			}
			if ask := n.Extras.Ask; ask != nil {
				if _, err := tx.ExecContext(row, addAsk, n.id, millis(ask.ExpiresAt), ask.Rule.Needs, string(ask.Rule.Otherwise)); err != nil {
					return err
				}
			}
			if t := n.task; t != nil {
				if _, err := tx.ExecContext(row, addTask, n.id, t.finish, t.within, t.late, t.passesTo); err != nil {
					return err
				}
			}
		}
		if err := s.passOn(row, tx, rows); err != nil {
			return err
		}
		if err := s.recordDeeds(row, tx, rows); err != nil {
			return err
		}
		return s.emitNotices(row, tx, notifier.EventNoticeSent, sentNow(rows)...)
	})
}

// sqliteKeys handles the idempotency keys within a transaction, which has exclusive access to the
// database.
type sqliteKeys struct {
	now       int64
	find, put *sql.Stmt
}

// known reports whether the request of a row was already accepted; if so, it replays the row.
func (k *sqliteKeys) known(ctx context.Context, n *noticeRow) (bool, error) {
	if n.once == nil {
		return false, nil
	}
	var id int64
	var digest []byte
	switch err := k.find.QueryRowContext(ctx, string(n.once.Owner.Kind), refID(n.once.Owner), n.once.Key).Scan(&id, &digest); {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	}
	n.replay(id, digest)
	return true, nil
}

// add stores the key of a row that was just stored.
func (k *sqliteKeys) add(ctx context.Context, n *noticeRow) error {
	if n.once == nil {
		return nil
	}
	_, err := k.put.ExecContext(ctx, string(n.once.Owner.Kind), refID(n.once.Owner), n.once.Key, n.once.Digest, n.id, k.now)
	return err
}

// confirm updates row by row, as addNotices does. Its commit does not wait for the disk.
func (sqliteDialect) confirm(ctx context.Context, s *Store, ids, revisions []int64) (moved []int64, err error) {
	err = s.withoutSync(ctx, func(tx *sql.Tx) error {
		moved = nil
		var delivered []int64
		confirm, confirmed := tx.StmtContext(ctx, s.ready.confirm), tx.StmtContext(ctx, s.ready.confirmed) //nolint:sqlclosecheck // the transaction closes them
		row := s.dialect.brief(ctx)
		for i, id := range ids {
			res, err := confirm.ExecContext(row, id, revisions[i])
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); n > 0 || err != nil {
				if err != nil {
					return err
				}
				delivered = append(delivered, id)
				continue
			}
			sent := false
			if err := confirmed.QueryRowContext(row, id, revisions[i]).Scan(&sent); err != nil {
				return err
			}
			if !sent {
				moved = append(moved, id)
			}
		}
		return s.emitNotices(row, tx, notifier.EventNoticeDelivered, delivered...)
	})
	return moved, err
}

// withoutSync runs do in a transaction that a crash of the machine, but not of this process, may undo:
// its commit does not wait for the disk; the next syncing commit writes it. It uses the writer's only
// connection, so no other transaction is affected.
func (s *Store) withoutSync(ctx context.Context, do func(*sql.Tx) error) error {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, `PRAGMA synchronous = NORMAL`)
	if err == nil {
		err = s.begun(ctx, func() (*sql.Tx, error) { return conn.BeginTx(ctx, nil) }, do)
	}
	if _, back := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA synchronous = FULL`); back != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // a new connection syncs
	}
	_ = conn.Close()
	return err
}

func (d sqliteDialect) saveSnapshots(ctx context.Context, tx *sql.Tx, rows []snapshotRow) error {
	save, err := tx.PrepareContext(ctx, `INSERT INTO inbox_snapshots (seq, ver, unread, opened, floor, entries, gone, kept, archived, members, wakes)
		SELECT seq, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM users WHERE seq = $1`+replaceSnapshot)
	if err != nil {
		return err
	}
	defer func() { _ = save.Close() }()
	row := d.brief(ctx)
	for _, r := range rows {
		if _, err := save.ExecContext(row, r.seq, r.ver, r.unread, r.opened, r.floor, r.entries, r.gone, r.kept, r.archived, r.members, r.wakes); err != nil {
			return err
		}
	}
	return nil
}

func (d sqliteDialect) saveCounts(ctx context.Context, tx *sql.Tx, counts []notifier.NoticeCount) error {
	save, err := tx.PrepareContext(ctx, `INSERT INTO notice_counts (notice_id, partition, delivered, read)
		SELECT id, $2, $3, $4 FROM notices WHERE id = $1`+raiseCounts)
	if err != nil {
		return err
	}
	defer func() { _ = save.Close() }()
	row := d.brief(ctx)
	for _, c := range counts {
		if _, err := save.ExecContext(row, c.NoticeID, c.Partition, c.Delivered, c.Read); err != nil {
			return err
		}
	}
	return nil
}
