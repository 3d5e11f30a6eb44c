package inbox_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// grouped is a row of the model: the notices that it stands for, the oldest first.
type grouped struct {
	ids   []int64
	times int
	read  bool
	keeps bool // it was put away unread
	later bool // it is snoozed
}

func (g *grouped) head() int64 { return g.ids[len(g.ids)-1] }

// groups is a random history of an inbox whose notices share rows, beside a model of its groups.
type groups struct {
	s       *site
	h       *shelf
	seq     int64
	ids     *atomic.Int64 // of the notices of all plays
	notices map[int64]*notifier.Notice
	acts    map[int64]string   // the id of a notice's actor, also of a forgotten one
	late    []int64            // accepted, and not delivered yet
	had     map[int64]bool     // was in the inbox
	rows    map[string]grouped // by key
	put     map[string]grouped // the archive, with what is snoozed
	tops    map[string]top     // the notices of the archive in Redis
	deleted map[string]grouped
}

func TestGroupsAgreeWithTheirModelAfterRandomChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Cluster(t), 0)
	var seq int64
	var ids atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		seq++
		g := &groups{
			s: s, h: newShelf(), seq: seq, ids: &ids, notices: map[int64]*notifier.Notice{}, acts: map[int64]string{}, had: map[int64]bool{},
			rows: map[string]grouped{}, put: map[string]grouped{}, tops: map[string]top{}, deleted: map[string]grouped{},
		}
		s.Inbox = s.another(g.h, 30)
		s.wake(t, seq)
		t.Repeat(map[string]func(*rapid.T){
			"":          g.check,
			"deliver":   func(t *rapid.T) { g.deliver(t, g.accept(t)) },
			"deliver2":  func(t *rapid.T) { g.deliver(t, g.accept(t)) },
			"deliver3":  func(t *rapid.T) { g.deliver(t, g.accept(t)) },
			"accept":    func(t *rapid.T) { g.late = append(g.late, g.accept(t).ID) },
			"late":      g.deliverLate,
			"repeat":    func(t *rapid.T) { g.deliver(t, g.any(t)) },
			"edit":      g.edit,
			"retract":   g.retract,
			"forget":    g.forget,
			"mark":      g.mark,
			"open":      g.open,
			"archive":   g.archive,
			"unarchive": g.unarchive,
			"snooze":    g.snooze,
			"wake":      g.wake,
			"delete":    g.take,
			"restore":   g.restore,
			"lose":      g.lose,
			"flush":     func(t *rapid.T) { g.s.writeBehind(t, g.h, g.seq) },
			"flush2":    func(t *rapid.T) { g.s.writeBehind(t, g.h, g.seq) },
			"late2":     g.deliverLate,
		})
	})
}

// accept makes a notice, which SQL then has.
func (g *groups) accept(t *rapid.T) *notifier.Notice {
	id := g.ids.Add(1)
	n := g.s.notice(id, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "subject"))
	g.write(t, n)
	g.notices[id] = n
	g.h.keep(n)
	return n
}

// write draws what a sender may write.
func (g *groups) write(t *rapid.T, n *notifier.Notice) {
	n.Title = fmt.Sprintf("Notice %d, revision %d", n.ID, n.Revision)
	n.Extras = notifier.Extras{}
	if who := rapid.IntRange(0, 6).Draw(t, "actor"); who > 0 {
		g.acts[n.ID] = strconv.Itoa(who)
		n.Extras.Actor = &notifier.RowActor{ID: strconv.Itoa(who), Name: fmt.Sprintf(`{"%d"} = {actor}, %d`, who, rapid.IntRange(1, 2).Draw(t, "name"))}
	}
	if rapid.IntRange(0, 5).Draw(t, "more") > 0 {
		n.Extras.More = &notifier.More{Other: fmt.Sprintf("{actor} and {others} others, by %d", n.ID)}
		if rapid.Bool().Draw(t, "one") {
			n.Extras.More.One = fmt.Sprintf("{actor} and {others} other, by %d", n.ID)
		}
	}
}

// any returns one of the notices so far, and accepts one if there is none.
func (g *groups) any(t *rapid.T) *notifier.Notice {
	if len(g.notices) == 0 {
		g.accept(t)
	}
	return g.notices[rapid.SampledFrom(slices.Sorted(maps.Keys(g.notices))).Draw(t, "notice")]
}

func (g *groups) deliverLate(t *rapid.T) {
	if len(g.late) == 0 {
		return
	}
	g.deliver(t, g.notices[g.late[0]])
	g.late = g.late[1:]
}

func (g *groups) deliver(t *rapid.T, n *notifier.Notice) {
	g.s.deliverAll(t, g.s.delivery(t, n, g.seq))
	if g.had[n.ID] || n.State.TakenBack() {
		return
	}
	row, here := g.rows[n.Key()]
	more := n.Extras.More != nil
	switch {
	case here && row.head() > n.ID:
		if row.read || !more || g.notices[row.head()].Extras.More == nil {
			return
		}
		at, _ := slices.BinarySearch(row.ids, n.ID)
		row.ids = slices.Insert(slices.Clone(row.ids), at, n.ID)
		row.times++
	case g.tops[n.Key()].id > n.ID:
		return
	case here && !row.read && more:
		row.ids, row.times = append(slices.Clone(row.ids), n.ID), row.times+1
	default:
		if again, ok := g.deleted[n.Key()]; ok && here && again.head() == row.head() { // it can be restored once more, as it leaves now
			again.read = row.read
			g.deleted[n.Key()] = again
		}
		row = grouped{ids: []int64{n.ID}, times: 1}
		delete(g.put, n.Key())
		delete(g.tops, n.Key())
	}
	g.rows[n.Key()] = row
	g.had[n.ID] = true
}

func (g *groups) edit(t *rapid.T) {
	n := g.any(t)
	n.Revision++
	g.write(t, n)
	g.h.keep(n)
	if err := g.s.EditAll(t.Context(), []notifier.Delivery{g.s.delivery(t, n, g.seq)})[0]; err != nil {
		t.Fatal(err)
	}
}

// forget deletes the user with the id of an actor.
func (g *groups) forget(t *rapid.T) {
	id := strconv.Itoa(rapid.IntRange(1, 6).Draw(t, "id"))
	for _, n := range g.notices {
		if _, changed := n.Extras.Forget(id); changed {
			n.Revision++
			g.h.keep(n)
			if err := g.s.EditAll(t.Context(), []notifier.Delivery{g.s.delivery(t, n, g.seq)})[0]; err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (g *groups) retract(t *rapid.T) {
	n := g.any(t)
	n.State = notifier.StateRetracting
	g.h.keep(n)
	if rapid.IntRange(0, 3).Draw(t, "while it is cold") == 0 {
		g.lose(t)
	}
	if err := g.s.Retract(t.Context(), n.ID, n.Key(), []int64{g.seq}); err != nil {
		t.Fatal(err)
	}
	for i, of := range []map[string]grouped{g.rows, g.put, g.deleted} {
		row, ok := of[n.Key()]
		if !ok || !slices.Contains(row.ids, n.ID) {
			continue
		}
		if i == 2 && row.head() == n.ID {
			continue // no other notice succeeds that of a deleted row
		}
		row.ids = slices.DeleteFunc(slices.Clone(row.ids), func(id int64) bool { return id == n.ID })
		row.times--
		of[n.Key()] = row
		if len(row.ids) == 0 {
			delete(of, n.Key())
		}
	}
}

func (g *groups) key(t *rapid.T) string {
	return "like:" + rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")
}

func (g *groups) mark(t *rapid.T) {
	key, read := g.key(t), rapid.Bool().Draw(t, "read")
	call := g.s.MarkUnread
	if read {
		call = g.s.MarkRead
	}
	_, _, err := call(t.Context(), g.seq, key)
	row, ok := g.rows[key]
	g.found(t, err, ok)
	if row.read = read; ok {
		g.rows[key] = row
	}
}

func (g *groups) found(t *rapid.T, err error, want bool) {
	if (err == nil) != want {
		t.Fatalf("error %v, want one: %v", err, !want)
	}
}

func (g *groups) open(t *rapid.T) {
	if _, err := g.s.Open(t.Context(), g.seq); err != nil {
		t.Fatal(err)
	}
	page, err := g.s.Look(t.Context(), g.seq, notifier.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries { // those marked as unread stay unread
		row := g.rows[e.Key]
		row.read = e.Read
		g.rows[e.Key] = row
	}
}

// move moves a row of the model.
func (g *groups) move(key string, from, to map[string]grouped) {
	if row, ok := from[key]; ok {
		to[key] = row
		delete(from, key)
	}
}

func (g *groups) archive(t *rapid.T) {
	key := g.key(t)
	_, here := g.rows[key]
	_, _, err := g.s.Archive(t.Context(), g.seq, []string{key})
	g.found(t, err, here)
	if here {
		row := g.rows[key]
		row.read, row.keeps = true, !row.read
		g.rows[key] = row
		g.move(key, g.rows, g.put)
		g.trimmed()
		g.tops[key] = top{row.head(), len(row.ids) == 1, false}
	}
}

func (g *groups) unarchive(t *rapid.T) {
	key := g.key(t)
	_, there := g.put[key]
	_, _, err := g.s.Unarchive(t.Context(), g.seq, []string{key})
	if g.found(t, err, there); there {
		g.comeBack(key)
	}
}

// comeBack moves an entry from the archive to the inbox.
func (g *groups) comeBack(key string) {
	row := g.put[key]
	delete(g.put, key)
	delete(g.tops, key)
	g.rows[key] = grouped{ids: row.ids, times: row.times, read: !row.keeps}
}

func (g *groups) take(t *rapid.T) {
	key := g.key(t)
	if _, here := g.rows[key]; !here {
		return
	}
	if _, err := g.s.Delete(t.Context(), g.seq, key); err != nil {
		t.Fatal(err)
	}
	g.move(key, g.rows, g.deleted)
}

func (g *groups) restore(t *rapid.T) {
	key := g.key(t)
	_, err := g.s.Restore(t.Context(), g.seq, key)
	_, archived := g.put[key]
	switch {
	case err != nil:
	case archived:
		g.comeBack(key)
	default:
		g.rows[key] = g.deleted[key]
	}
}

// lose empties Redis after its state was written to SQL.
func (g *groups) lose(t *rapid.T) {
	g.s.writeBehind(t, g.h, g.seq)
	g.s.lose(t, g.seq)
	if g.s.rdb.Exists(t.Context(), g.s.k.Deleted(g.seq)).Val() == 0 {
		clear(g.deleted)
	}
	g.s.wake(t, g.seq)
}

// shows returns what a row shows, according to the model.
func (g *groups) shows(key string, row *grouped) string {
	head := g.notices[row.head()]
	if head.Extras.Actor == nil && head.Extras.More == nil && row.times == 1 {
		return fmt.Sprintf("%s read=%v %q", key, row.read, head.Title)
	}
	var actors []string
	others := -1
	seen := map[string]bool{}
	for _, id := range slices.Backward(row.ids) {
		a := g.notices[id].Extras.Actor
		if a == nil || seen[g.acts[id]] {
			continue
		}
		seen[g.acts[id]] = true
		if others++; len(actors) < 3 {
			actors = append(actors, a.Name)
		}
	}
	others = max(others, 0)
	title := head.Title
	if m := head.Extras.More; m != nil && others > 0 {
		title = m.Other
		if others == 1 && m.One != "" {
			title = m.One
		}
		title = strings.NewReplacer("{actor}", actors[0], "{others}", strconv.Itoa(others)).Replace(title)
	}
	return fmt.Sprintf("%s read=%v %q %q others=%d times=%d", key, row.read, title, actors, others, row.times)
}

func shown(e *notifier.Entry) string {
	if e.Group == nil {
		return fmt.Sprintf("%s read=%v %q", e.Key, e.Read, e.Title)
	}
	var actors []string
	for _, a := range e.Group.Actors {
		actors = append(actors, a.Name)
	}
	return fmt.Sprintf("%s read=%v %q %q others=%d times=%d", e.Key, e.Read, e.Title, actors, e.Group.Others(), e.Group.Times)
}

func (g *groups) check(t *rapid.T) {
	g.s.sound(t, g.seq)
	for i, q := range []notifier.Query{{}, {Archived: true}, {Later: true}} {
		of := []map[string]grouped{g.rows, g.put, g.put}[i]
		var want, got []string
		for _, key := range slices.Sorted(maps.Keys(of)) {
			row := of[key]
			if i > 0 && row.later != q.Later {
				continue
			}
			want = append(want, g.shows(key, &row))
		}
		page, err := g.s.Look(t.Context(), g.seq, q)
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Entries {
			got = append(got, shown(&page.Entries[i]))
		}
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%+v (-model +inbox):\n%s", q, d)
		}
	}
}
