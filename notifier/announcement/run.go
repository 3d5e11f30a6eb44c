package announcement

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

// runner is a board at work, and what it remembers from one look to the next.
type runner struct {
	*Board
	failing  bool // the last round failed; logged when it changes
	flushed  time.Time
	finished string // how the indexes were when all that was over had been finished
}

// Run lets announcements open and close at their time, brings indexes to what SQL
// says, writes reads behind and finishes what is over, until ctx ends; then it
// returns nil. While Redis or SQL is away it goes on trying.
func (b *Board) Run(ctx context.Context) error {
	r := &runner{Board: b}
	tick := time.NewTicker(b.o.Every)
	defer tick.Stop()
	for {
		r.note(ctx, r.round(ctx))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return r.leave(ctx)
		}
	}
}

func (r *runner) round(ctx context.Context) error {
	if r.o.Lease != nil {
		if mine, err := r.o.Lease.Hold(ctx); err != nil || !mine {
			for _, room := range r.rooms {
				room.latest.Store(unknown) // another one writes behind, and may come to know more
			}
			return err
		}
	}
	return errors.Join(r.keepTime(ctx), r.writeBehind(ctx))
}

// keepTime does what the time and SQL demand of the indexes.
func (r *runner) keepTime(ctx context.Context) error {
	revision, err := r.store.AnnouncementRevision(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("read the revision of the announcements: %w", err), r.closeOver(ctx))
	}
	seen, due, err := r.look(ctx, revision)
	if err != nil {
		return fmt.Errorf("look at the announcements: %w", err)
	}
	if due {
		r.finished = ""
		return r.Sync(ctx)
	}
	if seen == r.finished {
		return nil
	}
	// Once more after something was finished: SQL may see it as over a moment later.
	if n, all, err := r.Finish(ctx); err != nil || n > 0 || !all {
		return err
	}
	r.finished = seen
	return nil
}

// closeOver closes what is over without SQL. What is due opens when that is back: SQL
// has to say who sees it.
func (b *Board) closeOver(ctx context.Context) error {
	var faults []error
	for _, r := range b.roomsOf(nil) {
		keys := []string{r.aver, r.open, r.scheduled, r.windows, r.marked}
		if _, err := parseReply(closeOver.Run(ctx, b.rdb, keys, r.floor(), r.channel)); err != nil {
			faults = append(faults, fmt.Errorf("close what is over in audience %d: %w", r.audience, err))
		}
	}
	return errors.Join(faults...)
}

// look says how the indexes are, and whether one of them must be brought up to date.
func (b *Board) look(ctx context.Context, revision int64) (seen string, due bool, err error) {
	rooms := b.roomsOf(nil)
	if len(rooms) == 0 {
		return "", false, nil
	}
	pipe := script.NewPipe(b.rdb, len(rooms))
	cmds := make([]*redis.Cmd, len(rooms))
	for i, r := range rooms {
		cmds[i] = pipe.Add(ctx, lookIndex, 4, r.aver, r.open, r.scheduled, r.windows)
	}
	if err := pipe.Exec(ctx); err != nil {
		return "", false, away(err)
	}
	all := make([]any, len(cmds))
	for i, cmd := range cmds {
		rep, err := parseReply(cmd)
		if err != nil {
			return "", false, err
		}
		if rep.code != 0 || rep.number(0) != revision {
			return "", true, nil
		}
		all[i] = rep.rest
	}
	return fmt.Sprint(all), false, nil
}

func (r *runner) writeBehind(ctx context.Context) error {
	now := r.o.Now()
	if now.Sub(r.flushed) < flushEvery {
		return nil
	}
	r.flushed = now
	_, err := r.Flush(ctx)
	return err
}

// note logs that the rounds began to fail, or work again.
func (r *runner) note(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		return
	case err != nil && !r.failing:
		r.o.Log.WarnContext(ctx, "announcements are not kept up to date", "stage", "announcement", "err", err)
	case err == nil && r.failing:
		r.o.Log.InfoContext(ctx, "announcements are kept up to date again", "stage", "announcement")
	}
	r.failing = err != nil
}

// leave writes the last reads behind and gives the lease back, so that nobody need
// wait for either.
func (r *runner) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_, err := r.Flush(ctx)
	if r.o.Lease != nil {
		err = errors.Join(err, r.o.Lease.Release(ctx))
	}
	if err != nil && !r.failing {
		r.o.Log.WarnContext(ctx, "the last reads of announcements were not written behind", "stage", "announcement", "err", err)
	}
	return nil
}
