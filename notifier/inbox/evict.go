package inbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

// Evict removes inboxes of a partition from Redis that have not been used since before, the longest idle ones first,
// at most limit of them: inboxes that are in SQL in exactly this state, and empty ones that were never stored in SQL.
// It returns how many were removed, and whether there may be more. An inbox that differs from SQL is checked
// immediately, and one of an unknown user is erased.
func (b *Inbox) Evict(ctx context.Context, partition int, before time.Time, limit int) (evicted int, more bool, err error) {
	if b.sql == nil || limit <= 0 {
		return 0, false, nil
	}
	seqs, err := b.idleSince(ctx, partition, before, limit)
	if err == nil && len(seqs) > 0 {
		evicted, err = b.evict(ctx, seqs, before)
	}
	if err != nil {
		return evicted, false, fmt.Errorf("evict idle inboxes of partition %d: %w", partition, script.MarkAway(err))
	}
	return evicted, evicted > 0 && len(seqs) == limit, nil
}

func (b *Inbox) idleSince(ctx context.Context, partition int, before time.Time, limit int) (seqs []int64, err error) {
	members, err := b.rdb.ZRangeByScore(ctx, b.parts[partition].idle, &redis.ZRangeBy{
		Min: "-inf", Max: "(" + strconv.FormatInt(before.UnixMilli(), 10), Count: int64(limit) + 1, // one more, for the fence
	}).Result()
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if seq := integer(m); seq > 0 && len(seqs) < limit {
			seqs = append(seqs, seq)
		}
	}
	return seqs, nil
}

func (b *Inbox) evict(ctx context.Context, seqs []int64, before time.Time) (evicted int, err error) {
	vers, err := b.sql.VersOf(ctx, seqs)
	if err != nil {
		return 0, err
	}
	p, now := script.NewPipe(b.rdb, len(seqs)), b.millis()
	cmds := make([]*redis.Cmd, len(seqs))
	for i, seq := range seqs {
		part := b.part(seq)
		if ver, known := vers[seq]; known {
			cmds[i] = p.Add(
				ctx, evictInbox, 9,
				b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), part.expiry, part.dirty, part.idle, b.k.Archive(seq), part.late,
				seq, before.UnixMilli(), ver, now,
			)
		} else {
			cmds[i] = b.addErase(ctx, p, seq, now)
		}
	}
	_ = p.Exec(ctx) // each command has its own error
	var other []int64
	for i, cmd := range cmds {
		r, bad := script.ParseReply(cmd)
		switch {
		case bad != nil && err == nil:
			err = bad
		case r.Code == codeConflict:
			other = append(other, seqs[i])
		case bad == nil:
			evicted += int(r.Code)
		}
	}
	if err == nil && len(other) > 0 {
		_, err = b.Check(ctx, other)
	}
	return evicted, err
}

// Erase removes a user's whole inbox from Redis. It is not restored once the user is deleted from
// SQL.
func (b *Inbox) Erase(ctx context.Context, seq int64) error {
	p := script.NewPipe(b.rdb, 1)
	b.addErase(ctx, p, seq, b.millis())
	if err := p.Exec(ctx); err != nil {
		return fmt.Errorf("erase the inbox of user %d: %w", seq, script.MarkAway(err))
	}
	return nil
}

func (b *Inbox) addErase(ctx context.Context, p *script.Pipe, seq, now int64) *redis.Cmd {
	part := b.part(seq)
	return p.Add(
		ctx, eraseInbox, 10,
		b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), part.expiry, part.dirty, part.idle, b.k.Archive(seq), b.k.Deleted(seq), part.late,
		seq, now,
	)
}

// Expire removes the due ones of these entries from each user's inbox, and returns how many it
// removed. Entries that are not due stay. It removes the members of all given keys from the
// expiry index, even of keys without an entry, except for entries that are due later. The empty
// key means all entries of the inbox. A failed inbox does not delay the
// others.
func (b *Inbox) Expire(ctx context.Context, due map[int64][]string) (int, error) {
	seqs := slices.Sorted(maps.Keys(due))
	seqs = slices.DeleteFunc(seqs, func(seq int64) bool { return len(due[seq]) == 0 })
	n, errs := b.many(ctx, 1, jobsOf(seqs), task{script: expireEntries, nkeys: 6, args: func(to []any, j job, u userArgs) []any {
		p := b.part(j.seq)
		to = append(
			to,
			b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), b.k.Gone(j.seq), p.expiry, p.dirty,
			u.now, u.seq, u.channel,
		)
		for _, key := range due[j.seq] {
			to = append(to, key)
		}
		return to
	}})
	if err := errs[0]; err != nil {
		return n, fmt.Errorf("expire entries of %d users: %w", len(seqs), err)
	}
	return n, nil
}

// expire removes from one inbox every entry that is due at the given time.
func (b *Inbox) expire(ctx context.Context, seq, now int64) error {
	p := b.part(seq)
	r, err := script.ParseReply(expireEntries.Run(ctx, b.rdb, []string{
		b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty,
	}, now, seq, b.k.LiveUser(seq), ""))
	if err != nil {
		return err
	}
	return outcome(r)
}
