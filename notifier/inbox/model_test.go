package inbox_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// model is the expected behaviour of an inbox, written as simply as possible.
type model struct {
	seq     int64
	limit   int
	rows    []notifier.Entry // newest first
	gone    map[int64]left
	ver     int64
	opened  int64
	counted map[int64][2]int64 // notice → delivered, read
	kept    []int64            // ids that the user marked as unread, in that order
	taken   []notifier.Entry   // deleted entries that can be restored
	sent    []*notifier.Notice

	archived  []notifier.ArchivedRow // ordered by key
	discarded []notifier.ArchivedRow // deleted from the archive, the last one of each key
}

// left is when and how a notice left the inbox.
type left struct {
	at  int64
	how notifier.Left
}

// next returns the version of the next change.
func (m *model) next(now int64) int64 { return max(m.ver+1, now) }

func (m *model) bump(now int64) { m.ver = m.next(now) }

func (m *model) count(id, delivered, read int64) {
	c := m.counted[id]
	m.counted[id] = [2]int64{c[0] + delivered, c[1] + read}
}

func (m *model) find(key string) int {
	return slices.IndexFunc(m.rows, func(e notifier.Entry) bool { return e.Key == key })
}

// remove removes a row, in the change that makes version ver.
func (m *model) remove(i int, ver int64) {
	read := m.rows[i].Read
	m.gone[m.rows[i].NoticeID] = left{ver, notifier.Left{Unread: !read, Read: read}}
	m.rows = slices.Delete(m.rows, i, i+1)
}

// pushOut removes the row for which there is no room, in the change that makes version ver.
func (m *model) pushOut(ver int64) {
	id := m.rows[m.limit].NoticeID
	m.remove(m.limit, ver)
	m.gone[id] = left{ver, notifier.Left{Unread: m.gone[id].how.Unread, Read: m.gone[id].how.Read, Crowded: true}}
}

// forget drops notices that left long ago, like every script that removes a row.
func (m *model) forget(now int64) {
	maps.DeleteFunc(m.gone, func(_ int64, l left) bool {
		return l.at < now-week // a score at exactly this time stays, because of its fraction
	})
}

const week = 7 * 24 * 60 * 60 * 1000 // ms

func (m *model) unread() (n int64) {
	for _, e := range m.rows {
		if !e.Read {
			n++
		}
	}
	return n
}

// expire removes the entries that are due.
func (m *model) expire(now int64) (n int) {
	for i := len(m.rows) - 1; i >= 0; i-- {
		if at := m.rows[i].ExpiresAt; !at.IsZero() && at.UnixMilli() <= now {
			m.remove(i, m.next(now))
			n++
		}
	}
	if n > 0 {
		m.forget(now)
		m.bump(now)
	}
	return n
}

func (m *model) deliver(n *notifier.Notice, now int64) (changed int) {
	i := m.find(n.Key())
	if _, gone := m.gone[n.ID]; gone || n.ExpiresAt.UnixMilli() <= now && !n.ExpiresAt.IsZero() || i >= 0 && m.rows[i].NoticeID >= n.ID {
		return 0
	}
	if a := m.findArchived(n.Key()); a >= 0 {
		if m.archived[a].NoticeID >= n.ID {
			return 0
		}
		m.leaveArchive(a, m.next(now), false)
		m.forget(now)
	}
	if i >= 0 {
		m.remove(i, m.next(now))
		m.forget(now)
	}
	m.bump(now)
	m.count(n.ID, 1, 0)
	m.rows = slices.Insert(m.rows, 0, notifier.Entry{Key: n.Key(), NoticeID: n.ID, At: m.ver, ExpiresAt: n.ExpiresAt, Content: notifier.Content{Revision: n.Revision, Scope: n.Scope}})
	if len(m.rows) > m.limit {
		m.pushOut(m.ver)
		m.forget(now)
	}
	return 1
}

// edit raises the revision of a notice's row.
func (m *model) edit(id, rev, now int64) (changed int) {
	i := slices.IndexFunc(m.rows, func(e notifier.Entry) bool { return e.NoticeID == id })
	if i < 0 || m.rows[i].Revision >= rev {
		return 0
	}
	m.rows[i].Revision = rev
	m.bump(now)
	return 1
}

// turn marks the rows up to a time as read.
func (m *model) turn(upto, now int64) (n int) {
	return m.turnThose(now, func(e *notifier.Entry) bool { return e.At <= upto })
}

func (m *model) turnThose(now int64, wanted func(*notifier.Entry) bool) (n int) {
	for i := range m.rows {
		if e := &m.rows[i]; !e.Read && wanted(e) {
			e.Read = true
			m.count(e.NoticeID, 0, 1)
			n++
		}
	}
	if n > 0 {
		m.bump(now)
	}
	return n
}

// mark marks rows, and returns the keys of those that were in the other state. With keep they stay
// unread when the inbox is opened.
func (m *model) mark(keys []string, read, keep bool, now int64) (turned []string, found bool) {
	changed := false
	for _, key := range keys {
		i := m.find(key)
		if i < 0 {
			continue
		}
		found = true
		e := &m.rows[i]
		keeps := keep && !slices.Contains(m.kept, e.NoticeID)
		turns := e.Read != read
		if turns {
			e.Read = read
			m.count(e.NoticeID, 0, map[bool]int64{true: 1, false: -1}[read])
			turned = append(turned, key)
		}
		if keeps {
			m.kept = append(slices.Clone(m.kept), e.NoticeID)
		} else if read && turns {
			m.keepOnly(func(id int64) bool { return id != e.NoticeID })
		}
		changed = changed || turns || keeps
	}
	if changed {
		m.bump(now)
	}
	return turned, found
}

func (m *model) keepOnly(these func(id int64) bool) {
	m.kept = slices.DeleteFunc(slices.Clone(m.kept), func(id int64) bool { return !these(id) })
}

// open marks as read every row that is not kept unread.
func (m *model) open(now int64) (turned int) {
	if turned = m.turnThose(now, func(e *notifier.Entry) bool { return !slices.Contains(m.kept, e.NoticeID) }); turned == 0 {
		return 0
	}
	m.opened = m.ver
	m.keepOnly(func(id int64) bool {
		_, gone := m.gone[id]
		return gone || slices.ContainsFunc(m.archived, func(r notifier.ArchivedRow) bool { return r.NoticeID == id }) || slices.ContainsFunc(m.rows, func(e notifier.Entry) bool { return e.NoticeID == id && !e.Read })
	})
	return turned
}

// restore puts back as many of the entries as possible, the newest first.
func (m *model) restore(entries []notifier.Entry, now int64) error {
	err, restored := notifier.ErrNotFound, false
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b notifier.Entry) int { return int(b.At - a.At) })
	for _, e := range entries {
		l, gone := m.gone[e.NoticeID]
		switch {
		case !gone, l.how.Retracted, !e.ExpiresAt.IsZero() && e.ExpiresAt.UnixMilli() <= now:
			continue
		case m.find(e.Key) >= 0, m.findArchived(e.Key) >= 0, len(m.rows) >= m.limit:
			err = notifier.ErrConflict
			continue
		}
		place := slices.IndexFunc(m.rows, func(o notifier.Entry) bool { return o.At < e.At })
		if place < 0 {
			place = len(m.rows)
		}
		e.Read = !l.how.Unread
		m.rows = slices.Insert(m.rows, place, e)
		delete(m.gone, e.NoticeID)
		restored = true
	}
	if !restored {
		return err
	}
	m.bump(now)
	return nil
}

// agrees compares everything that is stored with the model.
func (m *model) agrees(t tb, s *site) {
	t.Helper()
	at := s.sound(t, m.seq)
	var want, got []string
	for _, e := range m.rows {
		field := e.Key + notifier.UnreadSuffix
		if e.Read {
			field = e.Key + notifier.ReadSuffix
		}
		expires := int64(0)
		if !e.ExpiresAt.IsZero() {
			expires = e.ExpiresAt.UnixMilli()
		}
		want = append(want, fmt.Sprint(field, " = ", e.NoticeID, " ", e.At, " ", expires, " in revision ", e.Revision, " of ", e.Scope))
	}
	for _, field := range at.List {
		value := strings.SplitN(at.Hash[field], " ", 4)
		var shown notifier.Content
		if err := json.Unmarshal([]byte(value[3]), &shown); err != nil {
			t.Fatalf("content of %s is %q: %v", field, value[3], err)
		}
		got = append(got, fmt.Sprint(field, " = ", strings.Join(value[:3], " "), " in revision ", shown.Revision, " of ", shown.Scope))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("rows (-model +redis):\n%s", d)
	}
	state := map[string]string{"unread": decimal(m.unread()), "ver": decimal(m.ver), "opened": decimal(m.opened)}
	if len(m.kept) > 0 {
		state["kept"] = strings.Trim(fmt.Sprint(m.kept), "[]")
	}
	if len(m.archived) > 0 {
		state["archived"] = "1"
	}
	if d := cmp.Diff(state, at.State); d != "" {
		t.Fatalf("state (-model +redis):\n%s", d)
	}
	archived := map[string]string{}
	for _, r := range m.archived {
		archived[r.Key] = strings.TrimSpace(fmt.Sprint(r.NoticeID, " ", r.At, " ", r.Expires, " ", r.ArchivedAt, " ", r.Word()))
	}
	if d := cmp.Diff(archived, at.Archive); d != "" {
		t.Fatalf("archive (-model +redis):\n%s", d)
	}
	gone := map[int64]left{}
	for id, when := range at.Gone {
		gone[number(t, id)] = left{when, at.Left[id]}
	}
	if d := cmp.Diff(m.gone, gone, cmp.AllowUnexported(left{})); d != "" {
		t.Fatalf("gone (-model +redis):\n%s", d)
	}
	for id, want := range m.counted {
		n := decimal(id)
		if d, r := at.Counts[n+":d"], at.Counts[n+":r"]; count(t, d) != want[0] || count(t, r) != want[1] {
			t.Fatalf("notice %d: %s delivered, %s read; want %v", id, d, r, want)
		}
	}
}

// count parses a count; a missing one is 0.
func count(t tb, s string) int64 {
	t.Helper()
	if s == "" {
		return 0
	}
	return number(t, s)
}
