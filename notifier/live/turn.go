package live

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// turn is a notifier.Turn prepared for many users: its events are encoded once for all users who see the same
// part of it. Only one goroutine may use it.
type turn struct {
	notifier.Turn
	opens bool // it contains only openings, so counts can be updated from it
	app   func(name string) notifier.RowApp
	tops  []int64 // the seqs up to which some event is visible, ascending
	views []*view // indexed by the number of tops below the user's seq; nil until needed
}

// view is the part of a turn that some users see.
type view struct {
	text   []byte // events in the wire format, without an id
	opened int64  // number of openings among them
	copies []copied
}

// copied is a socket of the shard that the turn has reached, which gets a view with its user's version and, if due,
// badge.
type copied struct {
	to    *socket
	badge notifier.Badge
	due   bool
}

// newTurn prepares a turn. app returns an app as rows show it.
func newTurn(parsed notifier.Turn, app func(name string) notifier.RowApp) *turn {
	t := &turn{Turn: parsed, app: app, opens: true}
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

// view returns the part of the turn that a user sees.
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
		v.text = appendData(v.text, "announcement", withFields(id, notifier.ShowApp(e.JSON, t.app)))
	}
	return v
}

// follows reports whether the count of a user at this version is right once the openings the user sees are
// added. It is not if the user missed a turn (a gap; without a previous version Redis may have lost
// everything), if the badge may include the turn already (a tie), or if an announcement was removed or changed,
// as this instance does not have the user's bit.
func (t *turn) follows(held int64) bool {
	return t.opens && t.Before > 0 && held >= t.Before && held < t.AVer
}

// turn passes a message for an audience on to its users on l. Every link receives it, and serves
// its own users only.
func (h *Hub) turn(l *link, a notifier.Audience, text string) {
	parsed, err := notifier.ParseTurn(text)
	if err != nil {
		h.stats.dropped.Add(1)
		return
	}
	h.stats.turns.Add(1)
	t, toasts := newTurn(parsed, h.cfg.App), newTurnToasts(&parsed)
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		s.each(l, func(u *user) {
			if u.hears(a) {
				u.turn(t)
				toasts.add(u)
			}
		})
		for _, v := range t.views {
			if v != nil && len(v.copies) > 0 {
				s.post.share(v)
			}
		}
		s.mu.Unlock()
	}
	toasts.raise(&h.courier)
}

// turn sends the user the part of a turn they see, whatever its version (Pub/Sub does not repeat
// messages). The count is updated or read again, even without a stream, as the user may come back
// soon.
func (u *user) turn(t *turn) {
	v := t.view(u.seq)
	switch {
	case u.fresh && t.follows(u.badge.AVer):
		u.badge.SetAnnouncements(u.badge.Announcements+v.opened, t.AVer)
		u.due = u.due || v.opened > 0
	case u.confirmed: // otherwise the pending confirmation queues the read
		u.hub.queue.add(u, soon)
	}
	switch {
	case len(u.conns) == 0 || len(v.text) == 0:
	case len(u.pending) == 0 && u.rested():
		u.share(v)
	default:
		u.pending = append(appendID(u.pending, u.badge.Ver), v.text...)
		u.flushSoon()
	}
}

// share sends the user a view.
func (u *user) share(v *view) {
	for _, c := range u.conns {
		if c.open() {
			c.out.share(v, u.badge, u.due)
		}
	}
	u.due, u.flushed = false, u.hub.cfg.Now()
}

// mark applies published marks. Their events are always sent; their count applies unless it is
// older than the badge held. In that case the badge was read later, or dates from before Redis lost
// something, so it is read again.
func (u *user) mark(m *notifier.Marks) {
	if m.AVer >= u.badge.AVer {
		u.badge.SetAnnouncements(m.Unread, m.AVer)
		u.due = true
	} else if u.confirmed {
		u.hub.queue.add(u, soon)
	}
	if len(u.conns) > 0 {
		u.pending = appendMarks(u.pending, u.badge.Ver, m)
		u.flushSoon()
	}
}

// turnToasts are the toasts of a turn, with the users connected here who get them. It is empty for nearly all
// turns, which then have no further cost.
//
// Each instance raises the toasts for its own users; a user connected to several instances still
// gets each toast once. A user who does not receive the turn has the announcement only in the list
// and the badge: users who connect a moment later, and users connected here while the subscription
// is lost.
type turnToasts []turnToast

type turnToast struct {
	event *notifier.TurnEvent
	raise notifier.ToastRaise
}

// newTurnToasts selects the openings that are shown as toasts.
func newTurnToasts(t *notifier.Turn) (all turnToasts) {
	for i := range t.Events {
		e := &t.Events[i]
		var b notifier.AnnouncementText
		if e.Kind != notifier.TurnOpen || json.Unmarshal([]byte(e.JSON), &b) != nil || !b.Toast {
			continue
		}
		// The body is Markdown and too long for a toast; the link leads to it.
		content, err := notifier.EncodeContent(notifier.Content{
			Type: notifier.TypeAnnouncement, Title: b.Title, Link: "/announcements/" + strconv.FormatInt(e.ID, 10),
		})
		if err == nil { // always nil: the content is strings and a time
			all = append(all, turnToast{e, notifier.ToastRaise{NoticeID: e.ID, Content: content}})
		}
	}
	return all
}

// add adds u to the toasts u sees, if u can receive them. The caller holds the lock of the user's
// shard.
func (all turnToasts) add(u *user) {
	for i := range all {
		if t := &all[i]; t.event.Sees(u.seq) && u.receives() {
			t.raise.Seqs = append(t.raise.Seqs, u.seq)
		}
	}
}

// raise queues the toasts for the users that were added.
func (all turnToasts) raise(k *courier) {
	for i := range all {
		if t := &all[i]; len(t.raise.Seqs) > 0 {
			k.raise([]notifier.ToastRaise{t.raise})
		}
	}
}
