package announcement_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

// play is one random run on two instances, with its model and a hub.
type play struct {
	*model
	s      *site
	boards []*announcement.Announcements
	hub    *hub
	pass   func(d time.Duration) // lets time pass; nil where that is impossible
	said   int
}

func TestNumbersAgreeWithTheModelWhateverHappens(t *testing.T) {
	t.Parallel()
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		c := redistest.Own(t).Client(t)
		rapid.Check(t, func(rt *rapid.T) { newPlay(t, rt, c, time.Now, nil).run(rt) })
	})
	t.Run("time", func(t *testing.T) {
		t.Parallel()
		m, c := redistest.Mini(t)
		now := time.Now().Truncate(time.Millisecond)
		m.SetTime(now)
		pass := func(d time.Duration) { now = now.Add(d); m.SetTime(now) }
		rapid.Check(t, func(rt *rapid.T) { newPlay(t, rt, c, func() time.Time { return now }, pass).run(rt) })
	})
}

func newPlay(t *testing.T, rt *rapid.T, c redis.UniversalClient, now func() time.Time, pass func(time.Duration)) *play {
	s := &site{rdb: c, k: redistest.Space(t), sql: newSQL()}
	s.sql.now = now
	p := &play{s: s, boards: []*announcement.Announcements{s.another(noOptions), s.another(noOptions)}, pass: pass}
	p.model = &model{all: map[int64]*posted{}, now: now}
	p.hub = newHub(rt, s)
	for range rapid.IntRange(0, 4).Draw(rt, "users") {
		p.join(rt)
	}
	return p
}

func (p *play) run(t *rapid.T) {
	actions := map[string]func(*rapid.T){
		"": p.check, "publish": p.publish, "publish2": p.publish, "publish3": p.publish,
		"address": p.readdress, "window": p.move, "text": p.rewrite, "late": p.lateJoiners, "resetReads": p.resetReads, "anew2": p.resetReads,
		"retract": p.retract, "delete": p.remove, "join": p.join,
		"read": p.read, "read2": p.read, "unread": p.unmark, "all": p.readAll,
		"flush": p.writeBehind, "finish": p.finish, "loss": p.flushAll,
	}
	if p.pass != nil {
		actions["time"] = func(t *rapid.T) {
			p.pass(time.Duration(rapid.IntRange(0, 40).Draw(t, "minutes")) * time.Minute)
			p.sync(t)
		}
	}
	t.Repeat(actions)
	if p.pass != nil {
		p.pass(5 * time.Hour)
		p.sync(t)
		p.finish(t)
		p.check(t)
		p.clean(t)
	}
}

func (p *play) board(t *rapid.T) *announcement.Announcements {
	return p.boards[rapid.IntRange(0, len(p.boards)-1).Draw(t, "board")]
}

func (p *play) sync(t *rapid.T) {
	if err := p.board(t).Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.plan()
}

func (p *play) join(t *rapid.T) {
	a := rapid.SampledFrom([]notifier.Audience{user, customer}).Draw(t, "audience")
	p.users = append(p.users, a)
	p.hub.connect(t, notifier.Reader{Seq: p.s.sql.join(a), Audience: a})
}

var choices = [][]notifier.Audience{{user}, {customer}, {user, customer}}

// window returns one of few windows, so that many are open at once. On a server, where time cannot
// be moved, their ends are far away.
func (p *play) window(t *rapid.T) (starts, ends time.Time) {
	hours := rapid.SampledFrom([][2]time.Duration{{-1, 1}, {-2, 2}, {-1, 3}, {1, 2}, {-2, 0}}).Draw(t, "window")
	now := p.now().Truncate(time.Millisecond)
	return now.Add(hours[0] * time.Hour), now.Add(hours[1] * time.Hour)
}

func (p *play) publish(t *rapid.T) {
	n := draft(p.title(), rapid.SampledFrom(choices).Draw(t, "audiences")...)
	n.StartsAt, n.EndsAt = p.window(t)
	n.LateJoiners = rapid.Bool().Draw(t, "late joiners")
	id := p.s.sql.announce(n)
	p.all[id] = &posted{starts: n.StartsAt, ends: n.EndsAt, late: n.LateJoiners, title: n.Title, parts: map[notifier.Audience]*part{}}
	p.model.address(id, n.Target.Audiences)
	p.sync(t)
}

func (p *play) title() string {
	p.said++
	return fmt.Sprint("Title ", p.said)
}

// some returns one of the announcements that are over, or of those that are not. If there is none,
// it publishes one instead and returns false.
func (p *play) some(t *rapid.T, over bool) (id int64, ok bool) {
	ids := slices.Sorted(maps.Keys(p.all))
	ids = slices.DeleteFunc(ids, func(id int64) bool { return p.over(p.all[id]) != over })
	if len(ids) == 0 {
		p.publish(t)
		return 0, false
	}
	return rapid.SampledFrom(ids).Draw(t, "id"), true
}

func (p *play) edit(t *rapid.T, id int64, change func(n *notifier.Announcement)) {
	p.s.sql.edit(id, change)
	p.sync(t)
}

func (p *play) readdress(t *rapid.T) {
	id, ok := p.some(t, false)
	if !ok {
		return
	}
	to := rapid.SampledFrom(choices).Draw(t, "audiences")
	p.model.address(id, to)
	p.edit(t, id, func(n *notifier.Announcement) { address(n, to...) })
}

func (p *play) move(t *rapid.T) {
	id, ok := p.some(t, false)
	if !ok {
		return
	}
	n := p.all[id]
	n.starts, n.ends = p.window(t)
	p.edit(t, id, func(a *notifier.Announcement) { a.StartsAt, a.EndsAt = n.starts, n.ends })
}

func (p *play) rewrite(t *rapid.T) {
	id, ok := p.some(t, false)
	if !ok {
		return
	}
	title, pinned := p.title(), rapid.Bool().Draw(t, "pinned")
	p.all[id].title = title
	p.edit(t, id, func(n *notifier.Announcement) { n.Title, n.Pinned = title, pinned })
}

func (p *play) lateJoiners(t *rapid.T) {
	id, ok := p.some(t, false)
	if !ok {
		return
	}
	n := p.all[id]
	n.late = !n.late
	p.edit(t, id, func(a *notifier.Announcement) { a.LateJoiners = n.late })
}

// resetReads marks an announcement as unread for all users, with or without another title. Before
// the index follows, reads may be written to SQL and Redis may be lost.
func (p *play) resetReads(t *rapid.T) {
	id, ok := p.some(t, false)
	if !ok {
		return
	}
	title := p.all[id].title
	if rapid.Bool().Draw(t, "another title") {
		title = p.title()
	}
	p.all[id].title = title
	p.model.resetReads(id)
	p.s.sql.resetReads(id, func(n *notifier.Announcement) { n.Title = title })
	if rapid.Bool().Draw(t, "flushed before the index follows") {
		p.writeBehind(t)
	}
	if rapid.Bool().Draw(t, "lost before the index follows") {
		p.flushAll(t)
	}
	p.sync(t)
}

func (p *play) retract(t *rapid.T) {
	id, ok := p.some(t, false)
	if !ok {
		return
	}
	p.all[id].retracted = true
	p.s.sql.retract(id)
	p.sync(t)
}

// remove finishes first: once SQL no longer has an announcement, no instance finishes it.
func (p *play) remove(t *rapid.T) {
	id, ok := p.some(t, true)
	if !ok {
		return
	}
	p.finish(t)
	delete(p.all, id)
	p.s.sql.remove(id)
	p.sync(t)
}

// anybody returns a random user, and adds one if there are none.
func (p *play) anybody(t *rapid.T) notifier.Reader {
	if len(p.users) == 0 {
		p.join(t)
	}
	return rapid.SampledFrom(p.readers()).Draw(t, "reader")
}

func (p *play) read(t *rapid.T)   { p.mark(t, true) }
func (p *play) unmark(t *rapid.T) { p.mark(t, false) }

func (p *play) mark(t *rapid.T, read bool) {
	r, id := p.anybody(t), rapid.Int64Range(max(1, p.s.sql.lastID()-6), p.s.sql.lastID()+1).Draw(t, "id")
	b := p.board(t)
	call := b.MarkUnread
	if read {
		call = b.MarkRead
	}
	found := p.model.mark(id, r, read)
	badge, err := call(t.Context(), r, id)
	if !found {
		if !isNotFound(err) {
			t.Fatalf("%+v marks %d: %v, want not found", r, id, err)
		}
		return
	}
	if err != nil || badge.Unread != p.unread(r) {
		t.Fatalf("%+v marks %d: %+v, %v; want %d unread", r, id, badge, err, p.unread(r))
	}
}

func (p *play) readAll(t *rapid.T) {
	r := p.anybody(t)
	var want []int64
	for id, read := range p.posts(r) {
		if p.model.mark(id, r, true); !read {
			want = append(want, id)
		}
	}
	ids, badge, err := p.board(t).ReadAll(t.Context(), r)
	slices.Sort(ids)
	slices.Sort(want)
	if err != nil || !slices.Equal(ids, want) || badge.Unread != 0 {
		t.Fatalf("%+v reads all: %v, %+v, %v; want %v", r, ids, badge, err, want)
	}
}

func (p *play) writeBehind(t *rapid.T) {
	if _, err := p.board(t).Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.flush()
}

func (p *play) finish(t *rapid.T) {
	if _, all, err := p.board(t).Finish(t.Context()); err != nil || !all {
		t.Fatalf("finish: %v, %v", all, err)
	}
	p.flush()
}

// flushAll loses all data that is not in SQL. A real loss lasts longer than versions run ahead of
// the clock.
func (p *play) flushAll(t *rapid.T) {
	if p.pass != nil {
		p.pass(time.Minute)
		p.sync(t)
		p.pass(10 * time.Millisecond)
	} else {
		last := int64(0)
		for _, b := range p.hub.held {
			last = max(last, b.AVer)
		}
		testkit.Eventually(t, "the clock has passed the last version", func() bool { return time.Now().UnixMilli() > last })
	}
	if err := p.s.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	p.lose()
	p.plan()
	if len(p.users) == 0 { // without readers, no call notices the loss
		p.sync(t)
	}
}

func (p *play) check(t *rapid.T) {
	readers := p.readers()
	b := p.boards[p.said%2]
	badges, err := b.Badges(t.Context(), readers)
	if err != nil {
		t.Fatal(err)
	}
	p.hub.catchUp(t)
	for i, r := range readers {
		want := p.unread(r)
		if badges[i].Unread != want || badges[i].Announcements != want || badges[i].AVer == 0 {
			t.Fatalf("%+v has %+v, want %d unread", r, badges[i], want)
		}
		if held := p.hub.held[r]; held.Unread != want {
			t.Fatalf("the hub holds %+v of %+v, want %d unread; read: %+v", held, r, want, badges[i])
		}
	}
	if len(readers) > 0 {
		p.checkList(t, b, readers[p.said%len(readers)])
	}
	p.checkParts(t, b)
}

func (p *play) checkList(t *rapid.T, b *announcement.Announcements, r notifier.Reader) {
	posts, err := b.List(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, i := range posts.Items {
		got[i.Title] = i.Read
	}
	want := map[string]bool{}
	for id, read := range p.posts(r) {
		want[p.all[id].title] = read
	}
	if d := cmp.Diff(want, got); d != "" || posts.Unread != p.unread(r) || posts.Unread+posts.Read != int64(len(want)) {
		t.Fatalf("%+v sees %d unread, %d read (-model +list):\n%s", r, posts.Unread, posts.Read, d)
	}
}

// checkParts compares the number of readers of each part, while it is open and when it is over.
func (p *play) checkParts(t *rapid.T, b *announcement.Announcements) {
	var keys []notifier.Counting
	for id, n := range p.all {
		for a, part := range n.parts {
			k := notifier.Counting{PartKey: notifier.PartKey{ID: id, Audience: a}, From: p.s.sql.readsFrom(id)}
			if !n.late {
				k.Top = part.top
			}
			keys = append(keys, k)
		}
	}
	reads, err := b.Reads(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range keys {
		n, part := p.all[k.ID], p.all[k.ID].parts[k.Audience]
		stored, all, early := p.s.sql.partOf(k.ID, k.Audience), int64(len(part.bits)), int64(0)
		for seq := range part.bits {
			if seq <= part.top {
				early++
			}
		}
		want := all
		if k.Top > 0 {
			want = early
		}
		open := p.due(n) && !part.left && (n.late || part.top > 0)
		switch {
		case reads[i] < 0 && open, reads[i] >= 0 && reads[i] != want:
			t.Fatalf("part %+v was read by %d, want %d", k, reads[i], want)
		case stored.Settled != part.settled, stored.Settled && stored.Top != part.top:
			t.Fatalf("part %+v is %+v, want top %d", k, stored, part.top)
		// Editing an announcement does not recount a part that is finished.
		case stored.Finished && (stored.Reads != all && stored.Reads != early || !part.left && !p.over(n) || reads[i] >= 0):
			t.Fatalf("part %+v is finished as %+v with a bitmap of %d, want %d", k, stored, reads[i], want)
		}
	}
}

// clean checks that nothing of finished announcements is left in Redis.
func (p *play) clean(t *rapid.T) {
	for _, a := range []notifier.Audience{user, customer} {
		if at := p.s.stored(t, a); len(at.Open)+len(at.Scheduled) != 2 || len(at.Windows) != 1 || len(at.Bits)+len(at.Dirty) != 0 {
			t.Fatalf("left behind: %+v", at)
		}
	}
}
