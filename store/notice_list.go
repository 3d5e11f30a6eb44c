package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// clockDrift is how far the time of a notice may precede the time of a notice with a lower id: clocks of instances
// differ, and so do durations of transactions.
const clockDrift = time.Minute

// Notices lists notices, without their Reasons. A condition without an index, such as a search, reads
// notices until the page is full: see SearchNotices.
func (s *Store) Notices(ctx context.Context, q notifier.NoticeQuery) ([]notifier.Notice, error) {
	f, err := s.noticeFilter(ctx, q)
	if errors.Is(err, notifier.ErrNotFound) {
		return nil, nil
	}
	var found []notifier.Notice
	if err == nil {
		found, err = s.noticesIn(ctx, f, q, pageSize(q.Limit))
	}
	return found, s.fail(err, "list notices")
}

// noticesIn reads a limited number of notices in the order of a query.
func (s *Store) noticesIn(ctx context.Context, f filter, q notifier.NoticeQuery, limit int) ([]notifier.Notice, error) {
	order := "id DESC"
	if q.Oldest {
		order = "id"
	}
	where := f.where() + ` ORDER BY ` + order + ` LIMIT ` + f.param(limit)
	var found []notifier.Notice
	names := 0
	err := s.all(ctx, func(rows *sql.Rows) error {
		if q.Names > 0 && names >= q.Names {
			return errFull
		}
		n, err := scanNotice(rows)
		found, names = append(found, n), names+len(n.Target.Users)
		return err
	}, listedNotice+where, f.args...)
	if errors.Is(err, errFull) {
		err = nil
	}
	return found, err
}

// errFull ends the reading of a page.
var errFull = errors.New("the page is full")

// noticeFilter returns the conditions of a query, or notifier.ErrNotFound if nothing can match it.
func (s *Store) noticeFilter(ctx context.Context, q notifier.NoticeQuery) (f filter, err error) {
	if err := s.between(ctx, &f, q); err != nil {
		return f, err
	}
	if q.Type != "" {
		f.add("type = %s", text(q.Type))
	}
	if q.Sender != "" {
		if err := s.sentByName(ctx, &f, q.Sender); err != nil {
			return f, err
		}
	}
	sentBy(&f, q.By)
	sentBySome(&f, q.Senders)
	now := millis(s.now())
	if !inState(&f, q.State, now) || !inStage(&f, q.Stage, now) {
		return f, notifier.ErrNotFound
	}
	switch q.Target {
	case "":
	case "user":
		f.add(`target LIKE '{"users"%%'`)
	case "role":
		f.add(`target LIKE '{"role%%'`)
	case "topic":
		f.add(`target LIKE '{"topic"%%'`)
	case "audience":
		f.add(`id IN (SELECT notice_id FROM announcements)`)
	default:
		return f, notifier.ErrNotFound
	}
	f.holding(q.Contains, "search")
	return f, nil
}

// between restricts the ids to the page and the requested period. Ids rise with time, so notices
// outside the period are not read.
func (s *Store) between(ctx context.Context, f *filter, q notifier.NoticeQuery) error {
	if q.Before > 0 {
		f.add("id < %s", q.Before)
	}
	if q.After > 0 {
		f.add("id > %s", q.After)
	}
	if !q.Since.IsZero() {
		first, err := s.firstNotice(ctx, q.Since.Add(-clockDrift))
		if err != nil {
			return err
		}
		f.add("id >= %s", first)
		f.add("created_at >= %s", millis(q.Since))
	}
	if !q.Until.IsZero() {
		first, err := s.firstNotice(ctx, q.Until.Add(clockDrift))
		if err != nil {
			return err
		}
		f.add("id < %s", first)
		f.add("created_at < %s", millis(q.Until))
	}
	return nil
}

// firstNotice returns an id such that notices with lower ids were accepted before that time, by binary
// search.
func (s *Store) firstNotice(ctx context.Context, at time.Time) (int64, error) {
	var low, high int64 // the result is above low, and at most high
	if err := s.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0) + 1 FROM notices`).Scan(&high); err != nil {
		return 0, err
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		var id, created int64
		err := s.read.QueryRowContext(ctx, `SELECT id, created_at FROM notices WHERE id >= $1 ORDER BY id LIMIT 1`, middle).Scan(&id, &created)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			high = middle
		case err != nil:
			return 0, err
		case created < millis(at):
			low = id
		default:
			high = middle
		}
	}
	return high, nil
}

// sentByName adds the condition that the sender is a user with this name or, if there is none, a key,
// a rule, an outbox or a command.
func (s *Store) sentByName(ctx context.Context, f *filter, name string) error {
	u, err := s.UserByName(ctx, name)
	switch {
	case err == nil:
		f.add(byUser, refID(notifier.UserRef(u)))
		return nil
	case !errors.Is(err, notifier.ErrNotFound):
		return err
	}
	f.add(byOther, text(name))
	return nil
}
