package announcement_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

var errAway = errors.New("sql is unavailable")

// sql is a fake of the store as announcements use it. Its clock is not the clock of Redis.
type sql struct {
	mu       sync.Mutex
	revision int64
	ids      int64
	users    []notifier.Audience // by seq - 1
	all      map[int64]*notifier.Announcement
	reads    map[notifier.PartKey]map[int]notifier.ReadSegment
	now      func() time.Time

	// before is called before each call, without the lock.
	before func(call string) error
	// after is called after each call, whose changes remain.
	after func(call string) error
}

func newSQL() *sql {
	none := func(string) error { return nil }
	return &sql{
		all: map[int64]*notifier.Announcement{}, reads: map[notifier.PartKey]map[int]notifier.ReadSegment{},
		now: time.Now, before: none, after: none,
	}
}

func (q *sql) call(name string, do func() error) error {
	if err := q.before(name); err != nil {
		return err
	}
	q.mu.Lock()
	err := do()
	q.mu.Unlock()
	if err != nil {
		return err
	}
	return q.after(name)
}

// Changes by staff and by the directory.

func (q *sql) join(a notifier.Audience) (seq int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.users = append(q.users, a)
	return int64(len(q.users))
}

func (q *sql) lastID() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ids
}

func (q *sql) announce(n *notifier.Announcement) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.revision++
	q.ids++
	n.ID, n.Revision = q.ids, 1
	for _, a := range n.Target.Audiences {
		n.Parts = append(n.Parts, notifier.Part{Audience: a})
	}
	q.all[n.ID] = clone(n)
	return n.ID
}

// edit changes an announcement in one transaction.
func (q *sql) edit(id int64, change func(n *notifier.Announcement)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.revision++
	n := q.all[id]
	change(n)
	n.Revision++
}

// resetReads is an edit that marks an announcement as unread for all users and may change more.
func (q *sql) resetReads(id int64, change func(n *notifier.Announcement)) {
	q.edit(id, func(n *notifier.Announcement) {
		change(n)
		n.ReadsFrom = n.Revision + 1
		for i := range n.Parts {
			n.Parts[i].Reads = 0
		}
		maps.DeleteFunc(q.reads, func(k notifier.PartKey, _ map[int]notifier.ReadSegment) bool { return k.ID == id })
	})
}

func (q *sql) retract(id int64) {
	q.edit(id, func(n *notifier.Announcement) { n.State = notifier.StateRetracted })
}

// address gives an announcement other audiences, as an edit does.
func address(n *notifier.Announcement, to ...notifier.Audience) {
	n.Target.Audiences = to
	for i := range n.Parts {
		p := &n.Parts[i]
		p.Left = !slices.Contains(to, p.Audience)
		p.Finished = p.Finished && p.Left
	}
	for _, a := range to {
		if !slices.ContainsFunc(n.Parts, func(p notifier.Part) bool { return p.Audience == a }) {
			n.Parts = append(n.Parts, notifier.Part{Audience: a})
		}
	}
}

func (q *sql) remove(id int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.revision++
	delete(q.all, id)
	maps.DeleteFunc(q.reads, func(k notifier.PartKey, _ map[int]notifier.ReadSegment) bool { return k.ID == id })
}

func (q *sql) part(k notifier.PartKey) *notifier.Part {
	n := q.all[k.ID]
	if n == nil {
		return nil
	}
	for i := range n.Parts {
		if n.Parts[i].Audience == k.Audience {
			return &n.Parts[i]
		}
	}
	return nil
}

// partOf returns the current state of a part.
func (q *sql) partOf(id int64, a notifier.Audience) notifier.Part {
	q.mu.Lock()
	defer q.mu.Unlock()
	return *q.part(notifier.PartKey{ID: id, Audience: a})
}

// readsFrom returns the revision of the edit since which reads of an announcement count.
func (q *sql) readsFrom(id int64) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.all[id].ReadsFrom
}

// settle records the users who existed when it opened.
func (q *sql) settle(id int64, a notifier.Audience, top int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.part(notifier.PartKey{ID: id, Audience: a})
	p.Settled, p.Top = true, top
}

// saved returns the seqs of the readers stored in SQL.
func (q *sql) saved(id int64, a notifier.Audience) []int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	seqs := []int64{}
	for n, g := range q.reads[notifier.PartKey{ID: id, Audience: a}] {
		for i := range int64(len(g.Bits)) * 8 {
			if seq := int64(n)*notifier.SegmentBytes*8 + i; seq > 0 && g.Bits[i/8]>>(7-i%8)&1 == 1 {
				seqs = append(seqs, seq)
			}
		}
	}
	slices.Sort(seqs)
	return seqs
}

func clone(n *notifier.Announcement) *notifier.Announcement {
	c := *n
	c.Parts = slices.Clone(n.Parts)
	return &c
}

// The methods of announcement.Store.

func (q *sql) AnnouncementRevision(context.Context) (n int64, err error) {
	err = q.call("revision", func() error { n = q.revision; return nil })
	return n, err
}

func (q *sql) CurrentAnnouncements(context.Context) (all []notifier.Announcement, err error) {
	err = q.call("current", func() error {
		for _, id := range slices.Sorted(maps.Keys(q.all)) {
			n := q.all[id]
			if slices.ContainsFunc(n.Parts, func(p notifier.Part) bool { return !p.Finished }) {
				all = append(all, *clone(n))
			}
		}
		return nil
	})
	return all, err
}

func (q *sql) Announcements(_ context.Context, ids []int64) (all []notifier.Announcement, err error) {
	err = q.call("texts", func() error {
		for _, id := range ids {
			if n := q.all[id]; n != nil {
				all = append(all, *clone(n))
			}
		}
		return nil
	})
	return all, err
}

func (q *sql) SettleTop(_ context.Context, k notifier.PartKey) (part notifier.Part, err error) {
	err = q.call("settle", func() error {
		p := q.part(k)
		if p == nil {
			return notifier.ErrNotFound
		}
		if !p.Settled {
			p.Settled, p.Top = true, int64(len(q.users))
			for _, a := range q.users {
				if a == k.Audience {
					p.Members++
				}
			}
		}
		part = *p
		return nil
	})
	return part, err
}

func (q *sql) SaveReads(_ context.Context, segments []notifier.ReadSegment) error {
	return q.call("save", func() error {
		for _, g := range segments {
			if n := q.all[g.ID]; n == nil || q.part(g.PartKey) == nil || n.ReadsFrom != g.From {
				continue // deleted with its rows, or marked as unread for all users since
			}
			if q.reads[g.PartKey] == nil {
				q.reads[g.PartKey] = map[int]notifier.ReadSegment{}
			}
			if q.reads[g.PartKey][g.Segment].Ver < g.Ver {
				g.Bits = slices.Clone(g.Bits)
				q.reads[g.PartKey][g.Segment] = g
			}
		}
		return nil
	})
}

func (q *sql) Reads(_ context.Context, k notifier.PartKey) (all []notifier.ReadSegment, err error) {
	err = q.call("reads", func() error {
		for _, n := range slices.Sorted(maps.Keys(q.reads[k])) {
			all = append(all, q.reads[k][n])
		}
		return nil
	})
	return all, err
}

func (q *sql) LatestReads(_ context.Context, a notifier.Audience) (ver int64, err error) {
	err = q.call("latest", func() error {
		for k, pieces := range q.reads {
			for _, g := range pieces {
				if k.Audience == a {
					ver = max(ver, g.Ver)
				}
			}
		}
		return nil
	})
	return ver, err
}

func (q *sql) FinishPart(_ context.Context, k notifier.PartKey, reads int64) error {
	return q.call("finish", func() error {
		p, n := q.part(k), q.all[k.ID]
		if p == nil {
			return notifier.ErrNotFound
		}
		if p.Left || n.State == notifier.StateRetracted || !q.now().Before(n.EndsAt) {
			p.Finished, p.Reads = true, reads
		}
		return nil
	})
}
