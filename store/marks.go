package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// targetsKnown is how long an instance relies on having read that there are no targets.
const targetsKnown = 2 * time.Second

// marks caches whether targets exist and which types are urgent, so that saving inboxes costs nothing while
// there are no targets.
type marks struct {
	mu     sync.Mutex
	at     time.Time // when it was read
	exist  bool
	urgent map[string]bool
}

// heard records that targets exist.
func (m *marks) heard(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at, m.exist = now, true
}

// querier is the pool of readers, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// needed reports whether targets may exist, and returns the urgent types.
func (m *marks) needed(ctx context.Context, db querier, now time.Time) (bool, map[string]bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if age := now.Sub(m.at); age >= 0 && age < targetsKnown && m.urgent != nil {
		return m.exist, m.urgent, nil
	}
	urgent := map[string]bool{}
	rows, err := db.QueryContext(ctx, `SELECT '' AS slug WHERE EXISTS (SELECT 1 FROM targets) UNION ALL SELECT slug FROM notice_types WHERE urgent`)
	err = each(rows, err, func(rows *sql.Rows) error {
		var slug string
		err := rows.Scan(&slug)
		urgent[slug] = true
		return err
	})
	if err != nil {
		return false, nil, err
	}
	m.exist = urgent[""]
	delete(urgent, "")
	m.at, m.urgent = now, urgent
	return m.exist, urgent, nil
}

// unreadRow contains the newest unread entry of an inbox, and the newest urgent one; 0: none.
type unreadRow struct{ seq, newest, urgent int64 }

// add adds an unread entry.
func (u *unreadRow) add(key string, at int64, urgent map[string]bool) {
	u.newest = max(u.newest, at)
	if typ, _ := notifier.KeyType(key); urgent[typ] {
		u.urgent = max(u.urgent, at)
	}
}

// unreadOf returns the newest unread entries of each inbox that has unread entries.
func unreadOf(snapshots []notifier.Snapshot, urgent map[string]bool) (found []unreadRow) {
	for i := range snapshots {
		u := unreadRow{seq: snapshots[i].Seq}
		for _, row := range snapshots[i].Rows {
			key, read, ok := notifier.SplitField(row.Field)
			if !ok || read || row.At <= u.newest && row.At <= u.urgent {
				continue
			}
			u.add(key, row.At, urgent)
		}
		if u.newest > 0 {
			found = append(found, u)
		}
	}
	return found
}

// Arrived makes the targets of users with new rows due, like SaveSnapshots, which writes late what was delivered. It
// returns the users whose targets have changed.
func (s *Store) Arrived(ctx context.Context, all []notifier.Arrival) (seqs []int64, err error) {
	exist, urgent, err := s.marks.needed(ctx, s.read, s.now())
	if err != nil || !exist {
		return nil, s.fail(err, "look for targets")
	}
	of := make(map[int64]*unreadRow, len(all))
	for _, a := range all {
		u := of[a.Seq]
		if u == nil {
			u = &unreadRow{seq: a.Seq}
			of[a.Seq] = u
		}
		u.add(a.Key, a.At, urgent)
	}
	rows := make([]unreadRow, 0, len(of))
	for _, seq := range slices.Sorted(maps.Keys(of)) {
		rows = append(rows, *of[seq])
	}
	set, where := s.marking()
	err = s.tx(ctx, func(tx *sql.Tx) (err error) {
		seqs, err = s.dialect.markTargets(ctx, tx, set, where, rows)
		return err
	})
	slices.Sort(seqs)
	return slices.Compact(seqs), s.fail(err, "make the targets of %d users due", len(rows))
}

// markTargets makes the targets of these users due, in the transaction that stores their inboxes, so that
// undecided unread entries are sent. An urgent entry makes a target due even during quiet
// hours.
func (s *Store) markTargets(ctx context.Context, tx *sql.Tx, snapshots []notifier.Snapshot) error {
	exist, urgent, err := s.marks.needed(ctx, tx, s.now())
	if err != nil || !exist {
		return err
	}
	rows := unreadOf(snapshots, urgent)
	if len(rows) == 0 {
		return nil
	}
	set, where := s.marking()
	_, err = s.dialect.markTargets(ctx, tx, set, where, rows)
	return err
}

// markSet is the SET clause of markTargets; wait is the delay of a target, in ms.
func markSet(wait string) string {
	return ` SET newest = CASE WHEN x.newest > targets.newest THEN x.newest ELSE targets.newest END,
		due_at = CASE WHEN due_at = 0 THEN x.newest + ` + wait + `
			WHEN upto = 0 AND tries = 0 AND state <> 'dead' AND x.urgent > told AND x.urgent > told_urgent AND x.urgent + ` + wait + ` < due_at THEN x.urgent + ` + wait + ` ELSE due_at END`
}

func markWhere(state string) string {
	return ` AND told < x.newest AND ` + state + ` AND (targets.newest < x.newest OR due_at = 0)`
}

func formatInt(d time.Duration) string { return strconv.FormatInt(int64(d), 10) }
