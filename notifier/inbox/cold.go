package inbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Snapshots gives access to the inboxes in SQL: their last stored state, and the notices of their
// rows, including retracted and expired ones. For a user without a snapshot it returns one with
// Ver 0; unknown users and notices are missing from the results.
type Snapshots interface {
	Snapshots(ctx context.Context, seqs []int64) (map[int64]notifier.Snapshot, error)
	Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error)
	// SaveSnapshots stores those of these inboxes that are newer than in SQL.
	SaveSnapshots(ctx context.Context, snapshots []notifier.Snapshot) error
	// VersOf returns the versions of the snapshots, in the same way.
	VersOf(ctx context.Context, seqs []int64) (map[int64]int64, error)
}

const (
	maxRows  = 16_000 // restored at a time, with their bodies in memory
	maxStale = 10     // maximum number of times that SQL is read again because inboxes left Redis
)

// warmed is the result of restoring a cold inbox: its numbers, or an error; notifier.ErrNotFound means that the user
// is unknown.
type warmed struct {
	reply script.Reply
	err   error
}

// warm restores cold inboxes to Redis as last stored in SQL, or empty if SQL has never stored them.
// An inbox that another caller has already restored stays unchanged. While SQL is unavailable
// nothing is done: an empty inbox would replace the stored one in Redis, and then overwrite it
// in SQL.
//
// A snapshot may be outdated by the time it is restored: another instance may have restored
// the inbox, changed it, written it to SQL and evicted it. So the fences of the partitions
// are read before the snapshots, and every eviction raises the fence of its partition. A
// restore is rejected if the fence differs from the one that was read.
func (b *Inbox) warm(ctx context.Context, seqs []int64, now int64) ([]warmed, error) {
	answers := make([]warmed, len(seqs))
	todo := make([]int, len(seqs))
	for i := range todo {
		todo[i] = i
	}
	for range maxStale {
		var err error
		if todo, err = b.warmOnce(ctx, seqs, todo, answers, now); err != nil || len(todo) == 0 {
			return answers, err
		}
	}
	return nil, fmt.Errorf("%w: inboxes keep leaving redis while they are restored", notifier.ErrUnavailable)
}

// warmOnce makes one attempt to restore the inboxes in todo, and returns those whose
// snapshots must be read again.
func (b *Inbox) warmOnce(ctx context.Context, seqs []int64, todo []int, answers []warmed, now int64) (stale []int, err error) {
	at, err := b.fences(ctx, partitionsOf(seqs, todo), now)
	if err != nil {
		return nil, fmt.Errorf("read the fences of %d inboxes: %w", len(todo), err)
	}
	known, err := b.known(ctx, seqs, todo)
	if err != nil {
		return nil, err
	}
	var list []notifier.Snapshot
	var places []int
	for _, i := range todo {
		if answers[i] = b.refusal(seqs[i], known); answers[i].err == nil {
			list, places = append(list, known[seqs[i]]), append(places, i)
		}
	}
	for len(list) > 0 {
		n := portion(list)
		some, err := b.restore(ctx, list[:n], at, now)
		if err != nil {
			return nil, err
		}
		for i, a := range some {
			if answers[places[i]] = a; a.reply.Code == codeStale {
				stale = append(stale, places[i])
			}
		}
		list, places = list[n:], places[n:]
	}
	return stale, nil
}

// wake restores the cold ones among these inboxes, for callers that read Redis without a
// script, which would detect a cold inbox. It reports whether it restored any.
func (b *Inbox) wake(ctx context.Context, seqs []int64) (bool, error) {
	if b.sql == nil || len(seqs) == 0 {
		return false, nil
	}
	pipe := b.rdb.Pipeline()
	there := make([]*redis.IntCmd, len(seqs))
	for i, seq := range seqs {
		there[i] = pipe.Exists(ctx, b.k.State(seq))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return false, script.MarkAway(err)
	}
	var cold []int64
	for i, seq := range seqs {
		if there[i].Val() == 0 {
			cold = append(cold, seq)
		}
	}
	if len(cold) == 0 {
		return false, nil
	}
	answers, err := b.warm(ctx, cold, b.millis())
	return slices.ContainsFunc(answers, func(a warmed) bool { return a.err == nil }), err
}
