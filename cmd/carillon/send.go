package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// sendWait is how long `send` delivers by itself; a running server finishes
// what takes longer.
const sendWait = 5 * time.Minute

// sendIdle makes the intake end soon after it was told to: it listens to Redis for
// half of this at a time.
const sendIdle = 200 * time.Millisecond

type sendCmd struct {
	To        []string `placeholder:"NAME" help:"A user; may be repeated."`
	Role      string   `placeholder:"ROLE" help:"Every member of a role."`
	Topic     string   `placeholder:"TYPE" help:"Whoever subscribes to this type, and to --scope."`
	Type      string   `help:"What kind of notice, such as like; the first use makes it. With --topic it may be left out."`
	Scope     string   `help:"Where it belongs, such as a warehouse."`
	Subject   string   `help:"What it is about: the same type and subject again moves the row up instead of adding one."`
	Title     string   `required:"" help:"One line."`
	Body      string   `help:"More, if there is more to say."`
	Link      string   `placeholder:"PATH" help:"A path, or https to a host of --link-hosts."`
	ExpiresIn string   `placeholder:"TIME" help:"When it leaves inboxes, such as 30m, 72h or 7d."`
	Toast     bool     `help:"Show it as a pop-up too."`
}

// sent is a notice as `send` prints it.
type sent struct {
	ID         int64          `json:"id"`
	State      notifier.State `json:"state"`
	Recipients int64          `json:"recipients"`
}

// Run accepts the notice in SQL, and delivers it when Redis can be reached.
func (s sendCmd) Run(ctx context.Context, cfg config, c *console) error {
	draft, err := s.draft()
	if err != nil {
		return usageError{err}
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		p, closeAll, reason := sender(ctx, cfg, db, c)
		n, err := p.Send(ctx, draft)
		if ctx.Err() != nil {
			err = errors.Join(err, closeAll()) // what is under way ends with its client
		}
		p.Close()
		if err = errors.Join(explain(err), closeAll()); err != nil {
			return err
		}
		line := sent{n.ID, n.State, n.Recipients}
		if n.State == notifier.StateSent {
			return c.result(line, "notice %d: sent to %s", n.ID, people(n.Recipients))
		}
		if reason != nil {
			c.note("carillon: %v", reason)
		}
		return c.result(line, "notice %d: accepted for %s; a running server will deliver it", n.ID, people(n.Recipients))
	})
}

func (s sendCmd) draft() (notifier.Draft, error) {
	d := notifier.Draft{
		Target: notifier.Target{Users: s.To, Role: s.Role}, Type: s.Type, Scope: s.Scope, Subject: s.Subject,
		Title: s.Title, Body: s.Body, Link: s.Link, Toast: s.Toast, Sender: "carillon send",
	}
	var bad faults
	given := 0
	for _, is := range []bool{len(s.To) > 0, s.Role != "", s.Topic != ""} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		bad.add("--to, --role, --topic", "give one of them, to say who gets it")
	case given > 1:
		bad.add("--to, --role, --topic", "give one of them, not more")
	}
	if s.Topic != "" {
		d.Target.Topic = notifier.Topic{Type: s.Topic, Scope: s.Scope}
		d.Type = cmp.Or(s.Type, s.Topic)
	}
	if d.Type == "" {
		bad.add("--type", "say what kind of notice it is, such as like")
	}
	if s.ExpiresIn == "" {
		return d, bad.err()
	}
	d.ExpiresIn = bad.span("--expires-in", s.ExpiresIn, time.Second)
	return d, bad.err()
}

// sender is a pipeline that delivers in its caller's time, however many
// recipients there are, beside a server or without one. Without Redis it only
// accepts; reason says why.
func sender(ctx context.Context, cfg config, db *store.Store, c *console) (p *pipeline.Pipeline, closeAll func() error, reason error) {
	rdb, closeRedis, reason := redisGuarded(ctx, cfg, db, c.log)
	space := keys.New(cfg.RedisPrefix)
	box := inbox.New(rdb, space, inbox.Options{Cap: cfg.InboxCap, SQL: db})
	if reason == nil {
		reason = box.Load(ctx)
	}
	topics := topic.New(rdb, space, db, topic.Options{Keep: cfg.Keep, Log: c.log})
	if err := topics.Load(ctx); err != nil && reason == nil {
		reason = err
	}
	conf := pipeline.Config{
		Store: db, Redis: rdb, Keys: space, Inbox: box, Router: route.New(db, topics), Types: topics, Log: c.log,
		Toasts: toast.New(rdb, space, toast.Options{Retention: cfg.ToastRetention, Log: c.log}),
		Limits: limits(cfg, topics), Wait: sendWait, WaitMax: math.MaxInt64, Idle: sendIdle,
		Away: func() bool { return reason != nil },
	}
	if reason == nil {
		conf.Board = announcement.New(rdb, space, db, boardOptions(cfg, c.log))
	}
	p = pipeline.New(conf)
	if reason != nil {
		return p, closeRedis, reason
	}
	stop := delivering(ctx, p)
	return p, sync.OnceValue(func() error { return errors.Join(stop(), closeRedis()) }), nil
}

// delivering runs the intake of a pipeline until stop is called.
func delivering(ctx context.Context, p *pipeline.Pipeline) (stop func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- p.RunIntake(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

func people(n int64) string {
	if n == 1 {
		return "1 user"
	}
	return number(n) + " users"
}
