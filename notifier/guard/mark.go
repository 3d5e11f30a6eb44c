package guard

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// skew is how far the clocks of instances may differ. A version of an inbox is a time on the
	// instance that created it.
	skew = time.Minute
	// markEvery is the age at which the mark of a quiet partition is raised.
	markEvery = 30 * time.Second
)

// keepMarks raises the marks of quiet partitions to now, which leaves less to compare after a loss,
// and lowers marks that a wrong clock has set far ahead. It writes over a connection whose life has
// just been verified, so it cannot reach an older dataset, where a new mark would hide the age of the
// data. A missing mark stays missing. A failure is harmless: the marks are merely too
// low.
func (g *Guard) keepMarks(ctx context.Context, conn *redis.Conn, s masterView) {
	now := g.c.Now()
	pipe := conn.Pipeline()
	for p, mark := range s.marks {
		if mark > begun && (mark < now.Add(-markEvery).UnixMilli() || !believed(mark, now)) {
			pipe.SetXX(ctx, g.c.Keys.Flushed(p), now.UnixMilli(), 0)
		}
	}
	if pipe.Len() > 0 {
		_, _ = pipe.Exec(ctx) // marks that stay too low do no harm
	}
}

// believed reports whether a mark is a time at which the dataset can have existed.
func believed(mark int64, now time.Time) bool {
	return mark > begun && mark <= now.Add(skew).UnixMilli()
}

// begin records that the counts of the partitions are restored, so that an instance that heals
// later does not add them again. It does not change existing marks.
func (g *Guard) begin(ctx context.Context, partitions ...int) error {
	_, err := g.c.Raw.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, p := range partitions {
			pipe.SetNX(ctx, g.c.Keys.Flushed(p), begun, 0)
		}
		return nil
	})
	if err != nil {
		return unavailable("mark partitions as begun", err)
	}
	return nil
}

// seal marks the healed partitions as complete up to then. It first reads each master's identity again
// over the same connection: the marks must not be written to a dataset that has replaced the
// healed one, or to one that has been emptied.
func (g *Guard) seal(ctx context.Context, seen view, healed sick, then time.Time) error {
	for _, s := range seen {
		if err := g.sealAt(ctx, s, healed, then); err != nil {
			return err
		}
	}
	return nil
}

func (g *Guard) sealAt(ctx context.Context, s masterView, healed sick, then time.Time) error {
	conn := s.client.Conn()
	defer func() { _ = conn.Close() }()
	pipe := conn.Pipeline()
	asked := ask(ctx, pipe)
	_, _ = pipe.Exec(ctx) // each command has its own error
	who, err := asked.answer()
	if err != nil {
		return unavailable("ask redis for its identity", err)
	}
	if !who.master || who.life != s.life {
		return unavailable("mark healed partitions", errAnother)
	}
	pipe = conn.Pipeline()
	var marked []*redis.BoolCmd
	for p := range s.marks {
		if _, ok := healed.marks[p]; ok {
			marked = append(marked, pipe.SetXX(ctx, g.c.Keys.Flushed(p), then.UnixMilli(), 0))
		}
	}
	if len(marked) == 0 {
		return nil
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for _, cmd := range marked {
		if err := cmd.Err(); err != nil {
			return unavailable("mark healed partitions", err)
		}
		if !cmd.Val() {
			return unavailable("mark healed partitions", errAgain)
		}
	}
	return nil
}

// Reasons why healed data is incomplete and must be healed again.
var (
	errAnother = errors.New("another redis has taken its place")
	errAgain   = errors.New("redis has lost everything again")
)
