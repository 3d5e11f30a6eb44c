package store

import (
	"context"
	"database/sql"
	"iter"
	"net/url"

	"github.com/carillonhq/carillon/notifier"
)

// exportPage is the maximum number of notices or log entries in memory at a time.
const exportPage = 500

// ExportUser returns all data stored about a user, or notifier.ErrNotFound. The parts are read
// separately, not as of one moment, and the inbox is its last snapshot. Sent, Acted, Events and Log are
// read under ctx while the caller iterates over them.
func (s *Store) ExportUser(ctx context.Context, name string) (notifier.Export, error) {
	u, err := s.UserByName(ctx, name)
	if err != nil {
		return notifier.Export{}, err
	}
	e := notifier.Export{User: u, Sent: s.sentBy(ctx, u), Acted: s.actedBy(ctx, u), Events: s.eventsAbout(ctx, u), Log: s.loggedOf(ctx, u)}
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
	if err == nil {
		e.Answers, err = s.exportAnswers(ctx, u.Seq)
	}
	if err == nil {
		e.Drafts, err = s.exportDrafts(ctx, u.Seq)
	}
	if err == nil {
		e.Preferences, err = s.Preferences(ctx, u.Seq)
	}
	if err == nil {
		e.Targets, err = s.Targets(ctx, u.Seq)
	}
	if err != nil {
		return notifier.Export{}, s.fail(err, "export user %d", u.Seq)
	}
	return e, nil
}

// exportSubscriptions returns the user's own subscriptions, without their roles' subscriptions.
func (s *Store) exportSubscriptions(ctx context.Context, seq int64) (topics []notifier.Topic, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var t notifier.Topic
		err := rows.Scan(&t.Type, &t.Scope)
		topics = append(topics, t)
		return err
	}, `SELECT type, scope FROM subscriptions WHERE seq = $1 ORDER BY type, scope`, seq)
	return topics, err
}

func (s *Store) exportDrafts(ctx context.Context, seq int64) (drafts []notifier.ExportedDraft, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var name, form string
		var changed int64
		err := rows.Scan(&name, &form, &changed)
		fields, _ := url.ParseQuery(form) // encoded by Carillon
		drafts = append(drafts, notifier.ExportedDraft{Template: name, Form: fields, ChangedAt: fromMillis(changed)})
		return err
	}, `SELECT name, form, changed_at FROM drafts WHERE seq = $1 AND `+present+` ORDER BY changed_at, id`, seq)
	return drafts, err
}

func (s *Store) exportSessions(ctx context.Context, seq int64) (sessions []notifier.ExportedSession, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var created, seen int64
		var agent string
		err := rows.Scan(&agent, &created, &seen)
		sessions = append(sessions, notifier.ExportedSession{Agent: agent, CreatedAt: fromMillis(created), SeenAt: fromMillis(seen)})
		return err
	}, `SELECT agent, created_at, seen_at FROM sessions WHERE seq = $1 ORDER BY created_at, id`, seq)
	return sessions, err
}

// exportInbox joins the rows of a snapshot with the contents of their notices.
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
	for _, r := range snapshot.Archived {
		ids = append(ids, r.NoticeID)
	}
	contents, err := s.Contents(ctx, ids)
	if err != nil {
		return notifier.ExportedInbox{}, err
	}
	inbox := notifier.ExportedInbox{Unread: snapshot.Unread, OpenedAt: fromMillis(snapshot.Opened), Damaged: snapshot.Damaged}
	entry := func(key string, read bool, id int64) notifier.ExportedEntry {
		e := notifier.ExportedEntry{Key: key, Read: read, ID: id}
		if n, ok := contents[id]; ok {
			content := n.ContentFor(seq)
			e.Content = &content
		}
		return e
	}
	for _, r := range snapshot.Rows {
		key, read, ok := notifier.SplitField(r.Field)
		if !ok {
			key = r.Field
		}
		inbox.Entries = append(inbox.Entries, entry(key, read, r.NoticeID))
	}
	for _, r := range snapshot.Archived {
		e := entry(r.Key, true, r.NoticeID)
		if r.Snoozed {
			e.Until = r.Due()
			inbox.Later = append(inbox.Later, e)
		} else {
			inbox.Archived = append(inbox.Archived, e)
		}
	}
	return inbox, nil
}

func (s *Store) exportAnswers(ctx context.Context, seq int64) (answers []notifier.ExportedAnswer, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var a notifier.ExportedAnswer
		var at int64
		err := rows.Scan(&a.ID, &a.Title, &a.Choice, &a.Comment, &at)
		a.At = fromMillis(at)
		answers = append(answers, a)
		return err
	}, `SELECT notice_id, title, choice, comment, at FROM ask_answers JOIN notices ON id = notice_id WHERE seq = $1 ORDER BY notice_id`, seq)
	return answers, err
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

// The conditions of sentBy and loggedOf. They must repeat the predicates of their partial indexes
// word for word; otherwise the indexes are not used.
const (
	sentByQuery   = `WHERE sender_kind = 'user' AND sender_id = $1 AND id > $2 ORDER BY id LIMIT $3`
	didQuery      = `SELECT id FROM audit_log WHERE actor_kind = 'user' AND actor_id = $1 AND id > $2 ORDER BY id LIMIT $3`
	sufferedQuery = `SELECT id FROM audit_log WHERE object_kind = 'user' AND object_id = $1 AND id > $2 ORDER BY id LIMIT $3`
	loggedOfQuery = `WHERE id IN (SELECT id FROM (SELECT id FROM (` + didQuery + `) did UNION SELECT id FROM (` + sufferedQuery + `) suffered) about
		ORDER BY id LIMIT $3) ORDER BY id`
)

// sentBy iterates over the notices that a user has sent, oldest first.
func (s *Store) sentBy(ctx context.Context, u notifier.User) iter.Seq2[notifier.Notice, error] {
	return paged(func(after int64) ([]notifier.Notice, int64, error) {
		page, err := s.notices(ctx, sentByQuery, refID(notifier.UserRef(u)), after, exportPage)
		if n := len(page); n > 0 {
			after = page[n-1].ID
		}
		return page, after, s.fail(err, "read the notices of a sender")
	})
}

// actedBy iterates over the notices whose actor is a user, oldest first. There is no index of actors, so it reads all notices
// with extras.
func (s *Store) actedBy(ctx context.Context, u notifier.User) iter.Seq2[notifier.Notice, error] {
	all := paged(func(after int64) ([]notifier.Notice, int64, error) {
		page, err := s.notices(ctx, `WHERE extras <> '' AND id > $1 ORDER BY id LIMIT $2`, after, exportPage)
		if n := len(page); n > 0 {
			after = page[n-1].ID
		}
		return page, after, s.fail(err, "read the notices of an actor")
	})
	return func(yield func(notifier.Notice, error) bool) {
		for n, err := range all {
			if a := n.Extras.Actor; (err != nil || a != nil && a.ID == u.Name) && !yield(n, err) {
				return
			}
		}
	}
}

// eventsAbout iterates over the events of webhooks that name a user, oldest first.
func (s *Store) eventsAbout(ctx context.Context, u notifier.User) iter.Seq2[notifier.HookEvent, error] {
	return paged(func(after int64) (page []notifier.HookEvent, _ int64, err error) {
		err = s.all(ctx, func(rows *sql.Rows) error {
			e, err := scanEvent(rows)
			page, after = append(page, e), e.N
			return err
		}, `SELECT `+eventColumns+` FROM hook_events WHERE seq > 0 AND seq = $1 AND n > $2 ORDER BY n LIMIT $3`, u.Seq, after, exportPage)
		return page, after, s.fail(err, "read the events of a user")
	})
}

// loggedOf iterates over the audit entries with the user as actor or object, oldest first.
func (s *Store) loggedOf(ctx context.Context, u notifier.User) iter.Seq2[notifier.AuditEntry, error] {
	return paged(func(after int64) ([]notifier.AuditEntry, int64, error) {
		page, err := s.auditEntries(ctx, loggedOfQuery, refID(notifier.UserRef(u)), after, exportPage)
		if n := len(page); n > 0 {
			after = page[n-1].ID
		}
		return page, after, s.fail(err, "read the audit log of a user")
	})
}

// paged iterates over pages until one is empty. next returns the page after the id after, and the
// last id of that page.
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
