package announcement

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/script"
)

// runner is the state of one Run.
type runner struct {
	*Announcements
	flushed  time.Time
	finished string // state of the indexes after the last complete finish
}

// Run opens and closes announcements at their times, updates indexes from SQL, writes reads to SQL
// and finishes announcements that are over, until ctx ends; then it returns nil. While Redis or SQL
// is unavailable it retries.
func (b *Announcements) Run(ctx context.Context) error {
	r := &runner{Announcements: b}
	return lease.Work{
		Stage: "announcement", Lease: b.o.Lease, Every: b.o.Every, Log: b.o.Log,
		Do:   func(ctx context.Context) error { return errors.Join(r.keepTime(ctx), r.writeBehind(ctx)) },
		Rest: r.rest,
		Last: func(ctx context.Context) error { _, err := r.Flush(ctx); return err },
	}.Run(ctx)
}

// rest drops the record of written reads, because the instance that has the lease writes more.
func (r *runner) rest() {
	for _, room := range r.rooms {
		room.latest.Store(unknown)
	}
}

// keepTime updates the indexes to match SQL and the current time.
func (r *runner) keepTime(ctx context.Context) error {
	revision, err := r.store.AnnouncementRevision(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("read the revision of the announcements: %w", err), r.closeOver(ctx))
	}
	seen, due, err := r.checkIndexes(ctx, revision)
	if err != nil {
		return fmt.Errorf("check the indexes: %w", err)
	}
	if due {
		r.finished = ""
		return r.Sync(ctx)
	}
	if seen == r.finished {
		return nil
	}
	// Finish until nothing is left: in SQL an announcement may end a moment later.
	if n, all, err := r.Finish(ctx); err != nil || n > 0 || !all {
		return err
	}
	r.finished = seen
	return nil
}

// closeOver closes announcements that are over without using SQL. Announcements that are due to open
// wait for SQL, which determines their readers.
func (b *Announcements) closeOver(ctx context.Context) error {
	var faults []error
	for _, r := range b.roomsOf(nil) {
		keys := []string{r.aver, r.open, r.scheduled, r.windows, r.marked}
		if _, err := script.ParseReply(closeOver.Run(ctx, b.rdb, keys, r.floor(), r.channel)); err != nil {
			faults = append(faults, fmt.Errorf("close announcements of audience %d: %w", r.audience, err))
		}
	}
	return errors.Join(faults...)
}

// checkIndexes returns the state of the indexes, and whether one of them must be updated.
func (b *Announcements) checkIndexes(ctx context.Context, revision int64) (seen string, due bool, err error) {
	rooms := b.roomsOf(nil)
	if len(rooms) == 0 {
		return "", false, nil
	}
	pipe := script.NewPipe(b.rdb, len(rooms))
	cmds := make([]*redis.Cmd, len(rooms))
	for i, r := range rooms {
		cmds[i] = pipe.Add(ctx, inspectIndex, 4, r.aver, r.open, r.scheduled, r.windows)
	}
	if err := pipe.Exec(ctx); err != nil {
		return "", false, script.MarkAway(err)
	}
	all := make([]any, len(cmds))
	for i, cmd := range cmds {
		rep, err := script.ParseReply(cmd)
		if err != nil {
			return "", false, err
		}
		if rep.Code != 0 || rep.Number(0) != revision {
			return "", true, nil
		}
		all[i] = rep.Rest
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
