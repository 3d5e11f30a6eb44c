package channels

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	viewingLife = 90 * time.Second // visible pages repeat their state once a minute
	maxViewers  = 100_000          // users whose change is not yet written
)

// Viewers records which users are viewing a page, on all instances. Changes are written in batches, so that
// opening a stream needs no extra call. Only the time of a push depends on it.
type Viewers struct {
	rdb redis.UniversalClient
	k   keys.Space
	log *slog.Logger

	mu      sync.Mutex
	changed map[int64]bool
}

// NewViewers returns a Viewers that is written by Run.
func NewViewers(rdb redis.UniversalClient, k keys.Space, log *slog.Logger) *Viewers {
	return &Viewers{rdb: rdb, k: k, log: log, changed: map[int64]bool{}}
}

// Set records whether a user is viewing a page.
func (l *Viewers) Set(seq int64, visible bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, has := l.changed[seq]; has || len(l.changed) < maxViewers {
		l.changed[seq] = visible
	}
}

// Run writes changes until ctx ends and returns nil.
func (l *Viewers) Run(ctx context.Context) error {
	return lease.Work{Stage: "looking", Every: every / 2, Do: l.write, Last: l.write, Log: l.log}.Run(ctx)
}

func (l *Viewers) write(ctx context.Context) error {
	l.mu.Lock()
	changed := maps.Clone(l.changed)
	clear(l.changed)
	l.mu.Unlock()
	if len(changed) == 0 {
		return nil
	}
	_, err := l.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for seq, visible := range changed {
			if visible {
				p.Set(ctx, l.k.Looking(seq), 1, viewingLife)
			} else {
				p.Unlink(ctx, l.k.Looking(seq))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write which users are viewing a page: %w", err)
	}
	return nil
}

// Read returns which of these users are viewing a page.
func (l *Viewers) Read(ctx context.Context, seqs []int64) (map[int64]bool, error) {
	found := make([]*redis.IntCmd, len(seqs))
	_, err := l.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, seq := range seqs {
			found[i] = p.Exists(ctx, l.k.Looking(seq))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read which users are viewing a page: %w", err)
	}
	viewing := map[int64]bool{}
	for i, seq := range seqs {
		viewing[seq] = found[i].Val() == 1
	}
	return viewing, nil
}
