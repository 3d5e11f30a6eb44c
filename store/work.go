package store

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// claimQuery must repeat the predicate of the partial index notices_unfinished: see unfinished.
const claimQuery = `SELECT id, tries, owner, trace FROM notices WHERE ` + unfinished + ` AND due_at <= $1 ORDER BY id LIMIT $2`

const workColumns = `id, kind, notice_id, from_seq, to_seq, since, again, had, tries, owner, trace`

// ClaimNotices claims up to limit unfinished, due notices, by id. It returns only NoticeID,
// Trace, and Tries and Owner from before the claim. It skips notices that another instance is claiming
// concurrently.
func (s *Store) ClaimNotices(ctx context.Context, c notifier.Claim, limit int) ([]notifier.Work, error) {
	var due []notifier.Work
	scan := func(rows *sql.Rows) error {
		var w notifier.Work
		err := rows.Scan(&w.NoticeID, &w.Tries, &w.Owner, &w.Trace)
		due = append(due, w)
		return err
	}
	err := s.claim(ctx, c, "notices", claimQuery, limit, scan, &due)
	return due, s.fail(err, "claim notices")
}

// ClaimWork claims up to limit due rows of work, by id. Tries and Owner are from before the
// claim.
func (s *Store) ClaimWork(ctx context.Context, c notifier.Claim, limit int) ([]notifier.Work, error) {
	var due []notifier.Work
	scan := func(rows *sql.Rows) error {
		var w notifier.Work
		var since int64
		err := rows.Scan(&w.ID, &w.Kind, &w.NoticeID, &w.From, &w.To, &since, &w.Again, &w.Had, &w.Tries, &w.Owner, &w.Trace)
		w.Since = fromMillis(since)
		due = append(due, w)
		return err
	}
	err := s.claim(ctx, c, "work", `SELECT `+workColumns+` FROM work WHERE due_at <= $1 ORDER BY id LIMIT $2`, limit, scan, &due)
	return due, s.fail(err, "claim work")
}

// claim runs query, which selects due rows, and assigns the rows found to c. It queries the readers
// first, so that an instance without work does not block writers.
func (s *Store) claim(ctx context.Context, c notifier.Claim, table, query string, limit int, scan func(*sql.Rows) error, due *[]notifier.Work) error {
	now := millis(s.now())
	var some bool
	err := s.read.QueryRowContext(ctx, `SELECT EXISTS (`+query+`)`, now, 1).Scan(&some)
	if err != nil || !some {
		return err
	}
	return s.tx(ctx, func(tx *sql.Tx) error {
		*due = nil
		rows, err := tx.QueryContext(ctx, query+s.dialect.skipLocked(), now, limit)
		if err = each(rows, err, scan); err != nil || len(*due) == 0 {
			return err
		}
		ids := make([]int64, len(*due))
		for i, w := range *due {
			ids[i] = cmp.Or(w.ID, w.NoticeID)
		}
		_, err = change(ctx, tx, `UPDATE `+table+` SET owner = $1, due_at = $2, tries = tries + 1 WHERE `+s.dialect.within("id", 3),
			c.Owner, millis(c.Until), s.dialect.numberList(ids))
		return err
	})
}

// Renew extends the claim on notices and rows of work that the owner still holds.
func (s *Store) Renew(ctx context.Context, c notifier.Claim, notices, work []int64) error {
	err := s.ofOwner(ctx, c.Owner, `due_at = `, millis(c.Until), notices, work)
	return s.fail(err, "renew the claim on %d notices", len(notices))
}

// GiveBack releases the claim on notices and rows of work that the owner still holds: they are due
// immediately, and this attempt does not count.
func (s *Store) GiveBack(ctx context.Context, owner int64, notices, work []int64) error {
	err := s.ofOwner(ctx, owner, givenBack+`due_at = `, 0, notices, work)
	return s.fail(err, "give back %d notices", len(notices))
}

const givenBack = `owner = 0, tries = CASE WHEN tries > 0 THEN tries - 1 ELSE 0 END, `

// ofOwner changes notices and rows of work that the owner holds.
func (s *Store) ofOwner(ctx context.Context, owner int64, set string, due int64, notices, work []int64) error {
	for _, of := range []struct {
		table string
		ids   []int64
	}{{"notices", notices}, {"work", work}} {
		if len(of.ids) == 0 {
			continue
		}
		_, err := s.exec(ctx, `UPDATE `+of.table+` SET `+set+`$1 WHERE owner = $2 AND `+s.dialect.within("id", 3), due, owner, s.dialect.numberList(of.ids))
		if err != nil {
			return err
		}
	}
	return nil
}

// GiveBackAll releases all claims of the owner: see GiveBack.
func (s *Store) GiveBackAll(ctx context.Context, owner int64) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE notices SET `+givenBack+`due_at = 0 WHERE `+unfinished+` AND owner = $1`, owner)
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE work SET `+givenBack+`due_at = 0 WHERE owner = $1`, owner)
		}
		return err
	})
	return s.fail(err, "give back all work")
}

// Retry releases the claim on failed work, which is due again at due. why is stored in a row of
// work.
func (s *Store) Retry(ctx context.Context, owner int64, w notifier.Work, due time.Time, why string) (err error) {
	if w.ID == 0 {
		_, err = s.exec(ctx, `UPDATE notices SET owner = 0, due_at = $1, tries = $2 WHERE id = $3 AND owner = $4`,
			millis(due), w.Tries+1, w.NoticeID, owner)
	} else {
		_, err = s.exec(ctx, `UPDATE work SET owner = 0, due_at = $1, tries = $2, fault = $3 WHERE id = $4 AND owner = $5`,
			millis(due), w.Tries+1, text(why), w.ID, owner)
	}
	return s.fail(err, "retry work on notice %d", w.NoticeID)
}

// AddWork stores rows of work, due immediately.
func (s *Store) AddWork(ctx context.Context, all ...notifier.Work) error {
	if len(all) == 0 {
		return nil
	}
	err := s.tx(ctx, func(tx *sql.Tx) error { return addWork(ctx, tx, all) })
	return s.fail(err, "store work on %d notices", len(all))
}

func addWork(ctx context.Context, tx *sql.Tx, all []notifier.Work) error {
	for _, w := range all {
		_, err := tx.ExecContext(ctx, `INSERT INTO work (kind, notice_id, from_seq, to_seq, since, again, had, tries, trace) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			string(w.Kind), w.NoticeID, w.From, w.To, millis(w.Since), w.Again, w.Had, w.Tries, w.Trace)
		if err != nil {
			return err
		}
	}
	return nil
}

// AdvanceWork moves the start of a row of work forward to from, stores the work found up to there as more, and renews the claim,
// in one transaction. If c.Owner has lost the claim, it changes nothing and held is false: the next owner finds the same work.
func (s *Store) AdvanceWork(ctx context.Context, c notifier.Claim, id, from int64, more ...notifier.Work) (held bool, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		n, err := change(ctx, tx, `UPDATE work SET from_seq = $1, due_at = $2, tries = 0 WHERE id = $3 AND owner = $4`, from, millis(c.Until), id, c.Owner)
		if held = n > 0; err != nil || !held {
			return err
		}
		return addWork(ctx, tx, more)
	})
	return held && err == nil, s.fail(err, "advance work %d to %d", id, from)
}

// FinishWork deletes a row of work that the owner holds.
func (s *Store) FinishWork(ctx context.Context, owner, id int64) error {
	_, err := s.exec(ctx, `DELETE FROM work WHERE id = $1 AND owner = $2`, id, owner)
	return s.fail(err, "finish work %d", id)
}

// Resending reports whether notices are being delivered again.
func (s *Store) Resending(ctx context.Context) (some bool, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM work WHERE again OR kind = 'resend')`).Scan(&some)
	return some, s.fail(err, "look for notices that are delivered again")
}

// CountWork counts the unfinished notices and rows of work, up to about limit.
func (s *Store) CountWork(ctx context.Context, limit int64) (n int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM notices WHERE `+unfinished+` LIMIT $1) n)
		+ (SELECT COUNT(*) FROM (SELECT 1 FROM work LIMIT $1) w)`, limit).Scan(&n)
	return n, s.fail(err, "count the work of delivery")
}

// Passed reports whether no notice up to id waits for its first attempt, except notices claimed by
// the owner.
func (s *Store) Passed(ctx context.Context, owner, id int64) (passed bool, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM notices WHERE `+unfinished+` AND id <= $1 AND owner <> $2 AND tries = 0)`,
		id, owner).Scan(&passed)
	return passed, s.fail(err, "look for notices that wait")
}
