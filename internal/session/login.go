package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	window     = 15 * time.Minute
	perAccount = 10
	perAddress = 100
	checkWait  = 10 * time.Second // for a processor
)

// Users knows passwords.
type Users interface {
	// Credentials answers notifier.ErrNotFound for an unknown name, and an
	// empty hash for a user without a password.
	Credentials(ctx context.Context, name string) (u notifier.User, hash string, err error)
}

// GateConfig is what a Gate needs.
type GateConfig struct {
	Users Users
	Redis redis.UniversalClient // made with ContextTimeoutEnabled; may be away, or nil
	Space keys.Space
	Now   func() time.Time // nil: time.Now
}

// Gate checks passwords and limits failures: 10 for an account and 100 for an
// address in 15 minutes. It is safe for concurrent use.
type Gate struct {
	users   Users
	limiter *limiter
	// checks holds a token for each password that is being checked: a hash takes
	// 19 MiB, and more of them than processors only take memory.
	checks chan struct{}
}

// TooManyError is an ErrTooMany that knows when to try again.
type TooManyError = notifier.TooManyError

// NewGate returns a gate.
func NewGate(cfg GateConfig) *Gate {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Gate{
		users: cfg.Users, checks: make(chan struct{}, runtime.NumCPU()),
		limiter: &limiter{
			redis: guard{rdb: cfg.Redis, now: cfg.Now}, space: cfg.Space, local: localCounts{now: cfg.Now},
		},
	}
}

// Check returns the user when name and password are right. It answers
// notifier.ErrUnauthenticated when they are not, in the same time whether there
// is such a user or not, and a *TooManyError before it looks at either when the
// account or the address has failed too often. The limit holds for attempts
// that are made at once, too.
func (g *Gate) Check(ctx context.Context, username, password, address string) (notifier.User, error) {
	quotas := []quota{
		{g.limiter.space.Limit("account", hash([]byte(username))), perAccount},
		{g.limiter.space.Limit("address", addressGroup(address)), perAddress},
	}
	enough, err := g.enter(ctx)
	if err != nil {
		return notifier.User{}, err
	}
	defer enough()
	// The failure is counted beforehand and taken back when it was none. That is
	// done by as many at a time as check: a crowd that signs in rightly to one
	// account does not shut it.
	held, wait := g.limiter.reserve(ctx, quotas)
	if wait > 0 {
		return notifier.User{}, &TooManyError{RetryAfter: wait}
	}
	user, right, err := g.verify(ctx, username, password)
	if err == nil && !right {
		return notifier.User{}, notifier.ErrUnauthenticated
	}
	held.release(ctx)
	if err != nil {
		return notifier.User{}, fmt.Errorf("check a password: %w", err)
	}
	return user, nil
}

// enter waits until a processor is free for one more password; leave gives it back.
func (g *Gate) enter(ctx context.Context) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	select {
	case g.checks <- struct{}{}:
		return func() { <-g.checks }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a processor: %w", errors.Join(notifier.ErrUnavailable, ctx.Err()))
	}
}

func (g *Gate) verify(ctx context.Context, username, password string) (notifier.User, bool, error) {
	user, stored, err := g.users.Credentials(ctx, username)
	if err != nil && !errors.Is(err, notifier.ErrNotFound) {
		return notifier.User{}, false, err
	}
	known := err == nil && stored != ""
	if !known {
		stored = dummyHash
	}
	if len(password) > maxPassword {
		return notifier.User{}, false, nil // nobody's, and long to hash
	}
	right, err := argon2id.ComparePasswordAndHash(password, stored)
	if err != nil {
		return notifier.User{}, false, fmt.Errorf("compare with the hash of user %d: %w", user.Seq, err)
	}
	return user, right && known, nil
}
