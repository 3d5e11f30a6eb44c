package inbox_test

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
)

func (m *model) findArchived(key string) int {
	return slices.IndexFunc(m.archived, func(r notifier.ArchivedRow) bool { return r.Key == key })
}

// leaveArchive permanently removes an archived entry, in the change that makes version ver. crowded: it makes room.
func (m *model) leaveArchive(i int, ver int64, crowded bool) {
	id := m.archived[i].NoticeID
	if _, known := m.gone[id]; !known {
		m.gone[id] = left{ver, notifier.Left{Read: true, Crowded: crowded}}
	}
	m.archived = slices.Delete(slices.Clone(m.archived), i, i+1)
}

// stays reports whether an archived entry is snoozed, and its notice is still valid.
func (m *model) stays(r *notifier.ArchivedRow, now int64) bool {
	return r.Snoozed && (r.Expires == 0 || r.Expires > now) && !m.gone[r.NoticeID].how.Retracted
}

// putAway archives entries, or snoozes them until a time, and returns which of them were unread.
func (m *model) putAway(keys []string, now, until int64) (unread []string) {
	byAge := slices.Clone(m.archived)
	slices.SortFunc(byAge, func(a, b notifier.ArchivedRow) int {
		return cmp.Or(cmp.Compare(b.ArchivedAt, a.ArchivedAt), cmp.Compare(b.At, a.At))
	})
	for i, r := range byAge {
		if m.stays(&r, now) {
			continue
		}
		if r.Snoozed || i >= m.limit-len(keys) || r.ArchivedAt <= now-notifier.ArchivedFor.Milliseconds() {
			m.leaveArchive(m.findArchived(r.Key), m.next(now), true)
		}
	}
	for _, key := range keys {
		i := m.find(key)
		e := m.rows[i]
		if !e.Read {
			unread = append(unread, key)
			m.count(e.NoticeID, 0, 1)
			if !slices.Contains(m.kept, e.NoticeID) {
				m.kept = append(slices.Clone(m.kept), e.NoticeID)
			}
		} else {
			m.keepOnly(func(id int64) bool { return id != e.NoticeID })
		}
		r := notifier.ArchivedRow{Key: key, NoticeID: e.NoticeID, At: e.At, ArchivedAt: now}
		if until > 0 {
			r.ArchivedAt, r.Snoozed = until, true
		}
		if !e.ExpiresAt.IsZero() {
			r.Expires = e.ExpiresAt.UnixMilli()
		}
		m.archived = append(slices.Clone(m.archived), r)
		m.rows = slices.Delete(m.rows, i, i+1)
	}
	slices.SortFunc(m.archived, func(a, b notifier.ArchivedRow) int { return strings.Compare(a.Key, b.Key) })
	m.forget(now)
	m.bump(now)
	return unread
}

// takeArchived deletes archived entries, and returns them by key.
func (p *play) takeArchived(keys []string) (taken []notifier.Entry) {
	for _, r := range slices.Clone(p.archived) {
		if slices.Contains(keys, r.Key) {
			p.leaveArchive(p.findArchived(r.Key), p.next(p.now()), false)
			p.undiscard(r.Key)
			p.discarded = append(p.discarded, r)
			taken = append(taken, notifier.Entry{Key: r.Key, NoticeID: r.NoticeID, At: r.At, Read: true})
		}
	}
	if len(taken) > 0 {
		p.forget(p.now())
		p.bump(p.now())
	}
	return taken
}

// undiscard drops the record that an entry with this key was deleted from the archive.
func (m *model) undiscard(key string) {
	m.discarded = slices.DeleteFunc(slices.Clone(m.discarded), func(r notifier.ArchivedRow) bool { return r.Key == key })
}

// putBackArchived undoes deletions from the archive.
func (p *play) putBackArchived(t *rapid.T) {
	if len(p.discarded) == 0 {
		return
	}
	some := rapid.SliceOfNDistinct(rapid.SampledFrom(p.discarded), 1, 3, func(r notifier.ArchivedRow) string { return r.Key }).Draw(t, "entries")
	some = slices.DeleteFunc(some, func(r notifier.ArchivedRow) bool { // restoring these would undo a later archiving
		i := p.findArchived(r.Key)
		return i >= 0 && p.archived[i] != r
	})
	if len(some) == 0 {
		return
	}
	want, restored := notifier.ErrNotFound, false
	var keys []string
	for _, r := range some {
		keys = append(keys, r.Key)
		l, gone := p.gone[r.NoticeID]
		switch {
		case !gone, l.how.Retracted, r.ArchivedAt <= p.now()-notifier.ArchivedFor.Milliseconds(), r.Expires > 0 && r.Expires <= p.now():
		case p.find(r.Key) >= 0, p.findArchived(r.Key) >= 0, len(p.archived) >= p.limit:
			want = notifier.ErrConflict
		default:
			delete(p.gone, r.NoticeID)
			p.archived, restored = append(slices.Clone(p.archived), r), true
		}
	}
	slices.SortFunc(p.archived, func(a, b notifier.ArchivedRow) int { return strings.Compare(a.Key, b.Key) })
	badge, err := p.s.Restore(t.Context(), p.seq, keys...)
	if !restored {
		if !errors.Is(err, want) {
			t.Fatalf("restoring to the archive: %v, want %v", err, want)
		}
		return
	}
	p.bump(p.now())
	p.answers(t, badge, err, true)
}

func someKeys(t *rapid.T) []string {
	keys := []string{anyKey(t)}
	for rapid.Bool().Draw(t, "one more") {
		keys = append(keys, anyKey(t))
	}
	return keys
}

func (p *play) archive(t *rapid.T) {
	keys := someKeys(t)
	var found, unread []string
	for _, key := range keys {
		if p.find(key) >= 0 && !slices.Contains(found, key) {
			found = append(found, key)
		}
	}
	if len(found) > 0 {
		unread = p.putAway(found, p.now(), 0)
	}
	m, badge, err := p.s.Archive(t.Context(), p.seq, keys)
	p.answers(t, badge, err, len(found) > 0)
	if !slices.Equal(m.Keys, found) || !slices.Equal(m.Unread, unread) {
		t.Fatalf("archived %+v, want %v of which %v were unread", m, found, unread)
	}
}

// inArchive returns the archived entries that pages show, newest first.
func (p *play) inArchive() (rows []notifier.ArchivedRow) {
	for _, r := range p.archived {
		if p.h == nil || !r.Visible(p.now()) {
			continue
		}
		n, known := p.h.notices[r.NoticeID]
		if known && n.State != notifier.StateRetracted && (n.ExpiresAt.IsZero() || n.ExpiresAt.UnixMilli() > p.now()) {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b notifier.ArchivedRow) int { return cmp.Compare(b.At, a.At) })
	return rows
}

// onlyPut returns those of the keys whose entries a Restore moves from the archive: not those that were deleted from
// there and are back.
func (p *play) onlyPut(keys []string) (put []string) {
	for _, key := range keys {
		if i := p.findArchived(key); i >= 0 && !slices.Contains(p.discarded, p.archived[i]) {
			put = append(put, key)
		}
	}
	return put
}

func (p *play) unarchive(t *rapid.T) {
	keys, want, undo := someKeys(t), notifier.ErrNotFound, false
	if put := p.onlyPut(keys); len(put) > 0 && rapid.Bool().Draw(t, "as an undo") {
		keys, undo = put, true
	}
	var moved, unread []string
	for _, r := range p.inArchive() {
		switch {
		case !slices.Contains(keys, r.Key):
		case len(p.rows) >= p.limit:
			want = notifier.ErrConflict
		default:
			moved = append(moved, r.Key)
			place := slices.IndexFunc(p.rows, func(o notifier.Entry) bool { return o.At < r.At })
			if place < 0 {
				place = len(p.rows)
			}
			n := p.h.notices[r.NoticeID]
			read := !slices.Contains(p.kept, r.NoticeID)
			if !read {
				unread = append(unread, r.Key)
				p.count(r.NoticeID, 0, -1)
				p.keepOnly(func(id int64) bool { return id != r.NoticeID })
			}
			e := notifier.Entry{Key: r.Key, NoticeID: r.NoticeID, At: r.At, Read: read, Content: notifier.Content{Revision: n.Revision, Scope: n.Scope}}
			if r.Expires > 0 {
				e.ExpiresAt = n.ExpiresAt
			}
			p.rows = slices.Insert(p.rows, place, e)
			p.archived = slices.Delete(slices.Clone(p.archived), p.findArchived(r.Key), p.findArchived(r.Key)+1)
			delete(p.gone, r.NoticeID)
		}
	}
	m := notifier.Moved{Keys: moved, Unread: unread}
	var badge notifier.Badge
	var err error
	if undo {
		badge, err = p.s.Restore(t.Context(), p.seq, keys...)
	} else {
		m, badge, err = p.s.Unarchive(t.Context(), p.seq, keys)
	}
	if len(moved) == 0 {
		if !errors.Is(err, want) {
			t.Fatalf("unarchiving: %v, want %v", err, want)
		}
		return
	}
	p.bump(p.now())
	p.answers(t, badge, err, true)
	if !slices.Equal(m.Keys, moved) || !slices.Equal(m.Unread, unread) {
		t.Fatalf("unarchived %+v, want %v of which %v were unread", m, moved, unread)
	}
}

// lookArchived reads the archive, or what is snoozed, page by page.
func (p *play) lookArchived(t *rapid.T) {
	later := rapid.Bool().Draw(t, "later")
	q := notifier.Query{Archived: !later, Later: later, Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
	var all notifier.Page
	for {
		page, err := p.s.Look(t.Context(), p.seq, q)
		if err != nil || page.Unread != p.unread() || page.Ver != p.ver || len(page.Entries) > q.Limit {
			t.Fatalf("archive %+v, %v; want ver %d, %d unread", page, err, p.ver, p.unread())
		}
		all.Entries = append(all.Entries, page.Entries...)
		if q.Before = page.Older; q.Before == 0 {
			break
		}
	}
	var want []notifier.Entry
	for _, r := range p.inArchive() {
		if r.Snoozed != q.Later {
			continue
		}
		want = append(want, notifier.Entry{Key: r.Key, NoticeID: r.NoticeID, At: r.At, Read: true})
	}
	p.shows(t, all, want)
}
