package inbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Life answers a word for the life that Redis leads in n partitions from the first
// on: when the word is another one later, inboxes may have left it meanwhile, because
// it lost them or else. Not whole means that it has lost something, and is not yet
// healed.
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
			return "", false, fmt.Errorf("look whether partitions %d to %d are whole: %w", first, first+n-1, away(err))
		}
		whole = whole && integer(marks[i].Val()) > 0
		fmt.Fprintf(&s, "%.0f ", at[i].Val())
	}
	return s.String(), whole, nil
}

// missing says whether nothing worse is the matter than that something is not there.
func missing(errs ...error) bool {
	for _, err := range errs {
		if err != nil && !errors.Is(err, redis.Nil) {
			return false
		}
	}
	return true
}
