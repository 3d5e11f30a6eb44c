package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/intake"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

// Longer than this nothing should wait while a server runs.
const (
	longestWay  = 30 * time.Second // from accepted to delivered
	longestLeft = 10 * time.Second // from a change in an inbox to SQL
)

// work examines what is under way between the parts: in SQL, and in Redis where it can
// be asked.
func (e *examination) work(ctx context.Context, cfg config, db *store.Store, rdb redis.UniversalClient, asked bool) {
	space := keys.New(cfg.RedisPrefix)
	n, since, err := db.Waiting(ctx)
	if asked {
		put, waits, lookErr := intake.New(intake.Config{Redis: rdb, Keys: space, Log: e.c.log}).Oldest(ctx)
		if waits && (n == 0 || put.Before(since)) {
			n, since = max(n, 1), put
		}
		err = errors.Join(err, lookErr, e.behind(ctx, rdb, space))
	}
	e.intake(n, since)
	if err = errors.Join(err, e.deadLetters(ctx, db)); err != nil {
		e.fail("work", err.Error(), "see why it stopped answering")
	}
}

// intake judges how long the oldest accepted notice has been on its way.
func (e *examination) intake(n int64, since time.Time) {
	age := time.Since(since).Round(time.Second)
	switch {
	case n == 0:
		e.ok("intake", "nothing waits to be delivered")
	case age > longestWay:
		e.fail("intake", fmt.Sprintf("the oldest of what waits to be delivered came %v ago (%s)", age, plural(int(n), "notice")),
			"see that a server runs and that Redis takes changes, and in the server's log why it does not deliver")
	default:
		e.ok("intake", "the oldest of what waits to be delivered came %v ago (%s)", age, plural(int(n), "notice"))
	}
}

// behind looks for the oldest change of an inbox that SQL has not seen. Its
// version is the time it was made, or a little later.
func (e *examination) behind(ctx context.Context, rdb redis.UniversalClient, space keys.Space) error {
	pipe := rdb.Pipeline()
	var first []*redis.ZSliceCmd
	for p := range keys.Partitions {
		first = append(first, pipe.ZRangeWithScores(ctx, space.Dirty(p), 0, 0))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("look for what sql has not seen: %w", err)
	}
	lag := time.Duration(0)
	for _, cmd := range first {
		for _, mark := range cmd.Val() {
			lag = max(lag, time.Since(time.UnixMilli(int64(mark.Score))))
		}
	}
	if lag = lag.Round(time.Second); lag > longestLeft {
		e.fail("flush lag", fmt.Sprintf("SQL is %v behind", lag), "see that a server runs, and in its log why inboxes are not written behind: a loss of Redis would lose so much")
		return nil
	}
	e.ok("flush lag", "SQL is %v behind", lag)
	return nil
}

func (e *examination) deadLetters(ctx context.Context, db *store.Store) error {
	n, err := db.CountDeadLetters(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("count dead letters: %w", err)
	case n > 0:
		e.fail("dead letters", plural(int(n), "dead letter"), "see /staff/deadletters for their reasons; mend those, and replay them")
	default:
		e.ok("dead letters", "none")
	}
	return nil
}
