package instance

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// sendWait is how long a command delivers by itself. A running server finishes the rest.
const sendWait = 5 * time.Minute

// NewSender makes the Notices of a command. Send delivers before it returns, to any number of
// recipients, whether a server runs or not. Without Redis notices are only accepted, and
// reason is why. The caller closes the Notices and then calls closeAll.
func NewSender(ctx context.Context, cfg config.Config, db *store.Store, log *slog.Logger) (p *notices.Notices, closeAll func() error, reason error) {
	rdb, closeRedis, reason := redisGuarded(ctx, cfg, db, log)
	space := keys.New(cfg.RedisPrefix)
	box := inbox.New(rdb, space, inbox.Options{Cap: cfg.InboxCap, SQL: db})
	if reason == nil {
		reason = box.Load(ctx)
	}
	topics := topic.New(rdb, space, db, topic.Options{Keep: cfg.Keep, Log: log})
	if err := topics.Load(ctx); err != nil && reason == nil {
		reason = err
	}
	conf := notices.Config{
		Store: db, Redis: rdb, Keys: space, Inbox: box, Router: route.New(db, topics), Types: topics, Log: log,
		Toasts: toast.New(rdb, space, toast.Options{Retention: cfg.ToastRetention, Log: log}),
		Limits: limits(cfg, topics), Wait: sendWait, WaitMax: math.MaxInt64,
		Away: func() bool { return reason != nil },
	}
	if reason == nil {
		conf.Announcements = announcement.New(rdb, space, db, announcementOptions(cfg, log))
	}
	p = notices.New(conf)
	if reason != nil {
		return p, closeRedis, reason
	}
	stop := delivering(ctx, p)
	return p, sync.OnceValue(func() error { return errors.Join(stop(), closeRedis()) }), nil
}

// delivering delivers until stop is called.
func delivering(ctx context.Context, p *notices.Notices) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- p.RunIntake(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}
