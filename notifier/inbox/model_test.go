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

// model is what an inbox should be, in the plainest words.
type model struct {
	seq     int64
	limit   int
	rows    []notifier.Entry // newest first
	gone    map[int64]left
	ver     int64
	opened  int64
	counted map[int64][2]int64 // notice → delivered, read
	taken   []notifier.Entry   // deleted, to be restored
	sent    []*notifier.Notice
}

// left is how a notice left the inbox.
type left struct {
	at        int64
	retracted bool
}

func (m *model) bump(now int64) { m.ver = max(m.ver+1, now) }

func (m *model) count(id, delivered, read int64) {
	c := m.counted[id]
	m.counted[id] = [2]int64{c[0] + delivered, c[1] + read}
}

func (m *model) find(key string) int {
	return slices.IndexFunc(m.rows, func(e notifier.Entry) bool { return e.Key == key })
}

func (m *model) remove(i int, now int64) {
	m.gone[m.rows[i].NoticeID] = left{at: now}
	m.rows = slices.Delete(m.rows, i, i+1)
}

// forget forgets what left long ago, as scripts do that take a row out.
func (m *model) forget(now int64) {
	maps.DeleteFunc(m.gone, func(_ int64, l left) bool {
		return l.at < now-week || l.at == now-week && !l.retracted
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

// expire takes out what is due by now.
func (m *model) expire(now int64) (n int) {
	for i := len(m.rows) - 1; i >= 0; i-- {
		if at := m.rows[i].ExpiresAt; !at.IsZero() && at.UnixMilli() <= now {
			m.remove(i, now)
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
	if i >= 0 {
		m.remove(i, now)
		m.forget(now)
	}
	m.bump(now)
	m.count(n.ID, 1, 0)
	m.rows = slices.Insert(m.rows, 0, notifier.Entry{Key: n.Key(), NoticeID: n.ID, At: m.ver, ExpiresAt: n.ExpiresAt, Content: notifier.Content{Revision: n.Revision}})
	if len(m.rows) > m.limit {
		m.remove(m.limit, now)
		m.forget(now)
	}
	return 1
}

// edit has the row of a notice show a later revision.
func (m *model) edit(id, rev, now int64) (changed int) {
	i := slices.IndexFunc(m.rows, func(e notifier.Entry) bool { return e.NoticeID == id })
	if i < 0 || m.rows[i].Revision >= rev {
		return 0
	}
	m.rows[i].Revision = rev
	m.bump(now)
	return 1
}

// turn turns rows up to a time to read.
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

func (m *model) mark(key string, read bool, now int64) (found bool) {
	i := m.find(key)
	if i < 0 {
		return false
	}
	if m.rows[i].Read != read {
		m.rows[i].Read = read
		m.count(m.rows[i].NoticeID, 0, map[bool]int64{true: 1, false: -1}[read])
		m.bump(now)
	}
	return true
}

func (m *model) restore(e notifier.Entry, now int64) error {
	l, gone := m.gone[e.NoticeID]
	switch {
	case !gone, l.retracted, !e.ExpiresAt.IsZero() && e.ExpiresAt.UnixMilli() <= now:
		return notifier.ErrNotFound
	case m.find(e.Key) >= 0, len(m.rows) >= m.limit:
		return notifier.ErrConflict
	}
	place := slices.IndexFunc(m.rows, func(o notifier.Entry) bool { return o.At < e.At })
	if place < 0 {
		place = len(m.rows)
	}
	m.rows = slices.Insert(m.rows, place, e)
	delete(m.gone, e.NoticeID)
	m.bump(now)
	return nil
}

// agrees compares all that is stored with the model.
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
		want = append(want, fmt.Sprint(field, " = ", e.NoticeID, " ", e.At, " ", expires, " in revision ", e.Revision))
	}
	for _, field := range at.List {
		value := strings.SplitN(at.Hash[field], " ", 4)
		var shown notifier.Content
		if err := json.Unmarshal([]byte(value[3]), &shown); err != nil {
			t.Fatalf("%s shows %q: %v", field, value[3], err)
		}
		got = append(got, fmt.Sprint(field, " = ", strings.Join(value[:3], " "), " in revision ", shown.Revision))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("rows (-model +redis):\n%s", d)
	}
	state := map[string]string{"unread": decimal(m.unread()), "ver": decimal(m.ver), "opened": decimal(m.opened)}
	if d := cmp.Diff(state, at.State); d != "" {
		t.Fatalf("state (-model +redis):\n%s", d)
	}
	gone := map[int64]left{}
	for id, when := range at.Gone {
		gone[number(t, id)] = left{when, at.Retracted[id]}
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

// count reads a count; what was never counted is 0.
func count(t tb, s string) int64 {
	t.Helper()
	if s == "" {
		return 0
	}
	return number(t, s)
}
