package inbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

// Life returns a token for the state of the n partitions from first on. If the token differs
// later, inboxes may have left Redis in between, through a loss or otherwise. whole is false
// while Redis has lost data that is not restored yet.
func (b *Inbox) Life(ctx context.Context, first, n int) (word string, whole bool, err error) {
	pipe := b.rdb.Pipeline()
	marks, at := make([]*redis.StringCmd, n), make([]*redis.FloatCmd, n)
	for i := range n {
		p := &b.parts[first+i]
		marks[i], at[i] = pipe.Get(ctx, p.flushed), pipe.ZScore(ctx, p.idle, fenceMember)
	}
	_, _ = pipe.Exec(ctx) // each command holds its own error
	var s strings.Builder
	whole = true
	for i := range n {
		if err := errors.Join(marks[i].Err(), at[i].Err()); err != nil && !missing(marks[i].Err(), at[i].Err()) {
			return "", false, fmt.Errorf("read the marks of partitions %d to %d: %w", first, first+n-1, script.MarkAway(err))
		}
		whole = whole && integer(marks[i].Val()) > 0
		fmt.Fprintf(&s, "%.0f ", at[i].Val())
	}
	return s.String(), whole, nil
}

// missing reports whether all these errors, if any, only say that a value does not exist.
func missing(errs ...error) bool {
	for _, err := range errs {
		if err != nil && !errors.Is(err, redis.Nil) {
			return false
		}
	}
	return true
}
