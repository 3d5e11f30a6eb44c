package inbox_test

import (
	"time"

	"pgregory.net/rapid"
)

// top is the latest notice of a row when it was put away: Redis refuses earlier ones, also after its retraction.
type top struct {
	id     int64
	single bool // the row stands for it alone
	later  bool // it was snoozed
}

func (g *groups) snooze(t *rapid.T) {
	key := g.key(t)
	row, here := g.rows[key]
	_, err := g.s.Snooze(t.Context(), g.seq, key, g.s.clock.in(time.Hour))
	g.found(t, err, here)
	if !here {
		return
	}
	row.read, row.keeps, row.later = true, !row.read, true
	delete(g.rows, key)
	g.put[key] = row
	g.trimmed()
	g.tops[key] = top{row.head(), len(row.ids) == 1, true}
}

// trimmed forgets the snoozed rows that leave the archive when another one enters it.
func (g *groups) trimmed() {
	for key, was := range g.tops {
		if _, there := g.put[key]; !there && was.single && was.later {
			delete(g.tops, key)
		}
	}
}

func (g *groups) wake(t *rapid.T) {
	key := g.key(t)
	row, there := g.put[key]
	_, err := g.s.Wake(t.Context(), g.seq, key)
	g.found(t, err, there && row.later)
	if g.tops[key].later {
		delete(g.put, key)
		delete(g.tops, key)
	}
	if there && row.later {
		g.rows[key] = grouped{ids: row.ids, times: row.times}
	}
}
