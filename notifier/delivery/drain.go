package delivery

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

const (
	oldGroup   = "carillon"
	drainer    = "drain"
	drainBatch = 100
	abandoned  = time.Minute // an entry idle for longer is not being processed; a member idle for longer has stopped
	drainEvery = 10 * time.Second
	noStream   = "no such key"
)

// drain moves the entries of earlier versions from their stream to SQL, and deletes the stream when it is
// empty and no earlier version runs. The next release removes this code.
type drain struct {
	w         *Worker
	stream    string
	checkedAt time.Time
}

func newDrain(w *Worker) drain { return drain{w: w, stream: w.c.Keys.Intake()} }

// round moves up to a few hundred entries. Entries that another instance is processing stay.
func (d *drain) round(ctx context.Context) error {
	now := d.w.c.Now()
	if now.Sub(d.checkedAt) < drainEvery {
		return nil
	}
	d.checkedAt = now
	rdb := d.w.c.Redis
	members, err := rdb.XInfoConsumers(ctx, d.stream, oldGroup).Result()
	if redis.HasErrorPrefix(err, noStream) {
		return nil
	}
	if redis.HasErrorPrefix(err, "NOGROUP") {
		return rdb.XGroupCreate(ctx, d.stream, oldGroup, "0").Err()
	}
	if err != nil {
		return fmt.Errorf("read the stream of earlier versions: %w", err)
	}
	left, _, err := rdb.XAutoClaim(ctx, &redis.XAutoClaimArgs{
		Stream: d.stream, Group: oldGroup, Consumer: drainer, MinIdle: abandoned, Start: "0", Count: drainBatch,
	}).Result()
	if err != nil {
		return fmt.Errorf("claim entries of earlier versions: %w", err)
	}
	read, err := rdb.XReadGroup(ctx, &redis.XReadGroupArgs{Group: oldGroup, Consumer: drainer, Streams: []string{d.stream, ">"}, Count: drainBatch, Block: -1}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("read entries of earlier versions: %w", err)
	}
	for _, s := range read {
		left = append(left, s.Messages...)
	}
	if len(left) > 0 {
		d.checkedAt = time.Time{} // check again immediately
		return d.move(ctx, left)
	}
	for _, m := range members {
		if m.Pending > 0 || m.Name != drainer && m.Idle < abandoned {
			return nil
		}
	}
	return rdb.Del(ctx, d.stream).Err()
}

// move stores the work described by these entries, and deletes the entries.
func (d *drain) move(ctx context.Context, entries []redis.XMessage) error {
	var work []notifier.Work
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
		if w, needed := oldWork(e.Values); needed {
			work = append(work, w)
		}
	}
	if err := d.w.c.Store.AddWork(ctx, work...); err != nil {
		return err
	}
	_, err := d.w.c.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.XAck(ctx, d.stream, oldGroup, ids...)
		p.XDel(ctx, d.stream, ids...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete entries of earlier versions: %w", err)
	}
	d.w.c.Log.InfoContext(ctx, "entries of an earlier version moved to sql", "stage", "intake", "entries", len(entries), "work", len(work))
	d.w.Wake()
	return nil
}

// oldWork returns the work described by an entry. Most entries need none: their notice is unfinished in SQL
// and therefore due.
func oldWork(fields map[string]any) (w notifier.Work, needed bool) {
	number := func(name string) int64 {
		text, _ := fields[name].(string)
		n, _ := strconv.ParseInt(text, 10, 64)
		return n
	}
	old := deadEntry{
		Notice: number("notice"), From: number("from"), To: number("to"), Again: number("again") > 0, Had: number("had") > 0, Retract: number("retract") > 0,
	}
	w, err := old.work()
	if w.Kind != notifier.WorkResend {
		w.Again = old.Again
	}
	if w.Kind == notifier.WorkDeliver && old.Had && !old.Again {
		w.Kind, w.Had = notifier.WorkEdit, false
	}
	return w, err == nil && (w.Kind == notifier.WorkResend || w.Again || w.To > 0)
}
