package announcement

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

var errUnsettled = errors.New("the plan of an audience does not converge")

// syncRoom plans, supplies the due items with a missing top and bitmap, and plans again, until nothing
// is missing.
func (b *Announcements) syncRoom(ctx context.Context, r *room, s state) error {
	for range tries {
		items := s.plan(r.audience)
		rep, err := b.planRoom(ctx, r, &s, items)
		switch {
		case err != nil:
			return err
		case rep.Code == codeLater:
			err = b.catchUp(ctx, &s, rep.Number(0))
		case rep.Code < 0:
			err = fmt.Errorf("%w: %d", script.ErrReply, rep.Code)
		case len(rep.Rest) == 0:
			return nil
		default:
			err = b.supply(ctx, &s, r, items, rep)
		}
		if errors.Is(err, notifier.ErrNotFound) { // deleted in the meantime
			s, err = b.fetch(ctx)
		}
		if err != nil {
			return err
		}
	}
	return errUnsettled
}

func (b *Announcements) planRoom(ctx context.Context, r *room, s *state, items []planned) (script.Reply, error) {
	keys := []string{r.aver, r.open, r.scheduled, r.windows, r.marked, r.dirty}
	undone := any("")
	if s.undone > 0 {
		undone = s.undone
	}
	args := []any{s.revision, undone, r.channel, r.floor()}
	for i := range items {
		var err error
		if args, err = items[i].args(args); err != nil {
			return script.Reply{}, err
		}
		keys = append(keys, b.k.Bits(r.audience, items[i].ID))
	}
	return script.ParseReply(planIndex.Run(ctx, b.rdb, keys, args...))
}

// catchUp reads SQL again if the index was built from a later state. Revisions in SQL only rise; if SQL still does
// not have that revision, it was restored to an older state, and the index must follow.
func (b *Announcements) catchUp(ctx context.Context, s *state, stored int64) error {
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

// supply provides the missing top and bitmap of the items named in a reply.
func (b *Announcements) supply(ctx context.Context, s *state, r *room, items []planned, rep script.Reply) error {
	for i := range rep.Rest {
		place := rep.Number(i) - 1
		if place < 0 || place >= int64(len(items)) {
			return fmt.Errorf("%w: place %d of %d", script.ErrReply, place, len(items))
		}
		item := &items[place]
		key := notifier.PartKey{ID: item.ID, Audience: r.audience}
		if !item.part.Settled {
			part, err := b.store.SettleTop(ctx, key)
			if err != nil {
				return fmt.Errorf("settle the readers of announcement %d: %w", item.ID, err)
			}
			s.settle(key, part)
			item.part = part
		}
		if err := b.restore(ctx, key, item.part.Top, item.ReadsFrom); err != nil {
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

// restore builds a missing bitmap from its segments in SQL, or an empty one if it is new. from is
// the revision of the edit since which reads count.
func (b *Announcements) restore(ctx context.Context, k notifier.PartKey, top, from int64) error {
	segments, err := b.store.Reads(ctx, k)
	if err != nil {
		return err
	}
	args := make([]any, 4, 4+2*len(segments))
	latest := int64(0)
	for _, g := range segments {
		latest, from = max(latest, g.Ver), g.From // newer than the one in the plan
		args = append(args, g.Segment*notifier.SegmentBytes, g.Bits)
	}
	args[0], args[1], args[2], args[3] = k.ID, from, min(max(top, 0), b.o.MaxSeq), latest
	keys := []string{b.k.Bits(k.Audience, k.ID), b.k.DirtyBits(k.Audience)}
	_, err = script.ParseReply(restoreBits.Run(ctx, b.rdb, keys, args...))
	return err
}
