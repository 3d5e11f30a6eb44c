package announcement_test

import (
	"maps"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// model is a straightforward model of announcements.
type model struct {
	users []notifier.Audience // by seq - 1
	all   map[int64]*posted
	now   func() time.Time
}

type posted struct {
	starts, ends time.Time
	retracted    bool
	late         bool
	title        string
	parts        map[notifier.Audience]*part
}

type part struct {
	left, settled bool
	top           int64
	bits, saved   map[int64]bool
}

func (m *model) over(p *posted) bool { return p.retracted || !m.now().Before(p.ends) }

func (m *model) due(p *posted) bool { return !m.over(p) && !m.now().Before(p.starts) }

// plan models a Sync: due announcements open, visible to the users who exist then.
func (m *model) plan() {
	for _, p := range m.all {
		for _, part := range p.parts {
			if m.due(p) && !part.left && !part.settled {
				part.settled, part.top = true, int64(len(m.users))
			}
		}
	}
}

func (m *model) sees(id int64, r notifier.Reader) bool {
	p := m.all[id]
	if p == nil {
		return false
	}
	part := p.parts[r.Audience]
	return part != nil && !part.left && part.settled && m.due(p) && (p.late || r.Seq <= part.top)
}

func (m *model) mark(id int64, r notifier.Reader, read bool) (found bool) {
	if !m.sees(id, r) {
		return false
	}
	bits := m.all[id].parts[r.Audience].bits
	if delete(bits, r.Seq); read {
		bits[r.Seq] = true
	}
	return true
}

// posts returns the announcements that a reader sees: id → whether they have read it.
func (m *model) posts(r notifier.Reader) map[int64]bool {
	seen := map[int64]bool{}
	for id, p := range m.all {
		if m.sees(id, r) {
			seen[id] = p.parts[r.Audience].bits[r.Seq]
		}
	}
	return seen
}

func (m *model) unread(r notifier.Reader) (n int64) {
	for _, read := range m.posts(r) {
		if !read {
			n++
		}
	}
	return n
}

// flush models the state of SQL from then on.
func (m *model) flush() {
	m.each(func(p *part) { p.saved = maps.Clone(p.bits) })
}

// lose models a Redis that comes back empty.
func (m *model) lose() {
	m.each(func(p *part) { p.bits = maps.Clone(p.saved) })
}

func (m *model) each(do func(p *part)) {
	for _, p := range m.all {
		for _, part := range p.parts {
			do(part)
		}
	}
}

// resetReads marks an announcement as unread for all users, including users who do not see it now.
func (m *model) resetReads(id int64) {
	for _, part := range m.all[id].parts {
		part.bits, part.saved = map[int64]bool{}, map[int64]bool{}
	}
}

func (m *model) address(id int64, to []notifier.Audience) {
	p := m.all[id]
	for a, part := range p.parts {
		part.left = !slices.Contains(to, a)
	}
	for _, a := range to {
		if p.parts[a] == nil {
			p.parts[a] = &part{bits: map[int64]bool{}, saved: map[int64]bool{}}
		}
	}
}

func (m *model) readers() (all []notifier.Reader) {
	for i, a := range m.users {
		all = append(all, notifier.Reader{Seq: int64(i + 1), Audience: a})
	}
	return all
}
