package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// each calls work with the recipients behind the notice's cursor, in the order
// of their seqs, a chunk at a time. Between chunks it moves the cursor, makes
// sure of the lease, and ends with errMoved or errLost when the notice is not
// to be worked on any more. A notice that expires meanwhile is done.
//
// A chunk that fails although Redis is there, over one broken inbox perhaps,
// does not keep the others from theirs: the cursor stays before it, and its
// error comes at the end.
func (p *Pipeline) each(ctx context.Context, n *notifier.Notice, to *roaring.Bitmap, hold holder, work func([]int64) error) error {
	it := to.ManyIterator()
	raw := make([]uint32, p.c.Chunk)
	seqs := make([]int64, 0, p.c.Chunk)
	held, advanced := time.Now(), time.Now()
	var refused error
	for first := true; ; first = false {
		seqs = next(it, raw, seqs[:0], n.Done)
		if len(seqs) == 0 || p.expired(n) {
			return refused
		}
		if !first {
			if err := p.mayGoOn(ctx, n, hold, &held); err != nil {
				return err
			}
		}
		err := work(seqs)
		if err != nil && (errors.Is(err, notifier.ErrUnavailable) || ctx.Err() != nil) {
			return err
		}
		if refused = cmp.Or(refused, err); refused != nil {
			continue
		}
		n.Done = seqs[len(seqs)-1]
		if time.Since(advanced) >= advanceEvery {
			if err := p.c.Store.Advance(ctx, n.ID, n.State, n.Done); err != nil {
				return fmt.Errorf("move the cursor to %d: %w", n.Done, err)
			}
			advanced = time.Now()
		}
	}
}

// next fills seqs with the next recipients above done; none are left when it
// stays empty.
func next(it roaring.ManyIntIterable, raw []uint32, seqs []int64, done int64) []int64 {
	for len(seqs) == 0 {
		n := it.NextMany(raw)
		if n == 0 {
			return seqs
		}
		for _, seq := range raw[:n] {
			if int64(seq) > done {
				seqs = append(seqs, int64(seq))
			}
		}
	}
	return seqs
}

func (p *Pipeline) mayGoOn(ctx context.Context, n *notifier.Notice, hold holder, held *time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now, err := p.c.Store.Notice(ctx, n.ID)
	if err != nil {
		return fmt.Errorf("look at the state: %w", err)
	}
	if now.State != n.State {
		return errMoved
	}
	if time.Since(*held) < p.c.Lease/3 {
		return nil
	}
	mine, err := hold.Hold(ctx)
	if err != nil {
		return err
	}
	if !mine {
		return errLost
	}
	*held = time.Now()
	return nil
}

// expired says that there is nothing left to deliver. What is taken back is
// taken back all the same.
func (p *Pipeline) expired(n *notifier.Notice) bool {
	return n.State != notifier.StateRetracting && !n.ExpiresAt.IsZero() && !p.c.Now().Before(n.ExpiresAt)
}
