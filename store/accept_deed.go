package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// recordDeeds adds an audit log entry for each call whose rows this transaction stored. The rows of a call are
// adjacent.
func (s *Store) recordDeeds(ctx context.Context, tx *sql.Tx, rows []*noticeRow) error {
	for len(rows) > 0 {
		deed, count, first, last := rows[0].deed, 0, int64(0), int64(0)
		for len(rows) > 0 && rows[0].deed == deed {
			if n := rows[0]; !n.replayed && n.err == nil {
				if count++; count == 1 {
					first = n.id
				}
				last = n.id
			}
			rows = rows[1:]
		}
		if count == 0 {
			continue
		}
		object, detail := deedOn(deed, count, first, last)
		if err := s.record(ctx, tx, deed.By, deed.Action, object, detail); err != nil {
			return err
		}
	}
	return nil
}

// sentNow returns the ids of the notices that this transaction stored and that are on their way.
func sentNow(rows []*noticeRow) []int64 {
	ids := make([]int64, 0, len(rows))
	for _, n := range rows {
		if !n.replayed && n.err == nil && n.id > 0 && n.State == notifier.StateAccepted {
			ids = append(ids, n.id)
		}
	}
	return ids
}

// deedOn returns the object and the detail of a deed that stored count notices, with ids from first to last.
func deedOn(of *notifier.Deed, count int, first, last int64) (object notifier.Ref, detail string) {
	switch {
	case !of.Object.IsZero():
		return of.Object, of.Detail
	case count == 1:
		return notifier.NoticeRef(first), of.Detail
	}
	return notifier.Ref{}, fmt.Sprintf("%d notices, %d to %d", count, first, last)
}

// deedArrays returns the parameters of addNoticesQuery that describe the deeds: for each row the index of its deed, and
// the deeds by column.
func deedArrays(rows []*noticeRow) []any {
	of := make([]int64, len(rows))
	columns := make([][]string, 7)
	for i, n := range rows {
		if i == 0 || n.deed != rows[i-1].deed {
			for c, value := range []string{
				string(n.deed.By.Kind), refID(n.deed.By.Ref), n.deed.Action, string(n.deed.Object.Kind), refID(n.deed.Object), n.deed.Detail, text(n.deed.By.Address),
			} {
				columns[c] = append(columns[c], value)
			}
		}
		of[i] = int64(len(columns[0]))
	}
	args := []any{of}
	for _, column := range columns {
		args = append(args, column)
	}
	return args
}
