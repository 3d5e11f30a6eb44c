package inbox_test

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// past is an earlier state of the inbox to which Redis can return.
type past struct {
	was   *model
	first int64
	back  func()
}

// leave evicts the inbox if that is allowed, and then something restores it. An inbox that SQL does
// not have completely must stay.
func (p *play) leave(t *rapid.T, id *atomic.Int64) {
	before, part := p.s.stored(t, p.seq), keys.Partition(p.seq)
	seen := p.saved != nil && p.saved.ver == p.ver && p.again != p.ver
	fresh := p.ver == p.first && p.saved == nil
	if _, _, err := p.s.Evict(t.Context(), part, p.s.clock.in(time.Millisecond), 10_000); err != nil {
		t.Fatal(err)
	}
	if !seen && !fresh {
		after := p.s.stored(t, p.seq)
		before.Expiry, after.Expiry = p.mine(before.Expiry), p.mine(after.Expiry) // other users' may be removed
		same(t, "evicting an inbox that SQL does not have", before, after)
		return
	}
	p.s.nothing(t, p.seq)
	before.Expiry = p.mine(before.Expiry)
	p.passTime(t)
	p.wakeUp(t, id, before, seen)
}

// mine returns the members of the expiry index that belong to this inbox.
func (p *play) mine(expiry map[string]int64) map[string]int64 {
	own := map[string]int64{}
	for member, due := range expiry {
		if strings.HasPrefix(member, decimal(p.seq)+"|") {
			own[member] = due
		}
	}
	return own
}

// keep stores the current inbox as past.
func (p *play) keep(t *rapid.T) {
	user, part, was := decimal(p.seq), keys.Partition(p.seq), p.clone()
	own, at := p.s.dump(t, p.seq), p.s.stored(t, p.seq)
	p.past = &past{was, p.first, func() {
		own()
		dirty, expiry := p.s.k.Dirty(part), p.s.k.Expiry(part)
		p.s.rdb.ZRem(t.Context(), dirty, user)
		if ver, marked := at.Dirty[user]; marked {
			p.s.rdb.ZAdd(t.Context(), dirty, redis.Z{Score: float64(ver), Member: user})
		}
		p.s.rdb.ZRem(t.Context(), p.s.k.Late(part), user)
		if accepted, marked := at.Late[user]; marked {
			p.s.rdb.ZAdd(t.Context(), p.s.k.Late(part), redis.Z{Score: float64(accepted), Member: user})
		}
		for member := range p.mine(p.s.stored(t, p.seq).Expiry) {
			p.s.rdb.ZRem(t.Context(), expiry, member)
		}
		for member, due := range p.mine(at.Expiry) {
			p.s.rdb.ZAdd(t.Context(), expiry, redis.Z{Score: float64(due), Member: member})
		}
	}}
}

// heal reconciles the inbox, sometimes after Redis has returned to an earlier state. Then the later
// state of SQL is restored, under a new version.
func (p *play) heal(t *rapid.T) {
	users := p.h.vers(p.seq)
	if p.past == nil || rapid.IntRange(0, 2).Draw(t, "nothing was lost") == 0 {
		before := p.s.stored(t, p.seq)
		p.s.reconcile(t, 0, users)
		same(t, "healing an intact inbox", before, p.s.stored(t, p.seq))
		return
	}
	p.past.back()
	was := p.past.was.clone()
	p.rows, p.gone, p.ver, p.opened, p.kept, p.archived = was.rows, was.gone, was.ver, was.opened, was.kept, was.archived
	if p.marked(t) {
		p.again = p.ver
	}
	p.first = p.past.first
	older := p.saved != nil && p.saved.ver > p.ver
	want := 0
	if older {
		want = 1
		p.comeBack()
		if p.ver == p.saved.ver { // no row was left out
			p.forget(p.now())
			p.bump(p.now())
		}
	}
	p.s.reconcile(t, want, users)
	p.s.reconcile(t, 0, users)
	for _, n := range p.sent { // later edits are repeated
		p.editRow(t, n)
	}
	p.heard.heard(t)
	p.watchAnew()
	p.past = nil
}

// drift checks the inbox, sometimes after corrupting its counter.
func (p *play) drift(t *rapid.T) {
	var want []notifier.Drift
	if n := rapid.IntRange(-1, 1).Draw(t, "counted wrong by"); n != 0 {
		p.s.rdb.HIncrBy(t.Context(), p.s.k.State(p.seq), "unread", int64(n))
		want = []notifier.Drift{{Seq: p.seq, Kind: notifier.DriftCount}}
		p.bump(p.now())
	}
	found, err := p.s.Check(t.Context(), []int64{p.seq})
	if d := cmp.Diff(want, found); err != nil || d != "" {
		t.Fatalf("drift: %v (-want +got):\n%s", err, d)
	}
}
