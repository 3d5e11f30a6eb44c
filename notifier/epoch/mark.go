package epoch

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// skew is by how much the clocks of instances may differ: versions of inboxes are
	// times of whichever instance made them.
	skew = time.Minute
	// markEvery is after how long a mark that no change has raised is raised.
	markEvery = 30 * time.Second
)

// keepMarks raises the marks of quiet partitions to now, which shortens what is to be
// compared after a loss, and takes those back that a wrong clock has set far ahead. It
// writes over the connection whose life was just seen to be known: no command of it can
// reach an older dataset, where the mark would hide how old that is. A mark that is
// missing stays so. It is of no consequence when it fails: marks are too low then.
func (g *Guard) keepMarks(ctx context.Context, conn *redis.Conn, s sight) {
	now := g.c.Now()
	pipe := conn.Pipeline()
	for p, mark := range s.marks {
		if mark > begun && (mark < now.Add(-markEvery).UnixMilli() || !believed(mark, now)) {
			pipe.SetXX(ctx, g.c.Keys.Flushed(p), now.UnixMilli(), 0)
		}
	}
	if pipe.Len() > 0 {
		_, _ = pipe.Exec(ctx)
	}
}

// believed says whether a mark can be a time at which a dataset lived.
func believed(mark int64, now time.Time) bool {
	return mark > begun && mark <= now.Add(skew).UnixMilli()
}

// begin notes that the counts of partitions are back: who heals again after us must not
// add them once more. A mark that is there stays.
func (g *Guard) begin(ctx context.Context, partitions ...int) error {
	_, err := g.c.Raw.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, p := range partitions {
			pipe.SetNX(ctx, g.c.Keys.Flushed(p), begun, 0)
		}
		return nil
	})
	if err != nil {
		return unavailable("begin to mark partitions", err)
	}
	return nil
}

// seal marks what was healed as whole up to then. Each place is asked once more who it
// is, over the same connection: the marks must not come into a dataset that took the
// place of the one that was healed, nor into one that was emptied meanwhile.
func (g *Guard) seal(ctx context.Context, seen view, healed sick, then time.Time) error {
	for _, s := range seen {
		if err := g.sealAt(ctx, s, healed, then); err != nil {
			return err
		}
	}
	return nil
}

func (g *Guard) sealAt(ctx context.Context, s sight, healed sick, then time.Time) error {
	conn := s.client.Conn()
	defer func() { _ = conn.Close() }()
	pipe := conn.Pipeline()
	asked := ask(ctx, pipe)
	_, _ = pipe.Exec(ctx)
	who, err := asked.answer()
	if err != nil {
		return unavailable("ask redis who it is", err)
	}
	if !who.master || who.life != s.life {
		return unavailable("mark what was healed", errAnother)
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
	_, _ = pipe.Exec(ctx) // each command holds its own error
	for _, cmd := range marked {
		if err := cmd.Err(); err != nil {
			return unavailable("mark what was healed", err)
		}
		if !cmd.Val() {
			return unavailable("mark what was healed", errAgain)
		}
	}
	return nil
}

// Why what was healed is not whole after all, and is healed once more.
var (
	errAnother = errors.New("another redis has taken its place")
	errAgain   = errors.New("redis has lost everything once more")
)
