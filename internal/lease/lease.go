// Package lease lets one of several instances do a piece of background work.
package lease

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier/keys"
)

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	holdLease    = scripts.Get("hold_lease")
	releaseLease = scripts.Get("release_lease")
)

// Lease is the right to do a piece of work that other instances then skip. It only saves work: it may expire while
// its holder is still working, so the work must tolerate being done twice.
type Lease interface {
	// Hold acquires the lease, or extends it to its full life. It returns false if another
	// instance holds it.
	Hold(ctx context.Context) (bool, error)
	// Release releases the lease early, if this instance holds it.
	Release(ctx context.Context) error
}

// Always is a lease that every instance holds.
var Always Lease = always{}

type always struct{}

func (always) Hold(context.Context) (bool, error) { return true, nil }
func (always) Release(context.Context) error      { return nil }

// GiveUp releases a lease even if ctx has ended. If that fails, the lease expires.
func GiveUp(ctx context.Context, l Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = l.Release(ctx)
}

// Source creates leases by name, each with its life between two calls of Hold.
type Source func(name string, life time.Duration) Lease

// Alone is the source of an instance that shares its work with no other instance.
func Alone(string, time.Duration) Lease { return Always }

// On returns the source of leases that all instances on one Redis share.
func On(rdb redis.UniversalClient, k keys.Space) Source {
	return func(name string, life time.Duration) Lease { return New(rdb, k, name, life) }
}

// Redis is a lease shared by all instances on one Redis.
type Redis struct {
	rdb        redis.UniversalClient
	key, token string
	life       time.Duration
}

// New returns a lease that this instance does not hold yet. It expires unless it is extended
// within life.
func New(rdb redis.UniversalClient, k keys.Space, name string, life time.Duration) *Redis {
	return &Redis{rdb: rdb, key: k.Lease(name), token: rand.Text(), life: life}
}

// Hold implements Lease.
func (l *Redis) Hold(ctx context.Context) (bool, error) {
	n, err := holdLease.Run(ctx, l.rdb, []string{l.key}, l.token, l.life.Milliseconds()).Int64()
	if err != nil {
		return false, fmt.Errorf("hold %s: %w", l.key, err)
	}
	return n >= 0, nil
}

// Release implements Lease.
func (l *Redis) Release(ctx context.Context) error {
	if err := releaseLease.Run(ctx, l.rdb, []string{l.key}, l.token).Err(); err != nil {
		return fmt.Errorf("release %s: %w", l.key, err)
	}
	return nil
}
