package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/doctor"
	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/ask"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/notifier/task"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// The lives of leases: if the instance that does the work dies, another takes over after this time.
const (
	announcementsLease = 2 * time.Second  // opening and closing announcements
	peopleLease        = 2 * time.Second  // publishing changes of users
	topicLease         = 10 * time.Second // repairing the sets of subscribers
	toastLease         = 20 * time.Second // clearing old toasts
	askLease           = 3 * time.Second  // ending questions whose time is up
	taskLease          = 3 * time.Second  // passing on tasks that nobody takes
)

// pageWait is how long the page after sending waits for the delivery.
const pageWait = 2 * time.Second

// noticesConfig returns the configuration of the Notices of this instance.
func (i *instance) noticesConfig() notices.Config {
	return notices.Config{
		Store: i.db, Redis: i.rdb, Keys: keys.New(i.cfg.RedisPrefix), Inbox: i.inbox, Router: route.New(i.db, i.topics), Types: i.topics,
		Announcements: i.announcements, Hub: i.hub, Unread: i.unread, Toasts: i.toasts, Traces: i.traces, App: i.tokens.Sender, Sites: i.tokens.Sites, Log: i.log, Limits: limits(i.cfg, i.topics), Wait: pageWait,
		Away: func() bool { return !gate{i.guard}.Open() }, Clock: i.guard.Clock,
		Written: func(took time.Duration) { i.times.written.Observe(max(0, took).Seconds()) },
	}
}

// limits returns the limits that drafts are checked against.
func limits(cfg config.Config, t *topic.Topics) notifier.Limits {
	return notifier.Limits{
		LinkHosts: cfg.LinkHosts, ImageHosts: cfg.ImageHosts, Keep: cfg.Keep, Toast: cfg.ToastRetention, Audiences: cfg.AudienceNumbers(), Expiry: t.Expiry,
	}
}

// announcementOptions returns the options of announcements.
func announcementOptions(cfg config.Config, log *slog.Logger) announcement.Options {
	return announcement.Options{MaxSeq: cfg.MaxSeq, Audiences: cfg.AudienceNumbers(), Log: log}
}

func (i *instance) makeStages(ctx context.Context) (func() error, error) {
	signing, err := i.cfg.SigningKeys()
	if err != nil {
		return nil, err
	}
	space := keys.New(i.cfg.RedisPrefix)
	i.inbox = inbox.New(i.rdb, space, inbox.Options{Cap: i.cfg.InboxCap, SQL: i.db, Log: i.log})
	i.unread = behind.NewFlusher(behind.FlusherConfig{
		Inbox: reads{i.inbox, i.times}, Store: saves{i.db, i.times}, Redis: i.rdb, Keys: space, Log: i.log,
		Leases: lease.On(i.rdb, space),
		Oldest: func(ctx context.Context) (time.Time, bool, error) { return i.notices.OnItsWay(ctx) }, // made below
	})
	announcements := announcementOptions(i.cfg, i.log)
	announcements.Lease = lease.New(i.rdb, space, "announcements", announcementsLease)
	i.announcements = announcement.New(i.rdb, space, i.db, announcements)
	place := session.Place{Secure: i.cfg.Secure(), Path: i.cfg.Path(), Port: i.cfg.Port()}
	i.sessions = session.New(session.Config{
		Keys: signing, SQL: i.db, Redis: i.rdb, Space: space, Log: i.log, Place: place,
		Announcements: i.announcements, Lease: lease.New(i.rdb, space, "people", peopleLease),
	})
	i.signIns = session.NewSignIns(session.SignInConfig{Users: i.db, Keys: signing, Redis: i.rdb, Space: space, Log: i.log, Place: place})
	i.slips = session.NewSlips(signing, place.Secure, time.Now)
	i.toasts = toast.New(i.rdb, space, toast.Options{
		Retention: i.cfg.ToastRetention, Log: i.log, Lease: lease.New(i.rdb, space, "toasts", toastLease),
	})
	if i.tokens, err = NewVerifier(i.cfg, i.db, i.log); err != nil {
		return nil, fmt.Errorf("prepare the verification of tokens: %w", err)
	}
	if i.links, err = links.New(linksBase(&i.cfg), signing); err != nil {
		return nil, err
	}
	i.hub = live.New(live.Config{
		Redis: i.rdb, Keys: space, Toasts: i.toasts, Announcements: unreadReports{i.announcements}, Badges: notices.Badges{Inbox: i.inbox, Announcements: i.announcements}, Sessions: app.Streams{Sessions: i.sessions, Users: i.db, Verifier: i.tokens},
		Health: gate{i.guard}, Path: i.cfg.Path(), App: i.tokens.LastLook, Look: func(typ string) notifier.Look { return i.topics.Look(typ) }, Audiences: i.cfg.AudienceNumbers(), Heard: i.times.heard, Log: i.log,
	})
	i.topics = topic.New(i.rdb, space, i.db, topic.Options{
		Keep: i.cfg.Keep, Log: i.log, Lease: lease.New(i.rdb, space, "topics", topicLease),
	})
	if i.receipts, err = i.makeReceipts(ctx); err != nil {
		return nil, err
	}
	i.notices = notices.New(i.noticesConfig())
	i.asks = ask.New(ask.Config{Store: i.db, NoticeOf: i.inbox.NoticeOf, Lease: lease.New(i.rdb, space, "ask", askLease), Ended: i.notices.Wake, Log: i.log})
	i.tasks = task.New(task.Config{Store: i.db, NoticeOf: i.inbox.NoticeOf, Pass: i.notices.PassOn, Lease: lease.New(i.rdb, space, "task", taskLease), Follow: i.notices.Follow, Log: i.log})
	if err := i.makeReach(ctx, space); err != nil {
		return nil, err
	}
	if err := i.makeHooks(space); err != nil {
		return nil, err
	}
	i.makePeople(space)
	if err := i.makeRules(space); err != nil {
		return nil, err
	}
	if err := i.openGate(ctx); errors.Is(err, guard.ErrClock) {
		return nil, err // the operator is watching now, and can set the clock
	} else if err != nil && i.guard.Fault() == nil { // otherwise the guard has said why
		i.log.Warn("redis cannot be used yet", "err", err)
	}
	if err := i.topics.Load(ctx); err != nil {
		return nil, err
	}
	pages, err := i.pages()
	if err != nil {
		return nil, err
	}
	applications, err := i.applications()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+doctor.ProbePath, doctor.Probe(signing, time.Now, live.Trickle, pages))
	mux.Handle("/api/v1/", applications)
	mux.Handle("/", pages)
	i.web = server(i.cfg.StrictTransport(web.Mount(i.cfg.Path(), mux, "/healthz", "/readyz")), i.log)
	return nil, nil
}

// openGate has the guard check Redis, and loads all scripts. If that fails, it is done when Redis
// comes back.
func (i *instance) openGate(ctx context.Context) error {
	if err := i.guard.Check(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pingWait)
	defer cancel()
	return errors.Join(i.inbox.Load(ctx), i.announcements.Load(ctx), i.toasts.Load(ctx))
}

// gate reports to the hub whether Redis may be used, and by Changed that this has changed.
type gate struct{ *guard.Guard }

// Open reports whether Redis may be used now.
func (g gate) Open() bool { return g.State() == guard.Open }

// LoadRules reads the configured file. If single rules have faults, it returns the set of rules with an
// error that lists the faults; if the file cannot be read at all, the set is nil.
func LoadRules(cfg config.Config) (*rule.Set, error) {
	text, err := os.ReadFile(cfg.Rules)
	if err != nil {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	set, err := rule.Parse(text, cfg.Lookup)
	if err != nil {
		return set, fmt.Errorf("%s: %w", cfg.Rules, err)
	}
	return set, nil
}

// makeRules makes the runner of the configured rules, and the reader of the outboxes. One with a fault does not run, and the
// others do. A file that cannot be read is an error.
func (i *instance) makeRules(space keys.Space) error {
	if i.cfg.Rules == "" {
		return nil
	}
	set, err := LoadRules(i.cfg)
	if set == nil {
		return err
	}
	if err != nil {
		i.log.Error("some rules or outboxes cannot run", "stage", "rule", "err", err)
	}
	i.rules = rule.New(rule.Config{
		Rules: set, Store: i.db, Sender: i.notices, Limits: limits(i.cfg, i.topics), Log: i.log,
		Leases: lease.On(i.rdb, space),
	})
	if boxes := boxesOf(set); len(boxes) > 0 {
		i.outboxes = i.newOutboxes(boxes)
	}
	return nil
}

// NewRuleChecker makes a runner that only checks rules. It needs no Redis.
func NewRuleChecker(ctx context.Context, cfg config.Config, set *rule.Set, db *store.Store, log *slog.Logger) (*rule.Runner, error) {
	// Notice types are in SQL. Topics would log that Redis is away, which does not matter here.
	topics := topic.New(nowhere(config.ErrNoRedis), keys.New(cfg.RedisPrefix), db, topic.Options{Keep: cfg.Keep, Log: slog.New(slog.DiscardHandler)})
	if err := topics.Load(ctx); err != nil {
		return nil, err
	}
	return rule.New(rule.Config{Rules: set, Store: db, Limits: limits(cfg, topics), Log: log}), nil
}
