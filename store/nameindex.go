package store

import (
	"bytes"
	"context"
	"database/sql"
	"sort"
	"sync"

	"github.com/carillonhq/carillon/notifier"
)

// maxNames is how many names a nameIndex holds: some 20 MB.
const maxNames = 1_000_000

// nameIndex is the names of the directory in memory, without case. To look for a
// part of a name in SQL is to read every row, at every letter that is typed;
// neither database has an index for it that can be relied on. A name never
// changes and numbers are committed in their order, so what is new is what is
// behind the last number known.
type nameIndex struct {
	mu    sync.Mutex
	text  []byte   // each name with a line feed behind it, which no name holds
	ends  []uint32 // where in text
	seqs  []uint32
	bound int // for tests; 0: maxNames
}

// find returns the first limit users whose name holds part, but does not begin
// with it. whole is false when there are more names than the index takes.
func (x *nameIndex) find(ctx context.Context, s *Store, part string, limit int) (seqs []int64, whole bool, err error) {
	if !notifier.ValidName(part) {
		return nil, true, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.catchUp(ctx, s); err != nil || len(x.seqs) > x.most() {
		return nil, false, err
	}
	for at := 0; len(seqs) < limit; {
		next := bytes.Index(x.text[at:], []byte(part))
		if next < 0 {
			break
		}
		at += next
		i := sort.Search(len(x.ends), func(i int) bool { return int(x.ends[i]) > at })
		if at > 0 && x.text[at-1] != '\n' {
			seqs = append(seqs, int64(x.seqs[i]))
		}
		at = int(x.ends[i])
	}
	return seqs, true, nil
}

// catchUp adds those who are new.
func (x *nameIndex) catchUp(ctx context.Context, s *Store) error {
	last := uint32(0)
	if n := len(x.seqs); n > 0 {
		last = x.seqs[n-1]
	}
	missing := x.most() + 1 - len(x.seqs)
	if missing <= 0 {
		return nil
	}
	return s.all(ctx, func(rows *sql.Rows) error {
		var seq uint32
		var name string
		if err := rows.Scan(&seq, &name); err != nil {
			return err
		}
		x.text = append(append(x.text, name...), '\n')
		x.ends, x.seqs = append(x.ends, uint32(len(x.text))), append(x.seqs, seq) //nolint:gosec // a million names have 200 MB at most
		return nil
	}, `SELECT seq, name_fold FROM users WHERE seq > $1 ORDER BY seq LIMIT $2`, last, missing)
}

func (x *nameIndex) most() int {
	if x.bound > 0 {
		return x.bound
	}
	return maxNames
}
