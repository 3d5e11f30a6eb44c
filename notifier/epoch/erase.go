package epoch

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// erase takes out of Redis who was deleted since: it came back as it was before, with
// his inbox.
func (h *healing) erase(ctx context.Context) error {
	since, some := h.deletedSince()
	for after, done := int64(0), !some; !done; {
		err := h.step(ctx, func(ctx context.Context) error {
			seqs, err := h.c.Store.DeletedSince(ctx, since, after, pageSize)
			if err != nil || len(seqs) == 0 {
				done = true
				return err
			}
			after = seqs[len(seqs)-1]
			seqs, err = h.stillThere(ctx, seqs)
			if err != nil {
				return err
			}
			return h.eraseAll(ctx, seqs)
		})
		if err != nil {
			return fmt.Errorf("erase who was deleted: %w", err)
		}
	}
	return nil
}

// deletedSince is from when on deletions may be missing: at any time where inboxes are
// in a partition that does not say. False: nothing that was healed has any inbox.
func (h *healing) deletedSince() (since time.Time, some bool) {
	if len(h.warm) > 0 {
		return time.Time{}, true
	}
	for _, ver := range h.above {
		if at := time.UnixMilli(ver); !some || at.Before(since) {
			since, some = at, true
		}
	}
	return since, some
}

// stillThere are those of deleted users of whom Redis has anything, where it is healed.
func (h *healing) stillThere(ctx context.Context, seqs []int64) (there []int64, err error) {
	pipe := h.c.Raw.Pipeline()
	var asked []int64
	var inboxes []*redis.IntCmd
	var idle []*redis.FloatCmd
	for _, seq := range seqs {
		p := keys.Partition(seq)
		if _, ok := h.marks[p]; !ok {
			continue
		}
		k := h.c.Keys
		asked = append(asked, seq)
		inboxes = append(inboxes, pipe.Exists(ctx, k.State(seq), k.List(seq), k.Hash(seq), k.Gone(seq)))
		idle = append(idle, pipe.ZScore(ctx, k.Idle(p), strconv.FormatInt(seq, 10)))
	}
	_, _ = pipe.Exec(ctx) // each command holds its own error
	for i, seq := range asked {
		if err := inboxes[i].Err(); err != nil {
			return nil, unavailable("look who of the deleted is in redis", err)
		}
		if inboxes[i].Val() > 0 || idle[i].Err() == nil {
			there = append(there, seq)
		}
	}
	return there, nil
}

// eraseAll goes on after an inbox that refuses: it is logged, and left to whoever looks
// for inboxes that are idle.
func (h *healing) eraseAll(ctx context.Context, seqs []int64) error {
	for _, seq := range seqs {
		err := h.c.Inboxes.Erase(ctx, seq)
		switch {
		case err == nil:
			h.erased++
		case away(err) || ctx.Err() != nil:
			return err
		default:
			h.refused++
			h.c.Log.WarnContext(ctx, "the inbox of a deleted user is not erased", "stage", "epoch", "user_id", seq, "err", err)
		}
	}
	return nil
}
