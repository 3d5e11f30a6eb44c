// Package sweep takes what has expired out of the inboxes, so that an entry
// leaves the badge within a second of its expiry also while nobody looks.
package sweep

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier/keys"
)

// Expirer removes from inboxes, by user, those of the entries that really are
// due; the empty key stands for all entries of an inbox. It does no harm to call it twice, or at the same time on two instances,
// and an inbox that fails does not hold up the others.
type Expirer interface {
	Expire(ctx context.Context, due map[int64][]string) (int, error)
}

// Lease lets one instance do the work that any of them could do.
type Lease interface {
	// Hold takes the lease or lengthens it; false means another has it.
	Hold(ctx context.Context) (bool, error)
	// Release gives it back early, if it is ours.
	Release(ctx context.Context) error
}

// Options has a default for every field that is zero.
type Options struct {
	Every time.Duration    // between two rounds: 500 ms, so that a round ends within the second
	Batch int              // entries a partition and look: 500
	Now   func() time.Time // time.Now
	Log   *slog.Logger     // slog.Default()
}

// Sweeper removes expired entries. Several may run at once: the lease saves
// double work and nothing rests on it.
type Sweeper struct {
	rdb     redis.UniversalClient
	keys    keys.Space
	inbox   Expirer
	lease   Lease
	o       Options
	failing bool // the last round failed; logged when it changes
}

// New returns a sweeper over every partition of k.
func New(rdb redis.UniversalClient, k keys.Space, inbox Expirer, lease Lease, o Options) *Sweeper {
	if o.Every <= 0 {
		o.Every = 500 * time.Millisecond
	}
	if o.Batch <= 0 {
		o.Batch = 500
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Sweeper{rdb: rdb, keys: k, inbox: inbox, lease: lease, o: o}
}

// Run sweeps until ctx ends, and then returns nil. While Redis is away it
// goes on trying.
func (s *Sweeper) Run(ctx context.Context) error {
	tick := time.NewTicker(s.o.Every)
	defer tick.Stop()
	for {
		s.note(ctx, s.round(ctx))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s.leave(ctx)
		}
	}
}

// Sweep removes everything that is due now and returns how many entries that
// were. It asks for no lease. An inbox or a partition that fails does not hold
// up the others.
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
		// The same inboxes again and nothing removed: what is left is not due
		// by the inbox's clock, and the next round is early enough for it.
		seqs := slices.Sorted(maps.Keys(found))
		if n == 0 && !first && slices.Equal(seqs, before) {
			return total, nil
		}
		before = seqs
	}
}

func (s *Sweeper) round(ctx context.Context) error {
	mine, err := s.lease.Hold(ctx)
	if err != nil || !mine {
		return err
	}
	_, err = s.Sweep(ctx)
	return err
}

// note logs that sweeping began to fail, or works again.
func (s *Sweeper) note(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case err != nil && !s.failing:
		s.o.Log.WarnContext(ctx, "sweep fails", "stage", "sweep", "err", err)
	case err == nil && s.failing:
		s.o.Log.InfoContext(ctx, "sweep works again", "stage", "sweep")
	}
	s.failing = err != nil
}

// leave gives the lease back, so that another instance need not wait for it.
func (s *Sweeper) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := s.lease.Release(ctx); err != nil && !s.failing {
		s.o.Log.WarnContext(ctx, "sweep lease not released", "stage", "sweep", "err", err)
	}
	return nil
}
