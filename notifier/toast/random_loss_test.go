package toast_test

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier/keys"
)

// trim removes the oldest entries of a partition, as raising does.
func (p *play) trim(t *rapid.T) {
	part := keys.Partition(anyUser(t))
	in := p.entries(t, part)
	if len(in) == 0 {
		return
	}
	n := rapid.IntRange(0, len(in)-1).Draw(t, "left out")
	if err := p.rdb.XTrimMinID(t.Context(), p.k.Toasts(part), in[n]).Err(); err != nil {
		t.Fatal(err)
	}
	p.each(part, func(i *item) { i.trimmed = i.trimmed || slices.Contains(in[:n], i.id) })
}

// turnRow changes a random inbox row, or makes the inbox cold.
func (p *play) turnRow(t *rapid.T) {
	seq, key := anyUser(t), anyKey(t)
	u := p.users[seq]
	row := u.rows[key]
	switch what := rapid.SampledFrom([]string{"read", "unread", "edit", "delete", "replace", "cold"}).Draw(t, "what"); {
	case what == "cold":
		u.warm, u.rows = false, map[string]*line{}
		p.rdb.Del(t.Context(), p.k.State(seq))
		p.rdb.Del(t.Context(), p.k.Hash(seq))
		return
	case row == nil:
		return
	case what == "read" || what == "unread":
		row.read = what == "read"
	case what == "edit":
		row.json = fmt.Sprintf(`{"edited":%d}`, row.notice)
	case what == "delete":
		delete(u.rows, key)
	case what == "replace":
		p.last++
		u.rows[key] = &line{notice: p.last, json: `{}`}
	}
	p.write(t, seq, key)
}

// write writes the model's version of a row to Redis.
func (p *play) write(t *rapid.T, seq int64, key string) {
	row := p.users[seq].rows[key]
	if row == nil {
		p.row(t, seq, key, false, "")
		return
	}
	p.row(t, seq, key, row.read, fmt.Sprintf("%d 1700 0 %s", row.notice, row.json))
}

// clearAll clears. It also removes consumers that hold nothing; a wrong removal is detected by the next take.
func (p *play) clearAll(t *rapid.T) {
	if err := p.by[anyBy(t)].Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, part := range []int{7, 8} {
		in := p.entries(t, part)
		for _, id := range p.pending(t, part) {
			if !slices.Contains(in, id) {
				t.Fatalf("partition %d has entries %v, but %s is still pending", part, in, id)
			}
		}
	}
}

// lose deletes a Redis key, one time in four.
func (p *play) lose(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "one in four") > 0 {
		return
	}
	seq := anyUser(t)
	part := keys.Partition(seq)
	switch rapid.SampledFrom([]string{"stream", "group", "pending", "raised", "all"}).Draw(t, "what") {
	case "stream":
		p.loseStream(t, part)
	case "group":
		p.rdb.XGroupDestroy(t.Context(), p.k.Toasts(part), "toasts") // if it exists
		p.each(part, func(i *item) { i.held, i.ranOut, i.tries = "", false, 0 })
	case "pending":
		p.losePending(t, seq)
	case "raised":
		p.loseRaised(t, part)
	case "all":
		p.loseStream(t, part)
		p.loseRaised(t, part)
		for _, of := range []int64{ann, bob, carl} {
			if keys.Partition(of) == part {
				p.losePending(t, of)
			}
		}
	}
}

// loseStream deletes a stream. A real Redis never restarts within the millisecond in which it lost a stream, but this
// test would, and the new stream would begin with an id of the old one.
func (p *play) loseStream(t *rapid.T, part int) {
	p.rdb.Del(t.Context(), p.k.Toasts(part))
	clock := func() int64 { return p.rdb.Time(t.Context()).Val().UnixMilli() }
	for lost := clock(); clock() == lost; {
	}
	p.each(part, func(i *item) { i.trimmed = true })
}

func (p *play) losePending(t *rapid.T, seq int64) {
	p.rdb.Del(t.Context(), p.k.PendingToasts(seq))
	p.users[seq].toasts = nil
}

func (p *play) loseRaised(t *rapid.T, part int) {
	p.rdb.Del(t.Context(), p.k.RaisedToasts(part))
	for m := range p.raised {
		if keys.Partition(m.seq) == part {
			delete(p.raised, m)
		}
	}
}

// check compares the contents of Redis with the model.
func (p *play) check(t *rapid.T) {
	seqs := []int64{ann, bob, carl}
	waiting, err := p.a.Waiting(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	for n, seq := range seqs {
		var want []string
		for _, i := range p.users[seq].toasts {
			want = append(want, i.id)
			if i.trimmed {
				continue
			}
			by, count := p.held(t, keys.Partition(seq), i.id)
			if by == "waiting" {
				by = ""
			}
			if by != i.held || count > 0 && count != i.tries+1 {
				t.Fatalf("%s of user %d is held by %q after %d deliveries, want %q and %d", i.id, seq, by, count, i.held, i.tries+1)
			}
		}
		if d := cmp.Diff(want, p.ids(t, seq)); d != "" && len(want)+len(p.ids(t, seq)) > 0 {
			t.Fatalf("toasts waiting for user %d (-want +got):\n%s", seq, d)
		}
		if waiting[n] != (len(want) > 0) {
			t.Fatalf("Waiting(user %d) = %v", seq, waiting[n])
		}
	}
}
