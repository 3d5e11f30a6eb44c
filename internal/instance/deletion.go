package instance

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

const (
	// deletionLease is the time after which another instance continues the deletions of one that has
	// died. Progress through the notices renews it.
	deletionLease = 30 * time.Second
	deletionsEach = 10 * time.Second
	deletionsPage = 100 // unfinished deletions per round
)

// deletions finishes the deletions that a call has begun and not finished, on one instance at a time.
type deletions struct {
	gone  Eraser
	lease lease.Lease
	woken chan struct{} // tells run to start a round now
	log   *slog.Logger
}

func newDeletions(gone Eraser, l lease.Lease, log *slog.Logger) *deletions {
	return &deletions{gone: gone, lease: l, woken: make(chan struct{}, 1), log: log}
}

// wake starts a round soon.
func (d *deletions) wake() {
	select {
	case d.woken <- struct{}{}:
	default: // a round is due already
	}
}

// run works until ctx ends, and returns nil.
func (d *deletions) run(ctx context.Context) error {
	tick := time.NewTicker(deletionsEach)
	defer tick.Stop()
	for ctx.Err() == nil {
		d.round(ctx)
		select {
		case <-tick.C:
		case <-d.woken:
		case <-ctx.Done():
		}
	}
	return nil
}

// round finishes deletions as long as this instance has the lease.
func (d *deletions) round(ctx context.Context) {
	all, err := d.gone.db.Deletions(ctx, deletionsPage)
	if err != nil || len(all) == 0 {
		return // if SQL is away, other parts log it
	}
	mine, err := d.lease.Hold(ctx)
	if err != nil || !mine {
		return
	}
	for _, one := range all {
		if err := d.end(ctx, one); err != nil {
			if ctx.Err() == nil {
				d.log.WarnContext(ctx, "a deletion waits", "user_id", one.Seq, "err", err)
			}
			break
		}
	}
	lease.GiveUp(ctx, d.lease)
}

// end finishes one deletion. It gives up if another instance has taken the lease, which then continues.
func (d *deletions) end(ctx context.Context, one notifier.Deletion) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	held := began
	err := d.gone.Finish(ctx, one, func(int64, int64) {
		if time.Since(held) < deletionLease/6 {
			return
		}
		held = time.Now()
		if mine, err := d.lease.Hold(ctx); err == nil && !mine {
			cancel()
		}
	})
	if err != nil {
		return err
	}
	d.log.InfoContext(ctx, "a deletion has ended", "user_id", one.Seq, "duration", time.Since(began))
	return nil
}

// Eraser deletes users in SQL and in Redis.
type Eraser struct {
	db       *store.Store
	sessions *session.Store
	board    *announcement.Board
	inbox    *inbox.Inbox
	toasts   *toast.Toasts
	files    leftovers
	log      *slog.Logger
}

// Begin signs a user out everywhere and removes the account. Finish removes the rest. begun is false
// if the deletion had begun before.
func (e Eraser) Begin(ctx context.Context, name string) (d notifier.Deletion, sessions int, begun bool, err error) {
	user, err := e.db.UserByName(ctx, name)
	if err == nil {
		sessions, err = e.sessions.Expel(ctx, user.Seq)
	}
	if err != nil && !errors.Is(err, notifier.ErrNotFound) { // a user whose deletion has begun is not found
		return d, 0, false, err
	}
	d, begun, err = e.db.BeginDeletion(ctx, name)
	return d, sessions, begun, err
}

// Finish removes the rest of a user's data, in an order in which no step writes again what an earlier
// one has deleted. It may be called again after a failure, and concurrently: see store.Forget,
// which calls progress.
func (e Eraser) Finish(ctx context.Context, d notifier.Deletion, progress func(at, last int64)) error {
	// The announcements that they have read are bits in Redis, which are copied to SQL regularly.
	reader := notifier.Reader{Seq: d.Seq, Audience: d.Audience}
	posts, err := e.board.List(ctx, reader)
	if err != nil {
		return err
	}
	for _, post := range posts.Items {
		if _, err = e.board.MarkUnread(ctx, reader, post.ID); err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return err
		}
	}
	// Now, so that nothing is left if Forget takes long; and again afterwards, for deliveries in between.
	if err = e.empty(ctx, d.Seq); err != nil {
		return err
	}
	if err = e.db.Forget(ctx, d, progress); err != nil {
		return err
	}
	if err = e.empty(ctx, d.Seq); err != nil {
		return err
	}
	if err = e.db.EndDeletion(ctx, d.Seq); err != nil {
		return err
	}
	e.files.clear(ctx, e.log)
	return nil
}

// empty removes the user's inbox and toasts from Redis.
func (e Eraser) empty(ctx context.Context, seq int64) error {
	if err := e.inbox.Erase(ctx, seq); err != nil {
		return err
	}
	return e.toasts.Forget(ctx, seq)
}

// leftovers are copies of deleted data in files: pages in the write-ahead log of SQLite, and commands
// in the append-only file of Redis. They are cleared if the files are Carillon's own. Operators
// look after the files of their own PostgreSQL and Redis, and after all backups.
type leftovers struct {
	db    *store.Store
	redis redis.UniversalClient // the built-in one; nil: Redis is the operator's own
}

// clear clears them now. If that fails, SQLite and Redis do it later by themselves.
func (l leftovers) clear(ctx context.Context, log *slog.Logger) {
	if err := l.db.ClearLog(ctx); err != nil {
		log.WarnContext(ctx, "deleted text may stay in carillon.db-wal for now", "err", err)
	}
	if l.redis == nil {
		return
	}
	if err := l.redis.BgRewriteAOF(ctx).Err(); err != nil && !redis.HasErrorPrefix(err, "ERR Background append only file rewriting already in progress") {
		log.WarnContext(ctx, "deleted text may stay in the append-only file for now", "err", err)
	}
}

// NewEraser makes an eraser for a command that runs beside a server or without one. If Redis cannot
// be reached, reason says why, and the eraser must not be used. closeRedis is never nil.
func NewEraser(ctx context.Context, cfg config.Config, db *store.Store, log *slog.Logger) (gone Eraser, closeRedis func() error, reason error) {
	rdb, closeRedis, reason := redisGuarded(ctx, cfg, db, log)
	if reason != nil {
		return Eraser{}, closeRedis, reason
	}
	space := keys.New(cfg.RedisPrefix)
	gone = Eraser{
		db: db, sessions: session.New(session.Config{SQL: db, Redis: rdb, Space: space, Log: log}),
		board:  announcement.New(rdb, space, db, boardOptions(cfg, log)),
		inbox:  inbox.New(rdb, space, inbox.Options{Cap: cfg.InboxCap, SQL: db, Log: log}),
		toasts: toast.New(rdb, space, toast.Options{Log: log}),
		files:  leftoversOf(cfg, db, rdb), log: log,
	}
	return gone, closeRedis, nil
}

func leftoversOf(cfg config.Config, db *store.Store, rdb redis.UniversalClient) leftovers {
	if cfg.Redis.BuiltIn() {
		return leftovers{db: db, redis: rdb}
	}
	return leftovers{db: db}
}
