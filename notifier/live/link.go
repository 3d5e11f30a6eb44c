package live

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// chunk is the maximum number of channels in one SUBSCRIBE.
const chunk = 5000

// link is one Pub/Sub connection, with the channels of its users and of all audiences. One
// goroutine sends its commands, another reads.
type link struct {
	hub  *Hub
	size int          // users on it; guarded by links.mu
	been bool         // connected before; used by run only
	open atomic.Int64 // channels whose subscription Redis has not confirmed yet
	mu   sync.Mutex
	ops  []op
	wake chan struct{}

	fault atomic.Pointer[fault] // why there is no subscription; nil: there is one, or none was tried
}

// fault is why a link has no subscription, and since when.
type fault struct {
	err   error
	since time.Time
}

// op is a command to send. Commands are sent in the order in which users join and leave.
type op struct {
	seq  int64
	join bool
}

func (l *link) push(o op) {
	l.mu.Lock()
	l.ops = append(l.ops, o)
	l.mu.Unlock()
	signal(l.wake)
}

func (l *link) drain() []op {
	l.mu.Lock()
	defer l.mu.Unlock()
	ops := l.ops
	l.ops = nil
	return ops
}

// run keeps the link connected until ctx ends. go-redis would reconnect by itself, but it neither
// notices a dead peer nor reports a reconnect, so each session uses a new PubSub.
func (l *link) run(ctx context.Context) {
	log := l.hub.cfg.Log.With("stage", "live")
	wait := time.Duration(0)
	for {
		up := time.Now()
		err := l.session(ctx)
		l.hub.linkDown(l)
		l.hub.lost(l)
		if ctx.Err() != nil {
			return
		}
		if time.Since(up) > l.hub.lim.Silence {
			wait = 0
		}
		now := &fault{err: err, since: l.hub.cfg.Now()}
		level := slog.LevelInfo
		if before := l.fault.Load(); before != nil {
			now.since, level = before.since, slog.LevelDebug // it was logged when it began
		}
		l.fault.Store(now)
		log.Log(ctx, level, "subscription lost; reconnecting", "err", err, "wait", wait)
		if !l.rest(ctx, l.hub.jitter(wait)) {
			return
		}
		wait = min(max(2*wait, 50*time.Millisecond), time.Second)
	}
}

// rest waits before the next attempt, for less time if Redis is available again. It returns false if ctx has
// ended.
func (l *link) rest(ctx context.Context, d time.Duration) bool {
	if l.hub.cfg.Health == nil || l.hub.cfg.Health.Open() {
		return pause(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-l.hub.cfg.Health.Changed():
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// session connects, subscribes to all wanted channels, and runs until the connection is lost or ctx ends.
func (l *link) session(ctx context.Context) error {
	ps := l.hub.cfg.Redis.Subscribe(ctx)
	defer func() { _ = ps.Close() }()
	connect, cancel := context.WithTimeout(ctx, l.hub.lim.Silence)
	err := ps.Ping(connect)
	cancel()
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	l.hub.linkUp(l)
	if l.been {
		l.hub.stats.resubscriptions.Add(1)
	}
	l.been = true
	ctx, stop := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		stop(l.receive(ctx, ps))
	}()
	err = l.command(ctx, ps)
	stop(err)
	_ = ps.Close() // makes the receiver's read return
	<-done
	return context.Cause(ctx)
}

// command sends subscriptions and pings. Users who join before Redis has confirmed a command wait for the next
// one, so that many users share a few commands.
func (l *link) command(ctx context.Context, ps *redis.PubSub) error {
	l.drain() // wanted includes everything queued so far
	// Audiences first, so that a user whose channel is confirmed misses no turn.
	l.open.Store(0)
	if channels := slices.Collect(maps.Keys(l.hub.audiences)); len(channels) > 0 {
		l.open.Add(int64(len(channels)))
		if err := ps.Subscribe(ctx, channels...); err != nil {
			return fmt.Errorf("subscribe to %d audiences: %w", len(channels), err)
		}
	}
	users := l.hub.wanted(l)
	if err := l.send(ctx, ps, append(users, since(users, l.drain())...)); err != nil {
		return err
	}
	t := time.NewTicker(l.hub.lim.Ping)
	defer t.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.C:
			err = ps.Ping(ctx)
		case <-l.wake: // also once everything is confirmed
			if l.open.Load() == 0 {
				err = l.send(ctx, ps, l.drain())
			}
		}
		if err != nil {
			return fmt.Errorf("send: %w", err)
		}
	}
}

// since returns the operations, pushed while the users were collected, that must still be sent. A user who
// joined meanwhile may be among the users already, and would be subscribed, checked and read twice.
func since(users, pushed []op) []op {
	if len(pushed) == 0 {
		return nil
	}
	joined := make(map[int64]bool, len(users))
	for _, o := range users {
		joined[o.seq] = true
	}
	return slices.DeleteFunc(pushed, func(o op) bool {
		again := o.join && joined[o.seq]
		joined[o.seq] = o.join
		return again
	})
}

// send combines consecutive operations of one kind into one command.
func (l *link) send(ctx context.Context, ps *redis.PubSub, ops []op) error {
	for len(ops) > 0 {
		join := ops[0].join
		var channels []string
		for len(ops) > 0 && ops[0].join == join && len(channels) < chunk {
			channels = append(channels, l.hub.cfg.Keys.LiveUser(ops[0].seq))
			ops = ops[1:]
		}
		l.open.Add(int64(len(channels)))
		command := ps.Unsubscribe
		if join {
			command = ps.Subscribe
		}
		if err := command(ctx, channels...); err != nil {
			return fmt.Errorf("subscribe to %d channels: %w", len(channels), err)
		}
	}
	return nil
}

// receive reads until the connection is lost. Replies to pings arrive on it, so silence means that it is lost.
// A read that timed out may have left half a reply, so the connection is not used again.
func (l *link) receive(ctx context.Context, ps *redis.PubSub) error {
	for {
		msg, err := ps.ReceiveTimeout(ctx, l.hub.lim.Silence)
		if err != nil {
			return fmt.Errorf("receive: %w", err)
		}
		switch m := msg.(type) {
		case *redis.Message:
			l.hub.hear(l, m.Channel, m.Payload)
		case *redis.Subscription:
			if m.Kind == "subscribe" {
				l.hub.confirm(l, m.Channel)
			}
			if l.open.Add(-1) == 0 {
				l.fault.Store(nil)
				signal(l.wake)
			}
		}
	}
}
