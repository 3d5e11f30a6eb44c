package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// sentByPeople is the condition of the partial index notices_sender.
const sentByPeople = `sender_kind = 'user'`

// sentBySome adds the condition that notices are sent by people, or by programs.
func sentBySome(f *filter, some notifier.Senders) {
	switch some {
	case notifier.SentByAll:
	case notifier.SentByPeople:
		f.add(sentByPeople)
	case notifier.SentByPrograms:
		f.add(`sender_kind <> 'user'`)
	}
}

// onlyByPeople reports whether a query asks for the notices of people without another condition that the index of senders lacks.
func onlyByPeople(q notifier.NoticeQuery) bool {
	return q.Senders == notifier.SentByPeople && q.Names == 0 && q.Since.IsZero() && q.Until.IsZero() &&
		q.Contains == "" && q.Type == "" && q.Sender == "" && q.By.IsZero() && q.Target == "" && q.State == "" && q.Stage == ""
}

// byPeople reads a page of what people have sent. Among a million notices of applications there may be a few of
// people, which no range of ids finds in time. It reads as many ids of each sender as the page holds, from the
// index of senders.
func (s *Store) byPeople(ctx context.Context, q notifier.NoticeQuery) ([]notifier.Notice, error) {
	limit := pageSize(q.Limit)
	senders, err := s.lastSenders(ctx, q, limit)
	if err != nil || len(senders) == 0 {
		return nil, err
	}
	order, beyond := sentOrder(q)
	args := []any{beyond, limit}
	parts := make([]string, len(senders))
	for i, id := range senders {
		args = append(args, id)
		parts[i] = fmt.Sprintf(`SELECT * FROM (SELECT id FROM notices WHERE `+sentByPeople+` AND sender_id = $%d AND id %s $1 ORDER BY id %s LIMIT $2) AS of_%d`,
			len(args), order.beyond, order.sort, i)
	}
	var ids []int64
	err = s.all(ctx, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, strings.Join(parts, ` UNION ALL `), args...)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	if !q.Oldest {
		slices.Reverse(ids)
	}
	ids = ids[:min(len(ids), limit)]
	return s.notices(ctx, `WHERE `+s.dialect.within("id", 1)+` ORDER BY id `+order.sort, s.dialect.numberList(ids))
}

// lastSenders returns the people with the newest notices of the page, or the oldest: at most as many as a page has rows. It visits one entry of the
// index for each person who has ever sent something.
func (s *Store) lastSenders(ctx context.Context, q notifier.NoticeQuery, limit int) (ids []string, err error) {
	order, beyond := sentOrder(q)
	err = s.all(ctx, func(rows *sql.Rows) error {
		var id string
		var last int64
		err := rows.Scan(&id, &last)
		ids = append(ids, id)
		return err
	}, `WITH RECURSIVE people (id) AS (
			SELECT MIN(sender_id) FROM notices WHERE `+sentByPeople+`
			UNION ALL
			SELECT (SELECT MIN(sender_id) FROM notices WHERE `+sentByPeople+` AND sender_id > people.id) FROM people WHERE people.id IS NOT NULL
		)
		SELECT id, last FROM (
			SELECT id, (SELECT `+order.end+`(n.id) FROM notices n WHERE `+sentByPeople+` AND n.sender_id = people.id AND n.id `+order.beyond+` $1) AS last
			FROM people WHERE id IS NOT NULL
		) AS lasts WHERE last IS NOT NULL ORDER BY last `+order.sort+` LIMIT $2`, beyond, limit)
	return ids, err
}

// sentOrder returns the parts of a statement in the order of a query, and the id after which its page begins.
func sentOrder(q notifier.NoticeQuery) (order struct{ sort, beyond, end string }, beyond int64) {
	if q.Oldest {
		order.sort, order.beyond, order.end = "ASC", ">", "MIN"
		return order, q.After
	}
	order.sort, order.beyond, order.end = "DESC", "<", "MAX"
	if q.Before > 0 {
		return order, q.Before
	}
	return order, 1<<63 - 1
}
