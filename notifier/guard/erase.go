package guard

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// erase removes the inboxes of users who were deleted after the dataset was saved, because the dataset restored them.
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
			return fmt.Errorf("erase deleted users: %w", err)
		}
	}
	return nil
}

// deletedSince returns the time since which deletions may be missing in Redis. It is the zero time
// if a partition without a mark has inboxes. It returns false if there is nothing to erase.
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

// stillThere returns the deleted users who have any data in the partitions being healed.
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
		inboxes = append(inboxes, pipe.Exists(ctx, k.State(seq), k.List(seq), k.Hash(seq), k.Gone(seq), k.Archive(seq)))
		idle = append(idle, pipe.ZScore(ctx, k.Idle(p), strconv.FormatInt(seq, 10)))
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for i, seq := range asked {
		if err := inboxes[i].Err(); err != nil {
			return nil, unavailable("find deleted users in redis", err)
		}
		if inboxes[i].Val() > 0 || idle[i].Err() == nil {
			there = append(there, seq)
		}
	}
	return there, nil
}

// eraseAll logs and skips an inbox that cannot be erased; the sweep of idle inboxes handles it
// later.
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
			h.c.Log.WarnContext(ctx, "could not erase the inbox of a deleted user", "stage", "epoch", "user_id", seq, "err", err)
		}
	}
	return nil
}
