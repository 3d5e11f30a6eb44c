package guard

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// divide determines which data each partition may lack. Data up to a partition's mark is present, minus the permitted
// clock difference. Without a mark, all inboxes in Redis are suspect.
func (h *healing) divide(ctx context.Context) error {
	h.above = map[int]int64{}
	var unmarked []int
	for p, mark := range h.marks {
		if believed(mark, h.began) {
			h.above[p] = mark - skew.Milliseconds()
		} else {
			unmarked = append(unmarked, p)
		}
	}
	return h.step(ctx, func(ctx context.Context) (err error) {
		h.warm, err = h.withInboxes(ctx, unmarked)
		return err
	})
}

// compare replaces every inbox that is older in Redis than in SQL. In a partition with a mark it checks the inboxes
// whose version in SQL is above the mark; in one without, all inboxes in Redis. Other inboxes are read from SQL when
// they are needed.
func (h *healing) compare(ctx context.Context) error {
	for _, p := range h.warm {
		if err := h.compareWarm(ctx, p); err != nil {
			return fmt.Errorf("compare the inboxes of partition %d: %w", p, err)
		}
	}
	if len(h.above) == 0 {
		return nil
	}
	if err := h.compareNewer(ctx); err != nil {
		return fmt.Errorf("compare the inboxes that changed since: %w", err)
	}
	return nil
}

// compareNewer checks the inboxes whose version in SQL is above the mark of their partition.
func (h *healing) compareNewer(ctx context.Context) error {
	lowest := int64(-1)
	for _, ver := range h.above {
		if lowest < 0 || ver < lowest {
			lowest = ver
		}
	}
	for after := int64(0); ; {
		var done bool
		err := h.step(ctx, func(ctx context.Context) error {
			users, err := h.c.Store.SnapshotVers(ctx, lowest, after, pageSize)
			if err != nil || len(users) == 0 {
				done = true
				return err
			}
			after = users[len(users)-1].Seq
			newer := users[:0]
			for _, u := range users {
				if ver, ok := h.above[keys.Partition(u.Seq)]; ok && u.Ver > ver {
					newer = append(newer, u)
				}
			}
			return h.reconcile(ctx, newer)
		})
		if err != nil || done {
			return err
		}
	}
}

// withInboxes returns those of the given partitions that have an inbox in Redis.
func (h *healing) withInboxes(ctx context.Context, partitions []int) (warm []int, err error) {
	there := make([]*redis.IntCmd, len(partitions))
	_, err = h.c.Raw.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, p := range partitions {
			there[i] = pipe.Exists(ctx, h.c.Keys.Idle(p))
		}
		return nil
	})
	if err != nil {
		return nil, unavailable("find the partitions with inboxes", err)
	}
	for i, cmd := range there {
		if cmd.Val() > 0 {
			warm = append(warm, partitions[i])
		}
	}
	return warm, nil
}

// compareWarm checks all inboxes of a partition that are in Redis.
func (h *healing) compareWarm(ctx context.Context, p int) error {
	for cursor := uint64(0); ; {
		err := h.step(ctx, func(ctx context.Context) error {
			words, next, err := h.c.Raw.ZScan(ctx, h.c.Keys.Idle(p), cursor, "", pageSize).Result()
			if err != nil {
				return unavailable("list the inboxes in redis", err)
			}
			cursor = next
			seqs := make([]int64, 0, len(words)/2)
			for i := 0; i < len(words); i += 2 { // every second element is a score
				if seq, err := strconv.ParseInt(words[i], 10, 64); err == nil && seq > 0 {
					seqs = append(seqs, seq)
				}
			}
			if len(seqs) == 0 {
				return nil
			}
			vers, err := h.c.Store.VersOf(ctx, seqs)
			if err != nil {
				return err
			}
			users := make([]notifier.Dirty, 0, len(vers))
			for _, seq := range seqs {
				if ver := vers[seq]; ver > 0 {
					users = append(users, notifier.Dirty{Seq: seq, Ver: ver})
				}
			}
			return h.reconcile(ctx, users)
		})
		if err != nil || cursor == 0 {
			return err
		}
	}
}

// reconcile replaces the inboxes that are older in Redis. An inbox that cannot be replaced is logged
// and skipped, so that it delays neither the others nor the gate; the drift check handles it later.
func (h *healing) reconcile(ctx context.Context, users []notifier.Dirty) error {
	if len(users) == 0 {
		return nil
	}
	n, err := h.c.Inboxes.Reconcile(ctx, users)
	h.restored += n
	switch {
	case err == nil || away(err) || ctx.Err() != nil:
		return err
	case len(users) == 1:
		h.refused++
		h.c.Log.WarnContext(ctx, "could not compare an inbox with sql", "stage", "epoch", "user_id", users[0].Seq, "err", err)
		return nil
	}
	half := len(users) / 2
	if err := h.reconcile(ctx, users[:half]); err != nil {
		return err
	}
	return h.reconcile(ctx, users[half:])
}
