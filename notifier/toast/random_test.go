package toast_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
)

// play is one random sequence of actions on the real toasts and on their model.
type play struct {
	*model
	*site
	by   map[string]*toast.Toasts
	sent []notifier.ToastRaise
	last int64 // notice
}

func TestToastsMatchTheirModelUnderRandomActions(t *testing.T) {
	t.Parallel()
	_, mini := redistest.Mini(t)
	all := map[string]redis.UniversalClient{"server": redistest.Client(t), "cluster": redistest.Cluster(t), "miniredis": mini}
	rapid.Check(t, func(r *rapid.T) {
		p := begin(t, all[rapid.SampledFrom([]string{"server", "cluster", "miniredis"}).Draw(r, "redis")])
		r.Repeat(p.actions())
	})
}

func begin(t *testing.T, rdb redis.UniversalClient) *play {
	t.Helper()
	p := &play{site: newSite(t, rdb), model: &model{users: map[int64]*waiting{}, raised: map[mark]bool{}, most: 5}}
	for _, seq := range []int64{ann, bob, carl} {
		p.users[seq] = &waiting{rows: map[string]*line{}}
	}
	p.by = map[string]*toast.Toasts{"a": p.a, "b": p.b, "c": p.c}
	for _, by := range p.by {
		by.SetLimit(p.most)
		by.RemoveIdleAtOnce()
	}
	return p
}

func (p *play) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":        p.check,
		"raise":   p.raiseNew,
		"raise2":  p.raiseNew, // twice, so that toasts are likely to exist
		"repeat":  p.raiseOld,
		"take":    p.takeSome,
		"take2":   p.takeSome,
		"ack":     p.ackSome,
		"run out": p.holdEnds,
		"age":     p.age,
		"time":    func(t *rapid.T) { p.later.Add(int64(rapid.IntRange(0, 100).Draw(t, "seconds")) * 1000) },
		"trim":    p.trim,
		"row":     p.turnRow,
		"clear":   p.clearAll,
		"lose":    p.lose,
	}
}

func anyUser(t *rapid.T) int64 { return rapid.SampledFrom([]int64{ann, bob, carl}).Draw(t, "user") }

func anyBy(t *rapid.T) string { return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "instance") }

func anyKey(t *rapid.T) string { return rapid.SampledFrom([]string{"like:1", "like:2"}).Draw(t, "key") }

func (p *play) raiseNew(t *rapid.T) {
	p.last++
	r := notifier.ToastRaise{NoticeID: p.last, Content: []byte(fmt.Sprintf(`{"n":%d}`, p.last))}
	r.Seqs = rapid.SliceOfNDistinct(rapid.SampledFrom([]int64{ann, bob, carl}), 1, 3, rapid.ID).Draw(t, "users")
	if rapid.Bool().Draw(t, "ends") {
		r.EndsAt = p.site.now().UnixMilli() + 100*1000
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		r.NoticeID, r.Token = 0, strconv.FormatInt(p.last, 10)
	case 1:
		r.Key = anyKey(t)
		for _, seq := range r.Seqs { // delivered before the toast is raised
			p.users[seq].warm, p.users[seq].rows[r.Key] = true, &line{notice: p.last, json: string(r.Content)}
			p.write(t, seq, r.Key)
		}
	}
	p.sent = append(p.sent, r)
	p.put(t, r)
}

func (p *play) raiseOld(t *rapid.T) {
	if len(p.sent) > 0 {
		r := rapid.SampledFrom(p.sent).Draw(t, "which")
		r.Seqs = []int64{ann, bob, carl}
		p.put(t, r)
	}
}

// put raises the toast and records its id in the model.
func (p *play) put(t *rapid.T, r notifier.ToastRaise) {
	p.site.raise(t, r)
	for _, seq := range p.model.raise(r, fmt.Sprint(r.NoticeID, r.Token)) {
		ids := p.ids(t, seq)
		p.users[seq].toasts[len(p.users[seq].toasts)-1].id = ids[len(ids)-1]
	}
}

func (p *play) takeSome(t *rapid.T) {
	by, p0 := anyBy(t), p.site.now().UnixMilli()
	p.model.now = p0
	seqs := rapid.SliceOfNDistinct(rapid.SampledFrom([]int64{ann, bob, carl}), 1, 3, rapid.ID).Draw(t, "users")
	all, err := p.by[by].Take(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	for n, seq := range seqs {
		want, again := p.model.take(seq, by)
		got := all[n].Toasts
		for i := range got {
			got[i].RaisedAt, got[i].At = time.Time{}, 0
		}
		if d := cmp.Diff(want, slices.Clip(got), cmp.Comparer(func(a, b []byte) bool { return string(a) == string(b) })); d != "" && len(want)+len(got) > 0 {
			t.Fatalf("%s takes for user %d (-want +got):\n%s", by, seq, d)
		}
		if left := all[n].Again; (left > 0) != again || left > 10*time.Second {
			t.Fatalf("%s: Again for user %d is %v, but others hold some: %v", by, seq, left, again)
		}
	}
}

func (p *play) ackSome(t *rapid.T) {
	seqs, items := p.all()
	ids := []string{"1-1"}
	for _, i := range items { // other users' too
		if rapid.Bool().Draw(t, "this") {
			ids = append(ids, i.id)
		}
	}
	seq := anyUser(t)
	if len(seqs) == 0 {
		ids = nil
	}
	err := p.by[anyBy(t)].Ack(t.Context(), seq, ids)
	if n := p.ack(seq, ids); n > 0 && err != nil || n == 0 && !errors.Is(err, notifier.ErrNotFound) {
		t.Fatalf("user %d acknowledges %d: %v", seq, n, err)
	}
}

// one picks a waiting toast at random; nil when none waits.
func (p *play) one(t *rapid.T) (seq int64, i *item) {
	seqs, items := p.all()
	if len(items) == 0 {
		return 0, nil
	}
	n := rapid.IntRange(0, len(items)-1).Draw(t, "toast")
	return seqs[n], items[n]
}

func (p *play) holdEnds(t *rapid.T) {
	if seq, i := p.one(t); i != nil && i.held != "" && !i.trimmed {
		p.expireHold(t, keys.Partition(seq), i.id)
		i.ranOut = true
	}
}

func (p *play) age(t *rapid.T) {
	seq := anyUser(t)
	p.older(t, seq, 2*notifier.MaxToastAge)
	for _, i := range p.users[seq].toasts {
		i.aged = true
	}
}
