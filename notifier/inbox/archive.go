package inbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Archive shows inboxes as last stored in SQL while Redis is unavailable. It changes nothing.
// Notices that have since been retracted or have expired are omitted.
type Archive struct {
	SQL Snapshots
	Now func() time.Time // nil: time.Now
}

// Look returns a page like Inbox.Look. Its Ver is the version of the last change in SQL, in ms, or 0
// if there is none.
func (a *Archive) Look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error) {
	s, err := a.snapshot(ctx, seq)
	unread := s.unread()
	if err == nil && q.PutAway() {
		s.entries, err = a.archived(ctx, seq, q)
	}
	if err != nil {
		return notifier.Page{}, fmt.Errorf("read the stored inbox of user %d: %w", seq, err)
	}
	page := pageOf(s.entries, q)
	page.Ver, page.Unread = s.ver, unread
	return page, nil
}

// pageOf returns one page of these entries, newest first, with their types counted.
func pageOf(entries []notifier.Entry, q notifier.Query) notifier.Page {
	limit := min(q.Limit, maxLimit)
	if limit <= 0 {
		limit = PageSize
	}
	page := notifier.Page{Opened: q.Opened, Entries: make([]notifier.Entry, 0, min(limit, len(entries)))}
	has, types := q.Texts(), notifier.TypeTally{}
	for _, e := range entries {
		if q.Unread && e.Read || !q.Has(&e.Content) || !has(&e.Content) {
			continue
		}
		types[e.Type]++
		switch {
		case q.Before > 0 && e.At >= q.Before, q.Type != "" && e.Type != q.Type:
			continue
		case len(page.Entries) == limit:
			page.Older = page.Entries[limit-1].At
			continue
		}
		if !q.PutAway() {
			e = asOpened(e, q.Opened)
		}
		page.Entries = append(page.Entries, e)
	}
	if q.Filters() || q.PutAway() {
		page.Types = types.List()
	}
	return page
}

// Badge returns the inbox half of the user's badge.
func (a *Archive) Badge(ctx context.Context, seq int64) (notifier.Badge, error) {
	s, err := a.snapshot(ctx, seq)
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("count the stored inbox of user %d: %w", seq, err)
	}
	return newBadge(s.unread(), s.ver), nil
}

// stored contains the visible part of a snapshot, newest first.
type stored struct {
	ver     int64
	entries []notifier.Entry
}

func (s *stored) unread() (n int64) {
	for i := range s.entries {
		if !s.entries[i].Read {
			n++
		}
	}
	return n
}

// snapshot reads the whole inbox: the unread number must match the visible entries, and the
// contents determine which entries are visible.
func (a *Archive) snapshot(ctx context.Context, seq int64) (stored, error) {
	known, err := a.SQL.Snapshots(ctx, []int64{seq})
	if err != nil {
		return stored{}, err
	}
	n := known[seq]
	if n.Damaged {
		return stored{}, fmt.Errorf("%w: malformed snapshot", notifier.ErrUnavailable)
	}
	contents := map[int64]notifier.Notice{}
	if len(n.Rows) > 0 {
		if contents, err = a.SQL.Contents(ctx, shownBy(n.Rows)); err != nil {
			return stored{}, err
		}
	}
	s := stored{ver: n.Ver}
	for _, row := range n.Rows {
		if e, ok := entryOf(seq, succeeded(row, among(contents)), contents, a.millis()); ok {
			e.Show()
			s.entries = append(s.entries, e)
		}
	}
	return s, nil
}

// archived reads the archived entries, or with q.Later the snoozed ones.
func (a *Archive) archived(ctx context.Context, seq int64, q notifier.Query) ([]notifier.Entry, error) {
	known, err := a.SQL.Snapshots(ctx, []int64{seq})
	if err != nil {
		return nil, err
	}
	rows := chosen(slices.Clone(known[seq].Archived), q)
	slices.SortFunc(rows, func(a, b notifier.ArchivedRow) int { return cmp.Compare(b.At, a.At) })
	entries, err := archivedEntries(ctx, a.SQL, seq, rows, a.millis())
	for i := range entries {
		entries[i].Show()
	}
	return entries, err
}

func (a *Archive) millis() int64 {
	if a.Now != nil {
		return a.Now().UnixMilli()
	}
	return time.Now().UnixMilli()
}

// entryOf returns false for a row that is no longer visible.
func entryOf(seq int64, row notifier.SnapshotRow, contents map[int64]notifier.Notice, now int64) (notifier.Entry, bool) {
	key, read, ok := notifier.SplitField(row.Field)
	group := groupIn(&row, among(contents))
	n, there := contents[row.NoticeID]
	if !ok || !there || n.State == notifier.StateRetracting || n.State == notifier.StateRetracted {
		return notifier.Entry{}, false
	}
	e := notifier.Entry{Key: key, NoticeID: row.NoticeID, At: row.At, Read: read, Content: n.ContentFor(seq), Group: group}
	for _, due := range []int64{row.Expires, millis(n.ExpiresAt)} {
		if due > 0 && due <= now {
			return e, false
		}
	}
	if row.Expires > 0 {
		e.ExpiresAt = time.UnixMilli(row.Expires).UTC()
	}
	return e, true
}
