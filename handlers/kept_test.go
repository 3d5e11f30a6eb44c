package handlers

import (
	"slices"
	"testing"
)

func TestCachedPagesAreBounded(t *testing.T) {
	t.Parallel()
	k := newKeptPages(100)
	put := func(seq int64, size int) {
		k.put(keptPage{seq: seq, body: make([]byte, size-10), zipped: make([]byte, 10)})
	}
	kept := func() (seqs []int64) {
		for seq := range int64(9) {
			if e, ok := k.bySeq[seq]; ok && pageIn(e).seq == seq {
				seqs = append(seqs, seq)
			}
		}
		return seqs
	}
	for _, step := range []struct {
		do   func()
		want []int64
	}{
		{func() { put(1, 40); put(2, 40) }, []int64{1, 2}},
		{func() { put(3, 20) }, []int64{1, 2, 3}},             // full
		{func() { put(4, 20) }, []int64{2, 3, 4}},             // the oldest is dropped
		{func() { k.get(2); put(5, 40) }, []int64{2, 4, 5}},   // a recent visit keeps a page
		{func() { put(5, 20); put(6, 40) }, []int64{2, 5, 6}}, // replaces the user's last page
		{func() { put(7, 101) }, nil},                         // larger than the whole cache
	} {
		step.do()
		if got := kept(); !slices.Equal(got, step.want) {
			t.Fatalf("cached are the pages of %v, want %v", got, step.want)
		}
		if len(k.bySeq) != k.recent.Len() || k.bytes > k.most {
			t.Fatalf("%d pages by user, %d in order, %d bytes of %d", len(k.bySeq), k.recent.Len(), k.bytes, k.most)
		}
	}
}
