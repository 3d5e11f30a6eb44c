package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// Counts returns, for each notice in order, how many inboxes received it, and in how many of them
// it is read, or was read when it left. It needs one round trip. Only notices with more than one
// recipient are counted.
func (b *Inbox) Counts(ctx context.Context, noticeIDs []int64) ([]notifier.Tally, error) {
	counts := make([]notifier.Tally, len(noticeIDs))
	if len(noticeIDs) == 0 {
		return counts, nil
	}
	fields := make([]string, 0, 2*len(noticeIDs))
	for _, n := range noticeIDs {
		id := strconv.FormatInt(n, 10)
		fields = append(fields, id+":d", id+":r")
	}
	pipe := b.rdb.Pipeline()
	cmds := make([]*redis.SliceCmd, keys.Partitions)
	for p := range cmds {
		cmds[p] = pipe.HMGet(ctx, b.parts[p].counts, fields...)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("count %d notices: %w", len(noticeIDs), script.MarkAway(err))
	}
	for _, cmd := range cmds {
		values := cmd.Val()
		for i := range counts {
			counts[i].Delivered += integer(values[2*i])
			counts[i].Read += integer(values[2*i+1])
		}
	}
	return counts, nil
}

// Statuses returns the same for notices with one recipient, which are not counted: whether
// each was delivered, and whether it is read, or was read when it left the inbox. It needs one
// round trip if the inboxes are warm. For notices that left before inboxes recorded their
// state, ReadUnknown is set. A week after a notice has left, its state is no longer stored.
func (b *Inbox) Statuses(ctx context.Context, singles []notifier.Single) ([]notifier.Tally, error) {
	statuses, err := b.statuses(ctx, singles)
	if err != nil {
		return nil, err
	}
	var missing []int64
	for i, s := range statuses {
		if s == (notifier.Tally{}) {
			missing = append(missing, singles[i].Seq)
		}
	}
	woken, err := b.wake(ctx, missing)
	switch {
	case err != nil:
		return nil, fmt.Errorf("find notices in %d inboxes: %w", len(missing), err)
	case woken:
		return b.statuses(ctx, singles)
	}
	return statuses, nil
}

func (b *Inbox) statuses(ctx context.Context, singles []notifier.Single) ([]notifier.Tally, error) {
	statuses := make([]notifier.Tally, len(singles))
	if len(singles) == 0 {
		return statuses, nil
	}
	pipe := b.rdb.Pipeline()
	rows, gone := make([]*redis.SliceCmd, len(singles)), make([]*redis.FloatCmd, len(singles))
	archived := make([]*redis.StringCmd, len(singles))
	for i, s := range singles {
		rows[i] = pipe.HMGet(ctx, b.k.Hash(s.Seq), s.Key+notifier.UnreadSuffix, s.Key+notifier.ReadSuffix)
		gone[i] = pipe.ZScore(ctx, b.k.Gone(s.Seq), strconv.FormatInt(s.NoticeID, 10))
		archived[i] = pipe.HGet(ctx, b.k.Archive(s.Seq), s.Key)
	}
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, fmt.Errorf("find %d notices in their recipients' inboxes: %w", len(singles), script.MarkAway(err))
	}
	for i, s := range singles {
		// A pipeline returns only the error of its first failed command, here often a missing value.
		for _, err := range []error{rows[i].Err(), gone[i].Err(), archived[i].Err()} {
			if err != nil && !errors.Is(err, redis.Nil) {
				return nil, fmt.Errorf("find notice %d in the inbox of user %d: %w", s.NoticeID, s.Seq, script.MarkAway(err))
			}
		}
		if listed(archived[i].Val(), s.NoticeID) {
			statuses[i] = notifier.Tally{Delivered: 1, Read: 1} // what is archived is read
			continue
		}
		statuses[i] = status(s, rows[i].Val(), gone[i])
	}
	return statuses, nil
}

// status evaluates the row, which may be stored as unread or read, or else the record of the notice's removal.
func status(s notifier.Single, row []any, gone *redis.FloatCmd) notifier.Tally {
	for i, v := range row {
		value, _ := v.(string)
		if listed(value, s.NoticeID) {
			return notifier.Tally{Delivered: 1, Read: int64(i)}
		}
	}
	if gone.Err() != nil {
		return notifier.Tally{}
	}
	switch left := notifier.LeftBy(gone.Val()); {
	case left.Read:
		return notifier.Tally{Delivered: 1, Read: 1}
	case left.Unread:
		return notifier.Tally{Delivered: 1}
	default:
		return notifier.Tally{Delivered: 1, ReadUnknown: true}
	}
}

// RestoreCounts raises the counts of these notices in a partition to the counts in SQL, if the counts in Redis are
// lower because it came back in an older state. With add, it adds the counts from SQL to the
// counts in Redis, because Redis started again from zero; counts must be sorted by notice, over all calls. Both may be repeated.
func (b *Inbox) RestoreCounts(ctx context.Context, partition int, counts []notifier.NoticeCount, add bool) error {
	mode := 0
	if add {
		mode = 1
	}
	if err := b.eachCount(ctx, restoreCounts, partition, counts, mode); err != nil {
		return fmt.Errorf("restore the counts of %d notices in partition %d: %w", len(counts), partition, err)
	}
	return nil
}

// ForgetCounts removes the counts of finished notices from Redis, unless they differ from the
// given ones, which are in SQL.
func (b *Inbox) ForgetCounts(ctx context.Context, partition int, counts []notifier.NoticeCount) error {
	if err := b.eachCount(ctx, forgetCounts, partition, counts); err != nil {
		return fmt.Errorf("forget the counts of %d notices in partition %d: %w", len(counts), partition, err)
	}
	return nil
}

// eachCount runs a script with first as its initial arguments and these counts, a few hundred at a time.
func (b *Inbox) eachCount(ctx context.Context, s *script.Script, partition int, counts []notifier.NoticeCount, first ...any) error {
	p := script.NewPipe(b.rdb, 1)
	for chunk := range slices.Chunk(counts, badgeBatch) {
		args := append(make([]any, 0, 1+len(first)+3*len(chunk)), b.parts[partition].counts)
		args = append(args, first...)
		for _, c := range chunk {
			args = append(args, c.NoticeID, c.Delivered, c.Read)
		}
		p.Add(ctx, s, 1, args...)
	}
	return script.MarkAway(p.Exec(ctx))
}
