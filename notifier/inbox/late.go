package inbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// Late returns, for each of n partitions starting at first, when the oldest notice was accepted that SQL does not yet have
// in the inbox of its recipient, and when the newest notice with a late mark in any of them was; 0: there is none.
func (b *Inbox) Late(ctx context.Context, first, n int) (oldest []int64, newest int64, err error) {
	pipe := b.rdb.Pipeline()
	marks, last := make([]*redis.ZSliceCmd, n), make([]*redis.ZSliceCmd, n)
	for i := range n {
		late := b.parts[first+i].late
		marks[i], last[i] = pipe.ZRangeWithScores(ctx, late, 0, 0), pipe.ZRangeWithScores(ctx, late, -1, -1)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, 0, fmt.Errorf("read the late marks of partitions %d to %d: %w", first, first+n-1, script.MarkAway(err))
	}
	oldest = make([]int64, n)
	for i, cmd := range marks {
		for _, z := range cmd.Val() {
			oldest[i] = int64(z.Score)
		}
		for _, z := range last[i].Val() {
			newest = max(newest, int64(z.Score))
		}
	}
	return oldest, newest, nil
}

// Ripen turns late marks of a partition into dirty marks: at most limit of them, for notices accepted up to the given
// time, the oldest first. It returns those whose inbox is in Redis, and how many late marks it removed.
func (b *Inbox) Ripen(ctx context.Context, partition int, upto time.Time, limit int) (marks []notifier.Dirty, removed int, err error) {
	p := &b.parts[partition]
	seqs, err := b.rdb.ZRangeByScore(ctx, p.late, &redis.ZRangeBy{Min: "-inf", Max: strconv.FormatInt(upto.UnixMilli(), 10), Count: int64(limit)}).Result()
	if err != nil {
		return nil, 0, fmt.Errorf("list late users of partition %d: %w", partition, script.MarkAway(err))
	}
	if len(seqs) == 0 {
		return nil, 0, nil
	}
	late := make([]int64, 0, len(seqs))
	for _, word := range seqs {
		if seq := integer(word); seq > 0 {
			late = append(late, seq)
		}
	}
	marks, err = b.ripen(ctx, partition, late)
	return marks, len(late), err
}

// Hasten turns the late marks of these users into dirty marks.
func (b *Inbox) Hasten(ctx context.Context, seqs []int64) error {
	var parts [keys.Partitions][]int64
	for _, seq := range seqs {
		parts[keys.Partition(seq)] = append(parts[keys.Partition(seq)], seq)
	}
	for p, some := range parts {
		for chunk := range slices.Chunk(some, badgeBatch) {
			if _, err := b.ripen(ctx, p, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

// ripen marks users of a partition as dirty instead of late, and returns the marks of those whose inbox is in Redis.
func (b *Inbox) ripen(ctx context.Context, partition int, seqs []int64) (marks []notifier.Dirty, err error) {
	names, args := make([]string, 0, 2+len(seqs)), make([]any, len(seqs))
	names = append(names, b.parts[partition].dirty, b.parts[partition].late)
	for i, seq := range seqs {
		names, args[i] = append(names, b.k.State(seq)), seq
	}
	r, err := script.ParseReply(ripenMarks.Run(ctx, b.rdb, names, args...))
	if err != nil {
		return nil, fmt.Errorf("mark %d users of partition %d as dirty: %w", len(seqs), partition, err)
	}
	for i, seq := range seqs {
		if ver := r.Number(i); ver > 0 {
			marks = append(marks, notifier.Dirty{Seq: seq, Ver: ver})
		}
	}
	return marks, nil
}
