package pipeline

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier/keys"
)

//go:embed hold_lease.lua
var holdSource string

//go:embed release_lease.lua
var releaseSource string

// Lease is a right to do some work that others leave alone meanwhile. It saves
// work only: it may lapse while its holder still works.
type Lease struct {
	rdb           redis.UniversalClient
	key, token    string
	life          time.Duration
	hold, release *script.Script
}

// NewLease returns a lease that nobody holds yet. It lapses after life.
func NewLease(rdb redis.UniversalClient, k keys.Space, name string, life time.Duration) *Lease {
	return &Lease{
		rdb: rdb, key: k.Lease(name), token: rand.Text(), life: life,
		hold: script.New("hold_lease", holdSource), release: script.New("release_lease", releaseSource),
	}
}

// Hold takes the lease, or lengthens it to its full life again. It is false
// when somebody else has it.
func (l *Lease) Hold(ctx context.Context) (bool, error) {
	n, err := l.hold.Run(ctx, l.rdb, []string{l.key}, l.token, l.life.Milliseconds()).Int64()
	if err != nil {
		return false, fmt.Errorf("hold %s: %w", l.key, err)
	}
	return n >= 0, nil
}

// Release gives the lease back, if it is still ours.
func (l *Lease) Release(ctx context.Context) error {
	if err := l.release.Run(ctx, l.rdb, []string{l.key}, l.token).Err(); err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	return nil
}
