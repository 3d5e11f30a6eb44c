package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

// pingWait bounds the first calls to Redis. A command or a start that gets no answer goes on without.
const pingWait = 2 * time.Second

// OpenStore opens SQL and brings its schema up to date.
func OpenStore(ctx context.Context, cfg config.Config) (*store.Store, error) {
	return openTimed(ctx, cfg, nil, nil)
}

// openTimed is OpenStore, and has the calls timed.
func openTimed(ctx context.Context, cfg config.Config, timing store.Timing, noted store.Noted) (*store.Store, error) {
	if err := makeDataDir(cfg.DataDir); err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Config{
		URL: cfg.Database.URL, Password: cfg.Database.Password(), DataDir: cfg.DataDir, MaxSeq: cfg.MaxSeq, Mail: cfg.MailDefault, Zone: cfg.Zone, Timing: timing, Noted: noted, Program: cfg.Program,
	})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", trouble.Mark(trouble.SQL, err))
	}
	return db, nil
}

// makeDataDir makes the directory, readable by its owner only, because it holds keys.
func makeDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	return nil
}

// RedisBeside returns a client of the Redis that a server with this configuration uses, and as
// reason an error if it cannot be reached. The client is never nil: without a Redis each of its
// calls fails at once.
func RedisBeside(ctx context.Context, cfg config.Config) (rdb redis.UniversalClient, reason error) {
	target, err := TargetBeside(cfg)
	if err != nil {
		return nowhere(err), err
	}
	rdb = target.Open(nil)
	ctx, cancel := context.WithTimeout(ctx, pingWait)
	defer cancel()
	if err := rdb.Ping(ctx).Err(); err != nil {
		return rdb, fmt.Errorf("reach redis: %w", err)
	}
	return rdb, nil
}

// TargetBeside returns the Redis that a server with this configuration uses. It returns
// config.ErrNoRedis if that is the built-in one, and no server runs.
func TargetBeside(cfg config.Config) (config.Redis, error) {
	if !cfg.Redis.BuiltIn() {
		return cfg.Redis, nil
	}
	raw, err := embedded.URL(cfg.DataDir)
	switch {
	case err != nil:
		return config.Redis{}, err
	case raw == "":
		return config.Redis{}, config.ErrNoRedis
	}
	return config.ParseRedis(raw)
}

// nowhere makes a client whose calls all fail with the reason.
func nowhere(reason error) redis.UniversalClient {
	return redis.NewClient(&redis.Options{
		Dialer:     func(context.Context, string, string) (net.Conn, error) { return nil, reason },
		MaxRetries: -1, DialerRetries: 1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

func (i *instance) lockDirectory(context.Context) (func() error, error) {
	if !i.cfg.Redis.BuiltIn() {
		return nil, nil
	}
	var err error
	if i.lock, err = embedded.LockDir(i.cfg.DataDir); err != nil {
		return nil, err
	}
	return i.lock.Close, nil
}

func (i *instance) openStore(ctx context.Context) (func() error, error) {
	if err := i.awaitStore(ctx); err != nil {
		return nil, errors.Join(err, i.closeEarly())
	}
	stop := func() error { return errors.Join(i.closeEarly(), i.db.Close()) }
	if err := i.db.SetDefaults(ctx); err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}

// startRedis starts the built-in Redis, unless another is configured.
func (i *instance) startRedis(ctx context.Context) (func() error, error) {
	if i.lock == nil {
		return nil, nil
	}
	server, err := embedded.Start(ctx, i.lock, embedded.Options{Log: i.log})
	if err != nil {
		return nil, err
	}
	if i.target, err = config.ParseRedis(server.URL()); err != nil {
		return nil, errors.Join(fmt.Errorf("connect to the built-in redis: %w", err), server.Close())
	}
	return server.Close, nil
}

// openRaw makes the guard and its client. Redis may be away; pages are then read-only until it
// comes back.
func (i *instance) openRaw(context.Context) (func() error, error) {
	i.raw = i.target.Open(nil)
	i.guard = newGuard(i.cfg, i.raw, i.db, i.resend, i.log, i.base)
	return i.raw.Close, nil
}

func (i *instance) openGated(context.Context) (func() error, error) {
	i.rdb = gated(i.guard, i.target)
	i.rdb.AddHook(redisTimes{i.times, i.traces})
	i.rdb.AddHook(i.ready.refused)
	return i.rdb.Close, nil
}

// resend is called by the guard when Redis has lost data, which may include sets of subscribers.
// The guard is made before i.notices.
func (i *instance) resend(ctx context.Context, since time.Time) error {
	i.topics.Suspect()
	return i.notices.Resend(ctx, since)
}

// gated makes a client that sends nothing to Redis while the guard's gate is closed.
func gated(g *guard.Guard, target config.Redis) redis.UniversalClient {
	rdb := target.Open(g.OnConnect)
	g.Attach(rdb)
	return rdb
}

// newGuard makes the guard of a Redis. The client raw must have no gate. The guard calls resend while
// it restores lost data.
func newGuard(cfg config.Config, raw redis.UniversalClient, db *store.Store, resend func(context.Context, time.Time) error, log, base *slog.Logger) *guard.Guard {
	space := keys.New(cfg.RedisPrefix)
	return guard.New(guard.Config{
		Raw: raw, Keys: space, Store: db, Log: base, Resend: resend,
		Inboxes: inbox.New(raw, space, inbox.Options{Cap: cfg.InboxCap, SQL: db, Log: log}),
		Lease:   lease.New(raw, space, "epoch", guard.LeaseLife),
	})
}

// redisGuarded is RedisBeside for a command that changes data in Redis. If Redis came back empty or
// old, it restores the data first, as a server does. Otherwise the command's changes would count
// as newer than the data in SQL.
func redisGuarded(ctx context.Context, cfg config.Config, db *store.Store, log *slog.Logger) (
	rdb redis.UniversalClient, closeAll func() error, reason error,
) {
	target, reason := TargetBeside(cfg)
	if reason != nil {
		rdb = nowhere(reason)
		return rdb, rdb.Close, reason
	}
	raw := target.Open(nil)
	again := notices.New(notices.Config{Store: db, Redis: raw, Keys: keys.New(cfg.RedisPrefix), Log: log})
	guard := newGuard(cfg, raw, db, again.Resend, log, slog.New(slog.DiscardHandler))
	rdb = gated(guard, target)
	closeAll = func() error { return errors.Join(rdb.Close(), raw.Close()) }
	if err := guard.Check(ctx); err != nil {
		return rdb, closeAll, fmt.Errorf("reach redis: %w", err)
	}
	return rdb, closeAll, nil
}
