package live

import (
	"slices"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// turn is a notifier.Turn made ready for many users: what they are told is
// encoded once for all who see the same of it. It belongs to one goroutine.
type turn struct {
	notifier.Turn
	opens bool    // it holds nothing but openings: numbers follow from it
	tops  []int64 // the bounds between those who see more and less of it, rising
	views []*view // by how many bounds a user is beyond; nil until one comes
}

// view is what some users see of a turn.
type view struct {
	text   []byte // events as they stand on the wire, but without an id
	opened int64  // how many of them are openings
}

func newTurn(parsed notifier.Turn) *turn {
	t := &turn{Turn: parsed, opens: true}
	for i := range t.Events {
		e := &t.Events[i]
		t.opens = t.opens && e.Kind == notifier.TurnOpen
		if e.Top > 0 {
			t.tops = append(t.tops, e.Top)
		}
	}
	slices.Sort(t.tops)
	t.tops = slices.Compact(t.tops)
	t.views = make([]*view, len(t.tops)+1)
	return t
}

// view is what a user sees of the turn.
func (t *turn) view(seq int64) *view {
	beyond, _ := slices.BinarySearch(t.tops, seq)
	if t.views[beyond] == nil {
		t.views[beyond] = t.encode(seq)
	}
	return t.views[beyond]
}

func (t *turn) encode(seq int64) *view {
	v := &view{}
	for i := range t.Events {
		e := &t.Events[i]
		id := `{"id":` + strconv.FormatInt(e.ID, 10)
		switch {
		case !e.Sees(seq):
			continue
		case e.Kind == notifier.TurnRemoved:
			v.text = appendData(v.text, "announcement_removed", id+"}")
			continue
		case e.Kind == notifier.TurnOpen:
			v.opened++
		}
		v.text = appendData(v.text, "announcement", withFields(id, e.JSON))
	}
	return v
}

// follows says that the number of a user who holds this version is right once
// what he sees opening is added. Else he missed something (a gap; without a
// version before, Redis may have lost everything), what is held may count the
// turn already (a tie), or something left or changed whose bit is not known here.
func (t *turn) follows(held int64) bool {
	return t.opens && t.Before > 0 && held >= t.Before && held < t.AVer
}

// turn passes on what was published for an audience to its users of l. Each link
// hears it, for its own users only.
func (h *Hub) turn(l *link, a notifier.Audience, text string) {
	parsed, err := notifier.ParseTurn(text)
	if err != nil {
		h.stats.dropped.Add(1)
		return
	}
	t, toasts := newTurn(parsed), newTurnToasts(&parsed)
	h.each(l, func(u *user) {
		if u.audience == a {
			u.turn(t)
			toasts.add(u)
		}
	})
	toasts.raise(&h.courier)
	h.stats.turns.Add(1)
}

// turn tells the user what he sees of a turn, whatever its version (Pub/Sub does
// not repeat itself). His number is counted on or read again; also while he has
// no stream, for he may come back soon.
func (u *user) turn(t *turn) {
	v := t.view(u.seq)
	switch {
	case u.fresh && t.follows(u.badge.AVer):
		u.badge.AVer = t.AVer
		u.badge.Announcements += v.opened
		u.badge.Unread = u.badge.Inbox + u.badge.Announcements
		u.due = u.due || v.opened > 0
	case u.confirmed: // else the confirmation to come has the badge read
		u.hub.queue.add(u, soon)
	}
	switch {
	case len(u.conns) == 0 || len(v.text) == 0:
	case len(u.pending) == 0 && u.rested():
		u.send(packShared(v.text, u.badge, u.due))
	default:
		u.pending = append(appendID(u.pending, u.badge.Ver), v.text...)
		u.flushSoon()
	}
}

// mark applies published marks: their events always, their number unless it is
// older than what is held. Then what is held came from a reading since, or from
// before Redis lost something, and is read again.
func (u *user) mark(m *notifier.Marks) {
	if m.AVer >= u.badge.AVer {
		u.badge.AVer, u.badge.Announcements = m.AVer, m.Unread
		u.badge.Unread = u.badge.Inbox + u.badge.Announcements
		u.due = true
	} else if u.confirmed {
		u.hub.queue.add(u, soon)
	}
	if len(u.conns) > 0 {
		u.pending = appendMarks(u.pending, u.badge.Ver, m)
		u.flushSoon()
	}
}
