package store

import (
	"context"
	"database/sql"
	"iter"

	"github.com/carillonhq/carillon/notifier"
)

// exportPage is how many notices or entries of the log are in memory at a time.
const exportPage = 500

// ExportUser returns everything that is kept of a person, or notifier.ErrNotFound.
// The parts are of moments that follow each other, and the inbox is what was last
// written behind. Sent and Log are read under ctx while they are walked through:
// neither has an index by name, so each looks through its whole table.
func (s *Store) ExportUser(ctx context.Context, name string) (notifier.Export, error) {
	u, err := s.UserByName(ctx, name)
	if err != nil {
		return notifier.Export{}, err
	}
	e := notifier.Export{User: u, Sent: s.sentBy(ctx, u.Name), Log: s.loggedOf(ctx, u.Name)}
	var created int64
	err = s.read.QueryRowContext(ctx, `SELECT created_at FROM users WHERE seq = $1`, u.Seq).Scan(&created)
	e.CreatedAt = fromMillis(created)
	if err == nil {
		e.Muted, err = s.Mutes(ctx, u.Seq)
	}
	if err == nil {
		e.Subscriptions, err = s.exportSubscriptions(ctx, u.Seq)
	}
	if err == nil {
		e.Sessions, err = s.exportSessions(ctx, u.Seq)
	}
	if err == nil {
		e.Inbox, err = s.exportInbox(ctx, u.Seq)
	}
	if err == nil {
		e.Announcements, err = s.exportReads(ctx, &u)
	}
	if err != nil {
		return notifier.Export{}, s.fail(err, "export user %d", u.Seq)
	}
	return e, nil
}

// exportSubscriptions is what he subscribes to by his own name.
func (s *Store) exportSubscriptions(ctx context.Context, seq int64) (topics []notifier.Topic, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var t notifier.Topic
		err := rows.Scan(&t.Type, &t.Scope)
		topics = append(topics, t)
		return err
	}, `SELECT type, scope FROM subscriptions WHERE seq = $1 ORDER BY type, scope`, seq)
	return topics, err
}

func (s *Store) exportSessions(ctx context.Context, seq int64) (sessions []notifier.ExportedSession, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var created, seen int64
		err := rows.Scan(&created, &seen)
		sessions = append(sessions, notifier.ExportedSession{CreatedAt: fromMillis(created), SeenAt: fromMillis(seen)})
		return err
	}, `SELECT created_at, seen_at FROM sessions WHERE seq = $1 ORDER BY created_at, id`, seq)
	return sessions, err
}

// exportInbox puts the rows of a snapshot and what their notices say together.
func (s *Store) exportInbox(ctx context.Context, seq int64) (notifier.ExportedInbox, error) {
	snapshots, err := s.Snapshots(ctx, []int64{seq})
	if err != nil {
		return notifier.ExportedInbox{}, err
	}
	snapshot := snapshots[seq]
	ids := make([]int64, len(snapshot.Rows))
	for i, r := range snapshot.Rows {
		ids[i] = r.NoticeID
	}
	contents, err := s.Contents(ctx, ids)
	if err != nil {
		return notifier.ExportedInbox{}, err
	}
	inbox := notifier.ExportedInbox{Unread: snapshot.Unread, OpenedAt: fromMillis(snapshot.Opened), Damaged: snapshot.Damaged}
	for _, r := range snapshot.Rows {
		entry := notifier.ExportedEntry{Key: r.Field, ID: r.NoticeID}
		if key, read, ok := notifier.SplitField(r.Field); ok {
			entry.Key, entry.Read = key, read
		}
		if n, ok := contents[r.NoticeID]; ok {
			content := n.ContentFor(seq)
			entry.Content = &content
		}
		inbox.Entries = append(inbox.Entries, entry)
	}
	return inbox, nil
}

func (s *Store) exportReads(ctx context.Context, u *notifier.User) (reads []notifier.ExportedRead, err error) {
	where := bitOf(u.Seq)
	err = s.all(ctx, func(rows *sql.Rows) error {
		var r notifier.ExportedRead
		var bits sql.RawBytes
		err := rows.Scan(&r.ID, &r.Title, &bits)
		if err == nil && where.in(bits) {
			reads = append(reads, r)
		}
		return err
	}, `SELECT announcement_id, title, bits FROM announcement_reads JOIN notices ON id = announcement_id
		WHERE audience = $1 AND segment = $2 ORDER BY announcement_id`, int64(u.Audience), where.segment)
	return reads, err
}

// sentBy walks through the notices of a sender, the oldest first.
func (s *Store) sentBy(ctx context.Context, name string) iter.Seq2[notifier.Notice, error] {
	return paged(func(after int64) ([]notifier.Notice, int64, error) {
		page, err := s.notices(ctx, `WHERE sender = $1 AND id > $2 ORDER BY id LIMIT $3`, name, after, exportPage)
		if n := len(page); n > 0 {
			after = page[n-1].ID
		}
		return page, after, s.fail(err, "read the notices of a sender")
	})
}

// loggedOf walks through the entries of the log about somebody, the oldest first.
func (s *Store) loggedOf(ctx context.Context, name string) iter.Seq2[notifier.AuditEntry, error] {
	return paged(func(after int64) ([]notifier.AuditEntry, int64, error) {
		page, err := s.auditEntries(ctx, `WHERE (actor = $1 OR object = $1) AND id > $2 ORDER BY id LIMIT $3`, name, after, exportPage)
		if n := len(page); n > 0 {
			after = page[n-1].ID
		}
		return page, after, s.fail(err, "read the audit log of a user")
	})
}

// paged walks through pages until one is empty. next answers the page behind after,
// and its last id.
func paged[T any](next func(after int64) (page []T, last int64, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after := int64(0); ; {
			page, last, err := next(after)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if len(page) == 0 {
				return
			}
			after = last
		}
	}
}
