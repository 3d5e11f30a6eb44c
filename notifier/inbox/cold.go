package inbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// Snapshots is what SQL knows of inboxes: how they were when it last saw them, and
// the notices of their rows, those too that are retracted or expired by now. Of a
// user who has no snapshot yet it answers one with Ver 0; whom it does not know is
// nobody, and missing in the answers, as are notices.
type Snapshots interface {
	Snapshots(ctx context.Context, seqs []int64) (map[int64]notifier.Snapshot, error)
	Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error)
	// VersOf answers the versions of the snapshots, in the same way.
	VersOf(ctx context.Context, seqs []int64) (map[int64]int64, error)
}

const (
	maxRows  = 16_000 // restored at a time, with their bodies in memory
	maxStale = 10     // times that SQL is read anew because inboxes left Redis meanwhile
)

// warmed is what became of a cold inbox: its numbers, or why it stays cold.
// notifier.ErrNotFound: it is nobody's.
type warmed struct {
	reply reply
	err   error
}

// warm brings cold inboxes into Redis, as SQL last saw them or, when it never did,
// empty. One that somebody else has brought meanwhile stays as it is. When SQL is
// away nothing is done: an empty inbox would take the place of what SQL has, and be
// written over it.
//
// What was read of SQL may be old when it arrives: another instance has restored
// the inbox, changed it, written it to SQL and taken it out again. So the fences of
// the partitions are read first, and whatever takes an inbox out raises its fence:
// a restore that meets another fence than the one that was read is refused.
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
	return nil, fmt.Errorf("%w: inboxes leave Redis while they are read", notifier.ErrUnavailable)
}

// warmOnce answers those of todo that have to be read again.
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
			if answers[places[i]] = a; a.reply.code == codeStale {
				stale = append(stale, places[i])
			}
		}
		list, places = list[n:], places[n:]
	}
	return stale, nil
}

// wake restores those of these inboxes that are cold, for whoever reads them
// without a script that would say so. It answers whether any was.
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
		return false, away(err)
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
