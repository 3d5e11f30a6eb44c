package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

// While a server runs, work never waits longer than this.
const (
	longestWay  = 30 * time.Second // from accepted to delivered
	longestLeft = 10 * time.Second // from a change in an inbox to SQL
)

// work examines the pending work in SQL, and in Redis if it can be reached.
func (e *examination) work(ctx context.Context, cfg *config.Config, db *store.Store, rdb redis.UniversalClient, reachable bool) {
	space := keys.New(cfg.RedisPrefix)
	n, since, err := db.Waiting(ctx)
	if reachable {
		err = errors.Join(err, e.behind(ctx, rdb, space))
	}
	e.waiting(n, since)
	if err = errors.Join(err, e.deadLetters(ctx, db)); err != nil {
		e.fail("work", err.Error(), "see the logs of SQL and Redis")
	}
}

// waiting evaluates the age of the oldest accepted notice that is not delivered.
func (e *examination) waiting(n int64, since time.Time) {
	age := time.Since(since).Round(time.Second)
	switch {
	case n == 0:
		e.ok("intake", "no notice waits to be delivered")
	case age > longestWay:
		e.fail("intake", fmt.Sprintf("the oldest undelivered notice came %v ago (%s)", age, plural(int(n), "notice")),
			"check that a server runs and that Redis accepts changes; the server's log says why it does not deliver")
	default:
		e.ok("intake", "the oldest undelivered notice came %v ago (%s)", age, plural(int(n), "notice"))
	}
}

// behind finds the oldest change of an inbox that is not yet in SQL. The version of a change is the
// time of the change, or slightly later.
func (e *examination) behind(ctx context.Context, rdb redis.UniversalClient, space keys.Space) error {
	pipe := rdb.Pipeline()
	var first []*redis.ZSliceCmd
	for p := range keys.Partitions {
		first = append(first, pipe.ZRangeWithScores(ctx, space.Dirty(p), 0, 0))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("read the dirty marks: %w", err)
	}
	lag := time.Duration(0)
	for _, cmd := range first {
		for _, mark := range cmd.Val() {
			lag = max(lag, time.Since(time.UnixMilli(int64(mark.Score))))
		}
	}
	if lag = lag.Round(time.Second); lag > longestLeft {
		e.fail("flush lag", fmt.Sprintf("SQL is %v behind", lag), "check that a server runs; its log says why inboxes are not written to SQL. A loss of Redis would lose these changes")
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
		e.fail("dead letters", plural(int(n), "dead letter"), "see /staff/deadletters for the reasons; fix the cause, then replay them")
	default:
		e.ok("dead letters", "none")
	}
	return nil
}
