// Package instance builds a server with everything in it, starts it, and stops it in order. Commands
// use it to build the parts that they need beside a server.
package instance

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/embedded"
	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/ask"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/hook"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/outbox"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/notifier/task"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// Options configure what is served.
type Options struct {
	Config config.Config
	Demo   bool   // add the demonstration
	Build  string // identifies the build; the same on every instance of it
	Log    *slog.Logger
}

// Address is where a server listens.
type Address struct {
	URL   string // for browsers: the public URL if one is configured
	Addr  string // of the listener; with port 0, with the port it got
	Admin string // the URL of the admin address; empty: none is configured
	Shop  string // the URL of the page of another application; empty: no demonstration
}

// instance is one running server.
type instance struct {
	cfg  config.Config
	demo bool
	id   string       // of the build
	log  *slog.Logger // lets a cause pass once
	base *slog.Logger // of those who name causes

	lock          *embedded.Lock        // nil: Redis is not the built-in one
	target        config.Redis          // of the configured Redis, or of the built-in one once it runs
	raw           redis.UniversalClient // for the guard
	guard         *guard.Guard
	rdb           redis.UniversalClient // for everything else: behind the guard's gate
	db            *store.Store
	sessions      *session.Sessions
	signIns       *session.SignIns
	slips         *session.Slips
	tokens        *app.Verifier
	links         *links.Maker
	people        *person.People
	who           *identity.Who
	inbox         *inbox.Inbox
	announcements *announcement.Announcements
	hub           *live.Hub
	unread        *behind.Flusher
	topics        *topic.Topics
	toasts        *toast.Toasts
	notices       *notices.Notices
	asks          *ask.Asks
	tasks         *task.Tasks
	receipts      *ask.Receipts    // nil: their keys cannot be read
	rules         *rule.Runner     // nil: no rules are configured
	outboxes      *outbox.Outboxes // nil: no outboxes are configured
	outbox        *mail.Outbox     // nil: mails are sent, or there are none
	looking       *channels.Viewers
	reach         *channels.Stage
	devices       *devices     // nil: no push
	mailer        *mail.Sender // nil: no mail server is configured
	hooks         *hook.Hooks
	hookStage     *hook.Stage

	ready     *readiness
	times     *histograms
	traces    *tracing.Traces // nil: none
	fresh     bool            // the demonstration has just been added
	web       *http.Server
	admin     *http.Server
	shop      *http.Server // nil: no demonstration
	listeners map[*http.Server]net.Listener
	early     net.Listener // of the pages, while SQL was waited for; nil: it was not
	at        Address
	stopping  atomic.Bool

	work   *errgroup.Group // the workers and the servers
	failed <-chan struct{} // closed when one of them fails
}

// part is one line of the list below. It starts something, and returns how to stop it, or nil if
// there is nothing to stop. What it starts may outlive ctx, until it is stopped.
type part func(ctx context.Context) (stop func() error, err error)

// parts lists everything that starts and stops. They start in this order, each after the parts it
// needs, and stop in the reverse order, so that a part may use those above it until it has
// stopped. A second signal ends all of this at once; the state is then as after SIGKILL, and the
// other instances take over.
func (i *instance) parts() []part {
	return []part{
		i.lockDirectory, // first, because a second server on the directory must not touch anything
		i.openTraces,    // before everything that they show, and sent at the end
		i.openStore,     // before Redis, because SQL has whether these users may be shown to the public
		i.addDemo,       // before any page can show a user; refuses a demonstration for the public
		i.startRedis,    // needs the lock; when it stops it writes its file, so its clients stop before
		i.openRaw,       // the guard's own client, which works while the gate is closed
		i.openGated,     // everything below reaches Redis through the gate
		i.makeStages,    // all stages and pages; nothing works yet
		i.sendDemo,      // needs the stages; done before a page shows them
		i.closeMailer,   // the lines to the mail server outlive the worker that uses them
		i.listenWeb,     // before anything works, so that a port in use is reported at once; its stop cuts connections that are left
		i.listenAdmin,   // likewise
		i.listenShop,    // likewise; its page has the address of the pages
		i.runGuard,      // everything below works behind its gate to the last
		i.limitMemory,   // before the work that needs memory
		i.flushAtStop,   // no inbox changes here any more: SQL gets the changes that it lacks
		i.closeNotices,  // delivery has ended: finishes work in hand, leaves the rest to others, gives leases back
		i.runWorkers,    // all end together, each after the work in hand
		i.serveShop,     // an application beside Carillon
		i.serveAdmin,    // metrics are there as long as pages are
		i.serveWeb,      // when it stops, running requests are answered and no more are accepted
		i.endStreams,    // before the servers, because http.Server does not track hijacked streams: each is sent bye, with the time to reconnect
		i.becomeUnready, // before them: /readyz fails, so that a proxy sends no new clients
		i.notifySystemd, // the last to start and the first to stop
	}
}

// Serve starts every part, calls announce once the server answers, and works until ctx ends or a
// worker fails. Then, or when a part cannot start, it stops those that have started.
func Serve(ctx context.Context, o Options, announce func(Address) error) (err error) {
	i := newInstance(o)
	for _, sentence := range i.cfg.Misspelt() {
		i.log.WarnContext(ctx, "setting without effect", "err", sentence)
	}
	var stops []func() error
	defer func() {
		for _, stop := range slices.Backward(stops) {
			err = errors.Join(err, stop())
		}
	}()
	for _, start := range i.parts() {
		stop, err := start(ctx)
		if err != nil && ctx.Err() != nil {
			return nil // it was stopped before it had started
		}
		if err != nil {
			return err
		}
		if stop != nil {
			stops = append(stops, stop)
		}
	}
	if err := announce(i.at); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		i.log.Info("stopping")
	case <-i.failed: // the stop of the workers returns the reason
	}
	return nil
}

func newInstance(o Options) *instance {
	i := &instance{
		cfg: o.Config, demo: o.Demo, id: o.Build, log: slog.New(newOnceEach(o.Log.Handler())), base: o.Log, target: o.Config.Redis,
		listeners: map[*http.Server]net.Listener{}, times: newHistograms(),
	}
	i.ready = newReadiness(i)
	return i
}

func (i *instance) runGuard(ctx context.Context) (func() error, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- i.guard.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}, nil
}

func (i *instance) limitMemory(context.Context) (func() error, error) {
	limitMemory(memlimit.FromCgroup, i.cfg.Redis.BuiltIn(), i.log)
	return nil, nil
}

func (i *instance) flushAtStop(ctx context.Context) (func() error, error) {
	return func() error {
		if err := within(ctx, i.unread.Flush); err != nil {
			i.log.WarnContext(ctx, "the last changes of inboxes are not in sql yet", "err", err)
		}
		return nil
	}, nil
}

func (i *instance) closeNotices(context.Context) (func() error, error) {
	return func() error { i.notices.Close(); return nil }, nil
}

func (i *instance) endStreams(ctx context.Context) (func() error, error) {
	return func() error {
		i.asks.Stop()
		if err := within(ctx, i.hub.Shutdown); err != nil {
			i.log.WarnContext(ctx, "streams were cut", "err", err)
		}
		return nil
	}, nil
}

func (i *instance) becomeUnready(context.Context) (func() error, error) {
	return func() error { i.stopping.Store(true); return nil }, nil
}
