package announcement

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

var errUnsettled = errors.New("the plan of an audience does not come to rest")

// syncRoom plans, gives what is due and lacks something what it lacks, and plans
// again, until nothing is lacking.
func (b *Board) syncRoom(ctx context.Context, r *room, s state) error {
	for range tries {
		items := s.plan(r.audience)
		rep, err := b.planRoom(ctx, r, &s, items)
		switch {
		case err != nil:
			return err
		case rep.code == codeLater:
			err = b.catchUp(ctx, &s, rep.number(0))
		case rep.code < 0:
			err = fmt.Errorf("%w: %d", errReply, rep.code)
		case len(rep.rest) == 0:
			return nil
		default:
			err = b.supply(ctx, &s, r, items, rep)
		}
		if errors.Is(err, notifier.ErrNotFound) { // deleted since it was read
			s, err = b.fetch(ctx)
		}
		if err != nil {
			return err
		}
	}
	return errUnsettled
}

func (b *Board) planRoom(ctx context.Context, r *room, s *state, items []planned) (reply, error) {
	keys := []string{r.aver, r.open, r.scheduled, r.windows, r.marked}
	undone := any("")
	if s.undone > 0 {
		undone = s.undone
	}
	args := []any{s.revision, undone, r.channel, r.floor()}
	for i := range items {
		var err error
		if args, err = items[i].args(args); err != nil {
			return reply{}, err
		}
		keys = append(keys, b.k.Bits(r.audience, items[i].ID))
	}
	return parseReply(planIndex.Run(ctx, b.rdb, keys, args...))
}

// catchUp reads SQL again after the index turned out to be that of a later state. If
// SQL, which only ever counts up, still does not know that one, then it was put back
// to an older state, and the index has to follow.
func (b *Board) catchUp(ctx context.Context, s *state, stored int64) error {
	now, err := b.fetch(ctx)
	if err != nil {
		return err
	}
	if now.revision < stored {
		now.undone = stored
	}
	*s = now
	return nil
}

// supply gives the items at the places in a reply the top and the bitmap they lack.
func (b *Board) supply(ctx context.Context, s *state, r *room, items []planned, rep reply) error {
	for i := range rep.rest {
		place := rep.number(i) - 1
		if place < 0 || place >= int64(len(items)) {
			return fmt.Errorf("%w: place %d of %d", errReply, place, len(items))
		}
		item := &items[place]
		key := notifier.PartKey{ID: item.ID, Audience: r.audience}
		if !item.part.Settled {
			part, err := b.store.SettleTop(ctx, key)
			if err != nil {
				return fmt.Errorf("settle who sees announcement %d: %w", item.ID, err)
			}
			s.settle(key, part)
			item.part = part
		}
		if err := b.restore(ctx, key, item.part.Top); err != nil {
			return fmt.Errorf("restore the reads of announcement %d: %w", item.ID, err)
		}
	}
	return nil
}

func (s *state) settle(k notifier.PartKey, p notifier.Part) {
	for i := range s.all {
		if s.all[i].ID != k.ID {
			continue
		}
		for j := range s.all[i].Parts {
			if part := &s.all[i].Parts[j]; part.Audience == k.Audience {
				part.Settled, part.Top, part.Members = true, p.Top, p.Members
			}
		}
	}
}

// restore makes a missing bitmap of what SQL has of it; of nothing, when it is new.
func (b *Board) restore(ctx context.Context, k notifier.PartKey, top int64) error {
	segments, err := b.store.Reads(ctx, k)
	if err != nil {
		return err
	}
	args := make([]any, 2, 2+2*len(segments))
	latest := int64(0)
	for _, g := range segments {
		latest = max(latest, g.Ver)
		args = append(args, g.Segment*notifier.SegmentBytes, g.Bits)
	}
	args[0], args[1] = min(max(top, 0), b.o.MaxSeq), latest
	keys := []string{b.k.Bits(k.Audience, k.ID), b.k.DirtyBits(k.Audience)}
	_, err = parseReply(restoreBits.Run(ctx, b.rdb, keys, args...))
	return err
}
