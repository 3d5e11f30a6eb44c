// Package live delivers changes to browsers. One Hub per instance holds the event streams of
// the users connected here, receives their changes through Redis Pub/Sub, and keeps each
// user's last badge in memory, so that a change costs no call to Redis.
//
// The path of a change:
//
//	link     one Pub/Sub connection with the channels of up to Limits.Channels users,
//	  │      and of all audiences
//	turn     a change of an audience's announcements: encoded once for all users who see
//	  │      the same part of it
//	user     the badge in memory; a change is encoded once for all of the user's streams,
//	  │      and changes within Limits.Merge are sent in one write
//	conn     a stream; its outlet is one of two:
//	  │
//	post       one r3labs/sse stream for each shard, whose subscriber
//	  │        writes each event to the socket that it is for
//	socket     a hijacked connection in an epoll set, without a goroutine (Linux)
//	  │
//	response   otherwise: one r3labs/sse stream per connection, in its handler's goroutine
//
// For a new user, the hub subscribes first and reads the badge afterwards, so that no change is missed in
// between. The same happens after a subscription was lost. All badges are read again once per Limits.Check,
// which corrects errors that went undetected. A link subscribes to the audiences before its users, so that a
// user whose channel is confirmed receives every turn from then on.
//
// A badge has two halves, each with a version: a Change carries the inbox half, Marks carry the announcements
// half. A notifier.Turn carries no count: an opening announcement is added to the badge where the user's
// version allows it; after any other turn the badges of the audience are read again, one batch after the other.
//
// A toast goes to one connection of its user, on any instance, and to another one if it is not acknowledged.
// The courier asks which connecting users have toasts waiting, receives a notifier.Signal when a toast is
// raised for a user or a browser shows a page, and claims the toasts. A tray holds the undelivered toasts of
// one user; give.go chooses the connection. Only users with undelivered toasts have a tray.
//
// r3labs/sse leaks or blocks unless these rules are followed: no replay and no automatic streams; a stream is
// removed only after its one subscriber has left; what a subscriber that writes to a client reads is published by
// TryPublish only; the library gets a request made here, which contains nothing from the client.
package live

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// Badges reads the badges of many users at once, with both halves, one per reader and in order.
type Badges interface {
	Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error)
}

// Sessions returns the sessions that have not ended, each with the current audience of its user.
type Sessions interface {
	Alive(ctx context.Context, ids []string) (map[string]notifier.Audience, error)
}

// Config configures a Hub. Redis, Keys and Badges are required. Announcements reach only the audiences in
// Audiences. Without Toasts there are no toasts; without Announcements, toasts of announcements are shown even
// if the announcement has ended. Without Sessions, sessions are not rechecked. Without Health, only lost
// connections reveal that Redis is unavailable. All other fields have defaults.
type Config struct {
	Redis         redis.UniversalClient
	Keys          keys.Space
	Badges        Badges
	Audiences     []notifier.Audience
	Sessions      Sessions
	Toasts        Toasts
	Announcements Announcements
	Health        Health
	Path          string                            // of the public URL, before the addresses of pages in events
	App           func(name string) notifier.RowApp // returns an app as rows show it, without waiting; nil: its name
	Look          func(typ string) notifier.Look    // returns the appearance of a type, without waiting; nil: what its slug gives
	Heard         func(took time.Duration)          // called with the time from a change to its arrival here; nil: not called
	Log           *slog.Logger
	Now           func() time.Time // called from many goroutines
	Limits        Limits

	inHandlers bool // tests: all streams stay in their handlers, as on systems without sockets
}

// Hub holds the event streams of one instance. Run must be running while Serve is used.
type Hub struct {
	cfg       Config
	lim       Limits
	rand      func() float64               // in [0, 1)
	prefix    string                       // of users' channels
	audiences map[string]notifier.Audience // by channel
	shards    [shardCount]shard
	sockets   atomic.Pointer[sockets] // nil: all streams stay in their handlers

	streamID atomic.Uint64
	streams  atomic.Int64 // slots in use, of Limits.Total
	stats    counters

	outage  outage
	links   links
	queue   rereads
	checks  checks
	merger  merger
	courier courier
	beats   wheel[*conn]
	idle    wheel[*user]

	gate    sync.RWMutex // orders open.Add before open.Wait
	closing bool
	closed  chan struct{}
	open    sync.WaitGroup // every connection, and every r3labs stream of one
}

// New returns a hub without streams.
func New(cfg Config) *Hub {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.App == nil {
		cfg.App = notifier.NamedApp
	}
	if cfg.Look == nil {
		cfg.Look = notifier.LookOf
	}
	h := &Hub{cfg: cfg, rand: rand.Float64, lim: cfg.Limits.withDefaults(), closed: make(chan struct{})}
	h.prefix = strings.TrimSuffix(cfg.Keys.LiveUser(0), "0")
	h.audiences = make(map[string]notifier.Audience, len(cfg.Audiences))
	for _, a := range cfg.Audiences {
		h.audiences[cfg.Keys.LiveAudience(a)] = a
	}
	h.links = links{hub: h, wake: make(chan struct{}, 1)}
	h.queue = rereads{hub: h, wake: make(chan struct{}, 1)}
	h.checks = checks{hub: h, wake: make(chan struct{}, 1)}
	h.merger = merger{hub: h, wake: make(chan struct{}, 1)}
	h.courier = courier{hub: h, wake: make(chan struct{}, 1)}
	for i := range h.shards {
		h.shards[i] = newShard(h)
	}
	return h
}

// Run keeps the subscriptions, the badges and the streams up to date until ctx ends. Then it ends
// the remaining streams as Shutdown does, within a second. When it returns, all goroutines of the
// hub have ended.
func (h *Hub) Run(ctx context.Context) error {
	defer h.openSockets(ctx)()
	g, gctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{h.links.run, h.queue.run, h.merger.run, h.courier.run, h.runTicks, h.runChecks, h.runHealth} {
		g.Go(func() error { return part(gctx) })
	}
	err := g.Wait()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if serr := h.Shutdown(stop); serr != nil {
		h.cfg.Log.WarnContext(ctx, "streams were cut during shutdown", "err", serr)
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

// Shutdown refuses new streams, sends bye to all others and waits until the last has ended. If ctx ends first,
// it cuts the remaining streams and returns the error of ctx. http.Server.Shutdown does not wait for hijacked
// streams: call this first.
func (h *Hub) Shutdown(ctx context.Context) error {
	h.gate.Lock()
	if !h.closing {
		h.closing = true
		close(h.closed)
	}
	h.gate.Unlock()
	h.eachConn(func(c *conn) { c.bye(h.jitter(longestRetry)) })
	done := make(chan struct{})
	go func() { h.open.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	h.eachConn((*conn).cut)
	<-done
	return ctx.Err()
}

// eachConn calls f for every connection, holding its shard's lock.
func (h *Hub) eachConn(f func(*conn)) {
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		for _, u := range s.users {
			u.flush()
			for _, c := range u.conns {
				f(c)
			}
		}
		s.mu.Unlock()
	}
}

// jitter returns d shortened at random by at most three quarters.
func (h *Hub) jitter(d time.Duration) time.Duration {
	return time.Duration((0.25 + 0.75*h.rand()) * float64(d))
}
