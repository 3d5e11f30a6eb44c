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
	lookingLife = 90 * time.Second // pages repeat once a minute that they are visible
	maxLooking  = 100_000          // users whose change waits to be written
)

// Looking knows which users look at a page, on whichever instance. Changes are written together, so that
// a stream that opens costs no call of its own. Nothing but the moment of a push depends on it.
type Looking struct {
	rdb redis.UniversalClient
	k   keys.Space
	log *slog.Logger

	mu      sync.Mutex
	changed map[int64]bool
}

// NewLooking returns a Looking that is written by Run.
func NewLooking(rdb redis.UniversalClient, k keys.Space, log *slog.Logger) *Looking {
	return &Looking{rdb: rdb, k: k, log: log, changed: map[int64]bool{}}
}

// Set notes whether a user looks at a page.
func (l *Looking) Set(seq int64, visible bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, has := l.changed[seq]; has || len(l.changed) < maxLooking {
		l.changed[seq] = visible
	}
}

// Run writes changes until ctx ends and returns nil.
func (l *Looking) Run(ctx context.Context) error {
	return lease.Work{Stage: "looking", Every: every / 2, Do: l.write, Last: l.write, Log: l.log}.Run(ctx)
}

func (l *Looking) write(ctx context.Context) error {
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
				p.Set(ctx, l.k.Looking(seq), 1, lookingLife)
			} else {
				p.Unlink(ctx, l.k.Looking(seq))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write who looks at a page: %w", err)
	}
	return nil
}

// Read returns which of these users look at a page.
func (l *Looking) Read(ctx context.Context, seqs []int64) (map[int64]bool, error) {
	found := make([]*redis.IntCmd, len(seqs))
	_, err := l.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, seq := range seqs {
			found[i] = p.Exists(ctx, l.k.Looking(seq))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read who looks at a page: %w", err)
	}
	looking := map[int64]bool{}
	for i, seq := range seqs {
		looking[seq] = found[i].Val() == 1
	}
	return looking, nil
}
