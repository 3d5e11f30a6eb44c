package inbox_test

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// Whatever happened before, an inbox that Redis has lost is restored as last stored in SQL, without notices that were
// retracted or have expired since. If it was stored after its last change, it is restored exactly.
func TestAnInboxIsRestoredAsSQLSawItAfterRandomChanges(t *testing.T) {
	t.Parallel()
	s, h := newSite(t, redistest.Cluster(t), 0), newShelf()
	var seq, id atomic.Int64
	rapid.Check(t, func(t *rapid.T) {
		p := begin(t, s, seq.Add(1), h)
		actions := p.actions(&id)
		actions["flush"] = func(t *rapid.T) { p.flush(t, &id) }
		actions["flush2"] = actions["flush"]
		actions["lose"] = func(t *rapid.T) { p.goCold(t, &id) }
		actions["evict"] = func(t *rapid.T) { p.leave(t, &id) }
		actions["evict2"] = actions["evict"]
		actions["keep"] = p.keep
		actions["reconcile"] = p.heal
		actions["drift"] = p.drift
		actions["purge"] = func(t *rapid.T) {
			if len(p.sent) > 0 && rapid.IntRange(0, 3).Draw(t, "really") == 0 {
				delete(h.notices, rapid.SampledFrom(p.sent).Draw(t, "notice").ID)
			}
		}
		t.Repeat(actions)
	})
}

func (m *model) clone() *model {
	return &model{rows: slices.Clone(m.rows), gone: maps.Clone(m.gone), ver: m.ver, opened: m.opened, kept: slices.Clone(m.kept), archived: slices.Clone(m.archived)}
}

// flush does the work of a flusher; sometimes the inbox changes between its steps.
func (p *play) flush(t *rapid.T, id *atomic.Int64) {
	part := keys.Partition(p.seq)
	if unseen := p.ver > p.first && (p.saved == nil || p.ver > p.saved.ver || p.ver == p.again); unseen != p.marked(t) {
		t.Fatalf("ver %d has a mark: %v; SQL does not have it: %v", p.ver, p.marked(t), unseen)
	}
	if rapid.Bool().Draw(t, "late marks are due") {
		p.s.ripen(t, part)
	}
	marks, err := p.s.Dirty(t.Context(), part, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	listed := slices.Contains(users(marks), p.seq)
	read := p.s.read(t, users(marks)...)
	whole, err := p.s.ReadWhole(t.Context(), users(marks))
	if err != nil {
		t.Fatal(err)
	}
	for i := range read {
		if d := cmp.Diff(whole[read[i].Seq], read[i], cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("read since SQL's version (-in Redis +read):\n%s", d)
		}
	}
	if listed {
		p.saved = p.clone()
	}
	if listed {
		p.again = 0
	}
	before := p.ver
	if rapid.Bool().Draw(t, "meanwhile") {
		p.deliverNew(t, id.Add(1))
	}
	p.h.save(read)
	for i := range marks {
		for _, is := range read {
			if is.Seq == marks[i].Seq {
				marks[i].Ver = max(marks[i].Ver, is.Ver)
			}
		}
	}
	if err := p.s.Clean(t.Context(), part, marks); err != nil {
		t.Fatal(err)
	}
	if still := p.marked(t); listed && still != (p.ver > before) {
		t.Fatalf("a mark is still there: %v; changed meanwhile: %v", still, p.ver > before)
	}
}

// marked reports whether the inbox has a mark of either class.
func (p *play) marked(t *rapid.T) bool {
	at := p.s.stored(t, p.seq)
	_, dirty := at.Dirty[decimal(p.seq)]
	_, late := at.Late[decimal(p.seq)]
	return dirty || late
}

// goCold removes the inbox from Redis, and from the expiry index if its last change is not in SQL. A later call
// restores it.
func (p *play) goCold(t *rapid.T, id *atomic.Int64) {
	seen := p.saved != nil && p.saved.ver == p.ver && p.again != p.ver
	before := p.s.stored(t, p.seq)
	p.s.lose(t, p.seq)
	if !seen {
		for member := range before.Expiry {
			if strings.HasPrefix(member, decimal(p.seq)+"|") {
				p.s.rdb.ZRem(t.Context(), p.s.k.Expiry(keys.Partition(p.seq)), member)
			}
		}
		p.s.rdb.ZRem(t.Context(), p.s.k.Dirty(keys.Partition(p.seq)), p.seq)
		p.s.rdb.ZRem(t.Context(), p.s.k.Late(keys.Partition(p.seq)), p.seq)
		p.again = 0
	}
	p.passTime(t)
	p.wakeUp(t, id, before, seen)
}

// wakeUp makes a random call restore a cold inbox. whole means that SQL has all of it.
func (p *play) wakeUp(t *rapid.T, id *atomic.Int64, before stored, whole bool) {
	left := p.comeBack()
	if whole && left == 0 {
		p.s.wake(t, p.seq)
		after := p.s.stored(t, p.seq)
		before.Expiry, after.Expiry = p.mine(before.Expiry), p.mine(after.Expiry)
		look := decimal(p.seq) + "|" // this time may have been too early, which is allowed
		delete(before.Expiry, look)
		delete(after.Expiry, look)
		same(t, "losing and restoring the inbox", before, after)
		return
	}
	switch rapid.IntRange(0, 6).Draw(t, "call") {
	case 0:
		p.s.wake(t, p.seq)
	case 1:
		p.open(t)
	case 2:
		p.look(t)
	case 3:
		p.markSome(t, rapid.Bool().Draw(t, "read"))
	case 4:
		p.take(t)
	case 5:
		p.deliverNew(t, id.Add(1))
	case 6:
		p.readUpto(t)
	}
}

// comeBack sets the model to what SQL has, without the rows that are not restored, and resets the
// browser. It returns the number of those rows.
func (p *play) comeBack() (lost int) {
	now := p.now()
	p.rows, p.gone, p.ver, p.opened, p.kept, p.archived = nil, map[int64]left{}, now, 0, nil, nil
	if p.saved != nil {
		saved := p.saved.clone()
		p.rows, p.gone, p.ver, p.opened, p.kept, p.archived = saved.rows, saved.gone, saved.ver, saved.opened, saved.kept, saved.archived
	} else {
		p.first = now
	}
	p.watchAnew()
	for i := len(p.rows) - 1; i >= 0; i-- {
		e := p.rows[i]
		n, known := p.h.notices[e.NoticeID]
		retracted := n.State == notifier.StateRetracted
		if known && !retracted && (e.ExpiresAt.IsZero() || e.ExpiresAt.UnixMilli() > now) {
			p.rows[i].Revision = n.Revision
			continue
		}
		p.remove(i, now)
		p.gone[e.NoticeID] = left{now, notifier.Left{Unread: !e.Read, Read: e.Read, Retracted: retracted}}
		lost++
	}
	if lost > 0 {
		p.forget(now)
		p.bump(now)
	}
	return lost
}

// watchAnew resets the browser to the current inbox.
func (p *play) watchAnew() {
	p.browser = newFolded()
	p.browser.last = notifier.Change{Ver: p.ver, Unread: p.unread()}
	for _, e := range p.rows {
		p.browser.at[e.Key], p.browser.read[e.Key] = e.At, e.Read
	}
}
