package behind

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	forgetEvery = time.Hour
	overFor     = time.Hour // a notice is no longer read this long after its expiry
)

// forget removes the counts of finished notices from Redis. It first reads and saves both counts
// of a notice; counts that change in between stay until the next time.
func (c *counts) forget(ctx context.Context, p int, fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	seen := parseCounts(p, fields)
	ids := make([]int64, len(seen))
	for i, n := range seen {
		ids[i] = n.NoticeID
	}
	over, err := c.store.Over(ctx, ids, c.now().Add(-overFor))
	if err != nil || len(over) == 0 {
		return err
	}
	known, err := c.both(ctx, p, over)
	if err != nil || len(known) == 0 {
		return err
	}
	if err = c.store.SaveCounts(ctx, known); err != nil {
		return err
	}
	return c.inbox.ForgetCounts(ctx, p, known)
}

// both reads both counts of some notices; it omits notices without counts.
func (c *counts) both(ctx context.Context, p int, ids []int64) ([]notifier.NoticeCount, error) {
	names := make([]string, 0, 2*len(ids))
	for _, id := range ids {
		n := strconv.FormatInt(id, 10)
		names = append(names, n+":d", n+":r")
	}
	values, err := c.rdb.HMGet(ctx, c.keys.Counts(p), names...).Result()
	if err != nil {
		return nil, fmt.Errorf("read counts of single notices: %w", err)
	}
	fields := make([]string, 0, 2*len(names))
	for i, v := range values {
		if text, ok := v.(string); ok {
			fields = append(fields, names[i], text)
		}
	}
	return parseCounts(p, fields), nil
}
