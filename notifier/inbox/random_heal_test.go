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

// past is an inbox as it was, for Redis to come back so.
type past struct {
	was   *model
	first int64
	back  func()
}

// leave evicts what may leave, and something brings it back. Who is not wholly in SQL
// stays as he is.
func (p *play) leave(t *rapid.T, id *atomic.Int64) {
	before, part := p.s.stored(t, p.seq), keys.Partition(p.seq)
	seen := p.saved != nil && p.saved.ver == p.ver && p.again != p.ver
	fresh := p.ver == p.first && p.saved == nil
	if _, _, err := p.s.Evict(t.Context(), part, p.s.clock.in(time.Millisecond), 10_000); err != nil {
		t.Fatal(err)
	}
	if !seen && !fresh {
		after := p.s.stored(t, p.seq)
		before.Expiry, after.Expiry = p.mine(before.Expiry), p.mine(after.Expiry) // that of neighbours may leave
		same(t, "evicting what SQL has not", before, after)
		return
	}
	p.s.nothing(t, p.seq)
	before.Expiry = p.mine(before.Expiry)
	p.passTime(t)
	p.wakeUp(t, id, before, seen)
}

// mine is what the expiry index says of this inbox.
func (p *play) mine(expiry map[string]int64) map[string]int64 {
	own := map[string]int64{}
	for member, due := range expiry {
		if strings.HasPrefix(member, decimal(p.seq)+"|") {
			own[member] = due
		}
	}
	return own
}

// keep keeps the inbox as it is now.
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
		for member := range p.mine(p.s.stored(t, p.seq).Expiry) {
			p.s.rdb.ZRem(t.Context(), expiry, member)
		}
		for member, due := range p.mine(at.Expiry) {
			p.s.rdb.ZAdd(t.Context(), expiry, redis.Z{Score: float64(due), Member: member})
		}
	}}
}

// heal reconciles the inbox, now and then after Redis came back as it was once. What
// SQL has later than that is there again, under a new version.
func (p *play) heal(t *rapid.T) {
	users := p.h.vers(p.seq)
	if p.past == nil || rapid.IntRange(0, 2).Draw(t, "nothing was lost") == 0 {
		before := p.s.stored(t, p.seq)
		p.s.reconcile(t, 0, users)
		same(t, "healing what is whole", before, p.s.stored(t, p.seq))
		return
	}
	p.past.back()
	was := p.past.was.clone()
	p.rows, p.gone, p.ver, p.opened = was.rows, was.gone, was.ver, was.opened
	if _, marked := p.s.stored(t, p.seq).Dirty[decimal(p.seq)]; marked {
		p.again = p.ver
	}
	p.first = p.past.first
	older := p.saved != nil && p.saved.ver > p.ver
	want := 0
	if older {
		want = 1
		p.comeBack()
		if p.ver == p.saved.ver { // nothing has left it
			p.forget(p.now())
			p.bump(p.now())
		}
	}
	p.s.reconcile(t, want, users)
	p.s.reconcile(t, 0, users)
	for _, n := range p.sent { // what was edited since is edited again
		p.editRow(t, n)
	}
	p.heard.heard(t)
	p.watchAnew()
	p.past = nil
}

// drift checks the inbox; now and then something is wrong with its counter.
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
