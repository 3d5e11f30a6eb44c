package sweep

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// due reads every partition in one pipeline and returns the keys of the due entries by user;
// the empty key stands for any entry of that inbox. full reports whether a partition may hold
// more due entries. After an error, found still holds everything that could be read.
func (s *Sweeper) due(ctx context.Context) (found map[int64][]string, full bool, err error) {
	until := strconv.FormatInt(s.o.Now().UnixMilli(), 10)
	pipe := s.rdb.Pipeline()
	looks := make([]*redis.StringSliceCmd, keys.Partitions)
	for p := range looks {
		looks[p] = pipe.ZRangeArgs(ctx, redis.ZRangeArgs{
			Key: s.keys.Expiry(p), ByScore: true, Start: "-inf", Stop: until, Count: int64(s.o.Batch),
		})
	}
	if _, err = pipe.Exec(ctx); err != nil {
		err = fmt.Errorf("read expired entries: %w", err)
	}
	found = map[int64][]string{}
	for p, look := range looks {
		members := look.Val()
		full = full || len(members) == s.o.Batch
		if odd := group(p, members, found); len(odd) > 0 {
			s.o.Log.ErrorContext(ctx, "removing malformed members of an expiry set", "stage", "sweep", "partition", p, "count", len(odd))
			if e := s.rdb.ZRem(ctx, s.keys.Expiry(p), odd...).Err(); e != nil && err == nil {
				err = fmt.Errorf("remove malformed expiry members of partition %d: %w", p, e)
			}
		}
	}
	return found, full, err
}

// group parses the members `SEQ|KEY` and `SEQ|` and adds them to found. It returns the members
// that no script writes: if they stayed, they would take up space in every later batch.
func group(p int, members []string, found map[int64][]string) (odd []any) {
	for _, m := range members {
		user, key, ok := strings.Cut(m, "|")
		seq, err := strconv.ParseInt(user, 10, 64)
		if !ok || err != nil || seq <= 0 || keys.Partition(seq) != p {
			odd = append(odd, m)
			continue
		}
		found[seq] = append(found[seq], key)
	}
	return odd
}
