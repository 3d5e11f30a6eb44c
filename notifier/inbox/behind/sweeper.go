package behind

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier/keys"
)

// maxDue is the number of entries read from each partition at a time.
const maxDue = 500

// Expirer removes the given entries that are due from inboxes, by user; the empty key means all entries of the inbox.
// It returns how many it removed. Calls may be repeated and concurrent, and a failed inbox does not delay the others.
type Expirer interface {
	Expire(ctx context.Context, due map[int64][]string) (int, error)
}

// SweeperOptions configures a Sweeper. Zero fields have defaults.
type SweeperOptions struct {
	Every time.Duration    // interval between rounds: 500 ms, so that a round finishes within a second of an expiry
	Now   func() time.Time // time.Now
	Log   *slog.Logger     // slog.Default()
}

// Sweeper removes expired entries from the inboxes, so that an entry is no longer counted in the badge a second after
// its expiry even if its user is not connected. Several may run concurrently: the lease only avoids duplicate work,
// and correctness does not depend on it.
type Sweeper struct {
	rdb   redis.UniversalClient
	keys  keys.Space
	inbox Expirer
	lease lease.Lease
	o     SweeperOptions
}

// NewSweeper returns a sweeper for every partition of k.
func NewSweeper(rdb redis.UniversalClient, k keys.Space, inbox Expirer, l lease.Lease, o SweeperOptions) *Sweeper {
	if o.Every <= 0 {
		o.Every = 500 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Sweeper{rdb: rdb, keys: k, inbox: inbox, lease: l, o: o}
}

// Run sweeps until ctx ends, and then returns nil. It retries while Redis is unavailable.
func (s *Sweeper) Run(ctx context.Context) error {
	return lease.Work{
		Stage: "sweep", Lease: s.lease, Every: s.o.Every, Log: s.o.Log,
		Do: func(ctx context.Context) error { _, err := s.Sweep(ctx); return err },
	}.Run(ctx)
}

// Sweep removes everything that is due and returns the number of entries removed. It does not
// use the lease. A failed inbox or partition does not delay the others.
func (s *Sweeper) Sweep(ctx context.Context) (int, error) {
	var total int
	var before []int64
	for first := true; ; first = false {
		found, full, err := s.due(ctx)
		n, failed := s.inbox.Expire(ctx, found)
		total += n
		if err = errors.Join(err, failed); err != nil || !full {
			return total, err
		}
		// The same inboxes were found again and nothing was removed: by the inbox's clock the rest is not due yet,
		// and the next round removes it in time.
		seqs := slices.Sorted(maps.Keys(found))
		if n == 0 && !first && slices.Equal(seqs, before) {
			return total, nil
		}
		before = seqs
	}
}

// due reads every partition in one pipeline and returns the keys of the due entries by user;
// the empty key means any entry of that inbox. full reports whether a partition may contain more
// due entries. After an error, found still contains everything that was read.
func (s *Sweeper) due(ctx context.Context) (found map[int64][]string, full bool, err error) {
	until := strconv.FormatInt(s.o.Now().UnixMilli(), 10)
	pipe := s.rdb.Pipeline()
	looks := make([]*redis.StringSliceCmd, keys.Partitions)
	for p := range looks {
		looks[p] = pipe.ZRangeArgs(ctx, redis.ZRangeArgs{
			Key: s.keys.Expiry(p), ByScore: true, Start: "-inf", Stop: until, Count: maxDue,
		})
	}
	if _, err = pipe.Exec(ctx); err != nil {
		err = fmt.Errorf("read expired entries: %w", err)
	}
	found = map[int64][]string{}
	for p, look := range looks {
		members := look.Val()
		full = full || len(members) == maxDue
		if odd := byUser(p, members, found); len(odd) > 0 {
			s.o.Log.ErrorContext(ctx, "removing malformed members of an expiry set", "stage", "sweep", "partition", p, "count", len(odd))
			if e := s.rdb.ZRem(ctx, s.keys.Expiry(p), odd...).Err(); e != nil && err == nil {
				err = fmt.Errorf("remove malformed expiry members of partition %d: %w", p, e)
			}
		}
	}
	return found, full, err
}

// byUser parses the members `SEQ|KEY` and `SEQ|` and adds them to found. It returns the members that no
// script writes: they would use up space in every later batch.
func byUser(p int, members []string, found map[int64][]string) (odd []any) {
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
