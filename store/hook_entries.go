package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// entryFacts returns what these snapshots, one of each user, change in the stored ones that they replace. It must run in the
// transaction that stores them, before. It costs nothing while no hook wants to know.
func (s *Store) entryFacts(ctx context.Context, tx *sql.Tx, snapshots []notifier.Snapshot) ([]fact, error) {
	some, err := s.wants(ctx, tx, notifier.EventEntriesRead, notifier.EventEntriesUnread, notifier.EventEntriesRemoved)
	if err != nil || !some {
		return nil, err
	}
	var facts []fact
	for part := range slices.Chunk(snapshots, inboxBatch) {
		had, err := s.storedInboxes(ctx, tx, part)
		if err != nil {
			return nil, err
		}
		for i := range part {
			n := &part[i]
			if was, there := had[n.Seq]; there && !was.Damaged && was.Ver < n.Ver {
				facts = append(facts, changesOf(&was, n)...)
			}
		}
	}
	return facts, nil
}

// storedInbox is the part of a stored snapshot that is compared, with its user's name.
type storedInbox struct {
	notifier.Snapshot
	name string
}

const (
	inboxQuery   = `SELECT u.seq, u.name, ver, entries, archived, members FROM inbox_snapshots s JOIN users u ON u.seq = s.seq WHERE `
	noInboxQuery = `SELECT seq, name FROM users WHERE NOT EXISTS (SELECT 1 FROM inbox_snapshots s WHERE s.seq = users.seq) AND `
)

// storedInboxes returns the stored inboxes of the users of these snapshots who exist. It locks those that are stored, so that of two
// writers the second compares with what the first has stored.
func (s *Store) storedInboxes(ctx context.Context, tx *sql.Tx, of []notifier.Snapshot) (map[int64]storedInbox, error) {
	seqs := make([]int64, len(of))
	for i := range of {
		seqs[i] = of[i].Seq
	}
	had := make(map[int64]storedInbox, len(of))
	these := s.dialect.within("s.seq", 1) + ` ORDER BY s.seq` + s.dialect.lockRows("s")
	rows, err := tx.QueryContext(ctx, inboxQuery+these, s.dialect.numberList(seqs))
	err = each(rows, err, func(rows *sql.Rows) error {
		var n storedInbox
		var entries, archived, members sql.RawBytes
		if err := rows.Scan(&n.Seq, &n.name, &n.Ver, &entries, &archived, &members); err != nil {
			return err
		}
		n.Rows, n.Archived, n.Damaged = decodeStored(entries, archived)
		assignMembers(members, n.Rows, n.Archived)
		had[n.Seq] = n
		return nil
	})
	if err != nil || len(had) == len(of) {
		return had, err
	}
	rows, err = tx.QueryContext(ctx, noInboxQuery+s.dialect.within("seq", 1), s.dialect.numberList(seqs))
	return had, each(rows, err, func(rows *sql.Rows) error {
		var n storedInbox
		err := rows.Scan(&n.Seq, &n.name)
		had[n.Seq] = n
		return err
	})
}

// decodeStored returns what can be read of a stored inbox; damaged: not all.
func decodeStored(entries, archived []byte) (rows []notifier.SnapshotRow, away []notifier.ArchivedRow, damaged bool) {
	rows, badRows := decodeRows(entries)
	away, badArchived := decodeArchived(archived)
	return rows, away, badRows != nil || badArchived != nil
}

// placed is a notice in a row: a row that stands for several notices has several.
type placed struct {
	key string
	id  int64
}

// changesOf returns what changed between two snapshots of one inbox. A notice that is new there is reported only once it is read; one
// that another replaces in its row is not reported.
func changesOf(was *storedInbox, n *notifier.Snapshot) []fact {
	old, fresh := differing(was.Rows, n.Rows)
	before, after := placesOf(old), placesOf(fresh)
	away := map[placed]bool{} // in the archive, or snoozed
	for i := range was.Archived {
		r := &was.Archived[i]
		for _, id := range idsOf(r.NoticeID, r.Members) {
			away[placed{r.Key, id}] = true
		}
	}
	keys := map[string]bool{}
	var read, unread, removed []placed
	for p, isRead := range after {
		keys[p.key] = true
		wasRead, there := before[p]
		switch {
		case isRead && (!there || !wasRead):
			read = append(read, p)
		case !isRead && (there && wasRead || away[p]):
			unread = append(unread, p)
		}
	}
	for p := range before {
		if !keys[p.key] {
			removed = append(removed, p)
		}
	}
	var facts []fact
	for _, of := range []struct {
		typ    notifier.EventType
		places []placed
	}{{notifier.EventEntriesRead, read}, {notifier.EventEntriesUnread, unread}, {notifier.EventEntriesRemoved, removed}} {
		slices.SortFunc(of.places, func(a, b placed) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.key, b.key)) })
		for some := range slices.Chunk(of.places, notifier.MaxHookEntries) {
			data := notifier.HookEntries{User: was.name}
			for _, p := range some {
				data.Entries = append(data.Entries, notifier.HookEntry{Key: p.key, ID: p.id})
			}
			facts = append(facts, fact{of.typ, n.Seq, data})
		}
	}
	return facts
}

// differing returns the rows between those that both lists begin and end with. A key is in one row only, so the others do not matter.
func differing(a, b []notifier.SnapshotRow) (_, _ []notifier.SnapshotRow) {
	same := func(x, y *notifier.SnapshotRow) bool {
		return x.NoticeID == y.NoticeID && x.Field == y.Field && x.Members == y.Members
	}
	for len(a) > 0 && len(b) > 0 && same(&a[0], &b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && same(&a[len(a)-1], &b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// placesOf returns the notices in rows, and whether each is read.
func placesOf(rows []notifier.SnapshotRow) map[placed]bool {
	all := make(map[placed]bool, len(rows))
	for i := range rows {
		r := &rows[i]
		key, read, ok := notifier.SplitField(r.Field)
		if !ok {
			continue
		}
		for _, id := range idsOf(r.NoticeID, r.Members) {
			all[placed{key, id}] = read
		}
	}
	return all
}

// idsOf returns the notices that a row stands for.
func idsOf(id int64, members string) []int64 {
	group, ok := notifier.ParseMembers(members)
	if !ok {
		return []int64{id}
	}
	ids := []int64{id}
	for _, m := range group.Notices {
		if m.ID != id {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
