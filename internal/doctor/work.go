package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

// While a server runs, work never waits longer than this.
const (
	longestWay  = 30 * time.Second // from accepted to delivered
	longestLeft = 10 * time.Second // from what a user does with an inbox to SQL
	longestLate = 90 * time.Second // from accepted to the inboxes in SQL
	secondLook  = 2 * time.Second  // a mark of a delivery that is being written has the age of the delivery
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

// behind finds the oldest change of an inbox and the oldest delivery that are not yet in SQL. The version of a change is
// the time of the change, or slightly later.
func (e *examination) behind(ctx context.Context, rdb redis.UniversalClient, space keys.Space) error {
	late, err := oldestMarks(ctx, rdb, space.Late)
	if err != nil {
		return err
	}
	dirty, err := oldestMarks(ctx, rdb, space.Dirty)
	if err == nil && ageOf(dirty) > longestLeft {
		select {
		case <-time.After(secondLook):
		case <-ctx.Done():
		}
		var still []redis.Z
		still, err = oldestMarks(ctx, rdb, space.Dirty)
		dirty = slices.DeleteFunc(dirty, func(m redis.Z) bool { return !slices.Contains(still, m) })
	}
	if err != nil {
		return err
	}
	lag, waits := ageOf(dirty), ageOf(late)
	switch {
	case lag > longestLeft:
		e.fail("flush lag", fmt.Sprintf("SQL is %v behind", lag), "check that a server runs; its log says why inboxes are not written to SQL. A loss of Redis would lose these changes")
	case waits > longestLate:
		e.fail("flush lag", fmt.Sprintf("deliveries have waited %v to be written to SQL", waits), "check that a server runs and how busy SQL is; its log says why inboxes are not written to SQL. After a loss of Redis, all notices since then would be delivered again")
	default:
		e.ok("flush lag", "SQL is %v behind what users did, and %v behind deliveries", lag, waits)
	}
	return nil
}

// oldestMarks returns the oldest mark of each partition that has one.
func oldestMarks(ctx context.Context, rdb redis.UniversalClient, key func(p int) string) (marks []redis.Z, err error) {
	pipe := rdb.Pipeline()
	var first []*redis.ZSliceCmd
	for p := range keys.Partitions {
		first = append(first, pipe.ZRangeWithScores(ctx, key(p), 0, 0))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("read the marks of changed inboxes: %w", err)
	}
	for _, cmd := range first {
		marks = append(marks, cmd.Val()...)
	}
	return marks, nil
}

// ageOf returns the age of the oldest of these marks.
func ageOf(marks []redis.Z) (age time.Duration) {
	for _, m := range marks {
		age = max(age, time.Since(time.UnixMilli(int64(m.Score))))
	}
	return age.Round(time.Second)
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
