package inbox_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// play is a random history of one inbox, with its model and a browser that receives only the published changes.
type play struct {
	*model
	s       *site
	others  *inbox.Inbox // another instance; they take turns
	heard   *listener
	browser *folded
	ids     *atomic.Int64 // of the notices of all plays

	h     *shelf // may be nil
	saved *model // the state that h has of this inbox
	first int64  // version at the start, when the inbox is empty
	past  *past  // a state to which Redis may return
	again int64  // a version that SQL has but that has a dirty mark again, because Redis returned to it
}

func TestTheInboxAgreesWithItsModelAfterRandomChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Cluster(t), 0)
	var seq, id atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		p := begin(t, s, seq.Add(1), nil)
		t.Repeat(p.actions(&id))
	})
}

// begin starts a play; with a shelf, cold inboxes are restored from it.
func begin(t *rapid.T, s *site, seq int64, h *shelf) *play {
	p := &play{s: s, browser: newFolded(), h: h, model: &model{
		seq: seq, limit: rapid.IntRange(1, 8).Draw(t, "cap"), gone: map[int64]left{}, counted: map[int64][2]int64{},
	}}
	s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: p.limit, Now: s.clock.now})
	p.others = inbox.New(s.rdb, s.k, inbox.Options{Cap: p.limit, Now: s.clock.now})
	if h != nil {
		s.Inbox, p.others = s.another(h, p.limit), s.another(h, p.limit)
	}
	badges, err := s.Badges(t.Context(), []int64{p.seq})
	if err != nil {
		t.Fatal(err)
	}
	p.ver, p.first, p.browser.last.Ver = badges[0].Ver, badges[0].Ver, badges[0].Ver
	p.heard = s.listen(t, p.seq)
	return p
}

func (p *play) actions(id *atomic.Int64) map[string]func(*rapid.T) {
	p.ids = id
	return map[string]func(*rapid.T){
		"":          p.check,
		"deliver":   func(t *rapid.T) { p.deliverNew(t, id.Add(1)) },
		"deliver2":  func(t *rapid.T) { p.deliverNew(t, id.Add(1)) }, // more often, so that inboxes fill up
		"deliver3":  func(t *rapid.T) { p.deliverNew(t, id.Add(1)) },
		"repeat":    p.deliverOld,
		"open":      p.open,
		"look":      p.look,
		"search":    p.search,
		"read":      func(t *rapid.T) { p.markSome(t, true) },
		"unread":    func(t *rapid.T) { p.markSome(t, false) },
		"turn back": p.turnBack,
		"upto":      p.readUpto,
		"keys":      p.readKeys,
		"subject":   p.readSubject,
		"section":   p.readSection,
		"section2":  p.openSection,
		"poll":      p.poll,
		"edit":      p.editOne,
		"delete":    p.take,
		"restore":   p.putBack,
		"restore2":  p.putBackArchived,
		"retract":   p.retract,
		"archive":   p.archive,
		"unarchive": p.unarchive,
		"archived":  p.lookArchived,
		"snooze":    p.snooze,
		"snooze2":   p.snooze,
		"wake":      p.wakeOne,
		"due":       p.wakeDue,
		"expire":    p.sweep,
		"time":      p.passTime,
	}
}

func (p *play) passTime(t *rapid.T) {
	pass := time.Duration(rapid.IntRange(0, 12).Draw(t, "seconds")) * 10 * time.Second
	if rapid.IntRange(0, 9).Draw(t, "a week passes") == 0 {
		pass += week * time.Millisecond
	} else if rapid.IntRange(0, 19).Draw(t, "a month passes") == 0 {
		pass += notifier.ArchivedFor
	}
	p.s.clock.pass(pass)
}

func (p *play) now() int64 { return p.s.clock.now().UnixMilli() }

func (p *play) check(t *rapid.T) {
	p.agrees(t, p.s)
	p.s.Inbox, p.others = p.others, p.s.Inbox
	for _, c := range p.heard.heard(t) {
		unread := p.browser.take(t, c)
		for _, e := range p.rows { // a restored row keeps its old version
			if _, ok := p.browser.at[e.Key]; ok {
				p.browser.at[e.Key] = e.At
			}
		}
		if unread != c.Unread {
			t.Fatalf("change %+v has %d unread, the browser counts %d", c, c.Unread, unread)
		}
	}
	if last := p.browser.last; last.Ver != p.ver || last.Unread != p.unread() {
		t.Fatalf("the browser last saw ver %d, %d unread; the inbox has %d, %d", last.Ver, last.Unread, p.ver, p.unread())
	}
}

// anyKey returns one of a few keys, so that they often collide.
func anyKey(t *rapid.T) string { return "like:" + rapid.SampledFrom(subjects).Draw(t, "subject") }

var scopes = []string{"", "x", "x.y"}

var subjects = []string{"a", "b", "c:1", "c:1:2", "has_read", "f", "g", "h", "i"}

func (p *play) deliverNew(t *rapid.T, id int64) {
	n := p.s.notice(id, rapid.SampledFrom(subjects).Draw(t, "subject"))
	n.Recipients = 2
	n.Scope = rapid.SampledFrom(scopes).Draw(t, "scope")
	life := time.Duration(rapid.IntRange(-1, 12).Draw(t, "seconds")) * 10 * time.Second
	switch rapid.IntRange(0, 3).Draw(t, "life") {
	case 0:
		n.ExpiresAt = time.Time{}
	case 1:
		n.ExpiresAt = p.s.clock.in(life)
	case 2:
		n.ExpiresAt = p.s.clock.in(life + week*time.Millisecond)
	}
	p.sent = append(p.sent, n)
	if p.h != nil {
		p.h.keep(n)
	}
	p.handOver(t, n)
}

func (p *play) deliverOld(t *rapid.T) { p.handOver(t, p.anyNotice(t)) }

// anyNotice returns one of the notices sent so far, and sends one if there is none.
func (p *play) anyNotice(t *rapid.T) *notifier.Notice {
	if len(p.sent) == 0 {
		p.deliverNew(t, p.ids.Add(1))
	}
	return rapid.SampledFrom(p.sent).Draw(t, "notice")
}

func (p *play) handOver(t *rapid.T, n *notifier.Notice) {
	want := p.deliver(n, p.now())
	if got, err := p.s.Deliver(t.Context(), n, []int64{p.seq}); err != nil || got != want {
		t.Fatalf("delivering changed %d, %v; want %d", got, err, want)
	}
}

func (p *play) markSome(t *rapid.T, read bool) {
	keys, call := someKeys(t), p.s.MarkUnread
	if read {
		call = p.s.MarkRead
	}
	turned, found := p.mark(keys, read, !read, p.now())
	got, badge, err := call(t.Context(), p.seq, keys...)
	p.answers(t, badge, err, found)
	if !slices.Equal(got, turned) {
		t.Fatalf("turned %v, want %v", got, turned)
	}
}

func (p *play) turnBack(t *rapid.T) {
	keys := someKeys(t)
	_, found := p.mark(keys, false, false, p.now())
	badge, err := p.s.Unread(t.Context(), p.seq, keys...)
	p.answers(t, badge, err, found)
}

func (p *play) answers(t *rapid.T, badge notifier.Badge, err error, found bool) {
	if !found {
		if !errors.Is(err, notifier.ErrNotFound) {
			t.Fatalf("error %v, want not found", err)
		}
		return
	}
	if want := (notifier.Badge{Unread: p.unread(), Inbox: p.unread(), Ver: p.ver}); err != nil || badge != want {
		t.Fatalf("badge %+v, %v; want %+v", badge, err, want)
	}
}

func (p *play) readUpto(t *rapid.T) {
	p.model.expire(p.now())
	key := anyKey(t)
	upto, at, found := key, int64(0), true
	if i := p.find(key); i < 0 {
		found = false
	} else if at = p.rows[i].At; rapid.Bool().Draw(t, "by time") {
		upto = strconv.FormatInt(at, 10)
	}
	if found {
		p.turn(at, p.now())
	}
	badge, err := p.s.ReadUpto(t.Context(), p.seq, upto)
	p.answers(t, badge, err, found)
}

func (p *play) take(t *rapid.T) {
	keys := someKeys(t)
	var want []notifier.Entry
	for _, key := range keys {
		if i := p.find(key); i >= 0 {
			want = append(want, p.rows[i])
			p.remove(i, p.next(p.now()))
		}
	}
	if len(want) > 0 {
		p.forget(p.now())
		p.bump(p.now())
	}
	rows := len(want)
	for _, e := range want {
		p.undiscard(e.Key)
	}
	want = append(want, p.takeArchived(keys)...)
	got, badge, err := p.s.Take(t.Context(), p.seq, keys...)
	p.answers(t, badge, err, len(want) > 0)
	if len(got) != len(want) {
		t.Fatalf("took %+v, want %+v", got, want)
	}
	for i, e := range got {
		if was := want[i]; e.NoticeID != was.NoticeID || e.At != was.At || e.Read != was.Read {
			t.Fatalf("took %+v, want %+v", e, was)
		}
		if i >= rows {
			continue // it was archived
		}
		e.Read = rapid.Bool().Draw(t, "the state that the undo claims") // this must have no effect
		p.taken = append(p.taken, e)
	}
}

func (p *play) putBack(t *rapid.T) {
	if len(p.taken) == 0 {
		p.take(t) // so that there is one the next time
		return
	}
	some := rapid.SliceOfN(rapid.SampledFrom(p.taken), 1, 4).Draw(t, "entries")
	want := p.restore(some, p.now())
	if want == nil && p.h != nil {
		p.freshen(some)
	}
	badge, err := p.s.PutBack(t.Context(), p.seq, some...)
	if want != nil {
		if !errors.Is(err, want) {
			t.Fatalf("restoring: %v, want %v", err, want)
		}
		return
	}
	p.answers(t, badge, err, true)
}

// freshen gives restored entries the content from SQL, the newest first.
func (p *play) freshen(some []notifier.Entry) {
	some = slices.Clone(some)
	slices.SortStableFunc(some, func(a, b notifier.Entry) int { return int(b.At - a.At) })
	for _, e := range some {
		p.edit(e.NoticeID, p.h.revision(e.NoticeID), p.now())
	}
}

func (p *play) retract(t *rapid.T) {
	n := p.anyNotice(t)
	if p.h != nil {
		p.h.retract(n.ID, notifier.StateRetracted)
	}
	if i := p.find(n.Key()); i >= 0 && p.rows[i].NoticeID == n.ID {
		p.remove(i, p.next(p.now()))
	}
	if how := p.gone[n.ID].how; !how.Retracted {
		how.Retracted = true
		p.gone[n.ID] = left{p.next(p.now()), how}
		p.forget(p.now())
		p.bump(p.now())
	}
	if err := p.s.Retract(t.Context(), n.ID, n.Key(), []int64{p.seq}); err != nil {
		t.Fatal(err)
	}
}

// sweep expires the due members of the expiry index like the sweeper. Afterwards no member may be
// due, and if the whole inbox was checked, its member must have the exact time.
func (p *play) sweep(t *rapid.T) {
	due := []string{anyKey(t)}
	user := decimal(p.seq) + "|"
	for member, at := range p.s.stored(t, p.seq).Expiry {
		if key, mine := strings.CutPrefix(member, user); mine && at <= p.now() {
			due = append(due, key)
		}
	}
	whole := slices.Contains(due, "")
	want := p.model.expire(p.now())
	if got, err := p.s.Expire(t.Context(), map[int64][]string{p.seq: due}); err != nil || got != want {
		t.Fatalf("expired %d, %v; want %d", got, err, want)
	}
	first := int64(0)
	for _, e := range p.rows {
		if due := e.ExpiresAt.UnixMilli(); !e.ExpiresAt.IsZero() && due-e.At > week && (first == 0 || due < first) {
			first = due
		}
	}
	if got := p.s.stored(t, p.seq).Expiry[user]; whole && got != first || got > 0 && got <= p.now() {
		t.Fatalf("the inbox is to be checked at %d, want %d", got, first)
	}
}
