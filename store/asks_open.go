package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// OpenAsks returns the ids of the newest open questions, newest first.
func (s *Store) OpenAsks(ctx context.Context, most int) (ids []int64, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT notice_id FROM asks WHERE state = 'open' ORDER BY notice_id DESC LIMIT $1`, most)
	return ids, s.fail(err, "list open questions")
}

// AskedIn returns whom these questions ask. Those whose recipients are not stored yet are missing.
func (s *Store) AskedIn(ctx context.Context, ids []int64) (asked []notifier.OpenAsk, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.all(ctx, func(rows *sql.Rows) error {
		q, to, err := scanAsk(rows)
		if err == nil && !to.IsEmpty() {
			asked = append(asked, notifier.OpenAsk{ID: q.ID, Key: q.Key(), To: to})
		}
		return err
	}, askedNotice+`WHERE `+s.dialect.within("ask_id", 1), s.dialect.numberList(ids))
	return asked, s.fail(err, "read whom questions ask")
}
