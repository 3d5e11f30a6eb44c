package instance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/internal/demo"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

// pages makes the handler of the pages.
func (i *instance) pages() (http.Handler, error) {
	c := handlers.Config{
		Sessions: i.sessions,
		Gate:     i.signIns,
		Inbox:    i.inbox,

		Announcements: i.board,

		DeadLetters: deadLetters{i.db, i.pipe},
		Archive:     handlers.Archive{Inbox: &inbox.Archive{SQL: i.db}, Announcements: &announcement.Archive{SQL: i.db}},

		Sender:    i.pipe,
		Directory: i.db,
		Stream:    streams{i.hub},
		Toasts:    popups{i.toasts, i.hub},
		Health:    health{i},
		Audit:     i.db,
		Settings:  preferences{i.db, i.sessions, i.toasts},

		Topics:        i.topics,
		Subscriptions: i.db,
		Roles:         i.directory(),
		Keys:          i.db,
		NewKey:        api.NewKey,
		Slips:         i.slips,
		Build:         i.id,

		Audiences:      i.cfg.Audiences,
		TrustedProxies: i.cfg.TrustedProxies,
		LinkHosts:      i.cfg.LinkHosts,
		Keep:           i.cfg.Keep,
		Log:            i.log,
	}
	if i.cfg.PublicURL != nil {
		c.PublicURL = i.cfg.PublicURL.String()
	}
	if i.rules != nil {
		c.Rules = i.rules
	}
	if i.demo {
		for _, u := range demo.Users() {
			c.Demo = append(c.Demo, handlers.DemoUser{
				Name: u.Name, Password: u.Password, Staff: slices.Contains(u.Roles, notifier.RoleStaff),
			})
		}
	}
	h, err := handlers.New(c)
	if err != nil {
		return nil, fmt.Errorf("prepare the pages: %w", err)
	}
	return h.Handler(), nil
}

// streams lets pages open streams of the hub.
type streams struct{ hub *live.Hub }

// Serve answers with a user's stream. If there are too many, the error says when to try again.
func (s streams) Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, of handlers.StreamOf) error {
	err := s.hub.Serve(w, r, live.Client{
		Seq: who.Seq, Audience: who.Audience, Session: of.Session, Visible: of.Visible, ToastsOff: of.ToastsOff,
	})
	var busy *live.BusyError
	if errors.As(err, &busy) && errors.Is(err, notifier.ErrTooMany) {
		return &notifier.TooManyError{RetryAfter: busy.RetryAfter}
	}
	return err
}

// preferences saves a user's settings, which hold from their next page on.
type preferences struct {
	*store.Store
	sessions *session.Store
	toasts   *toast.Toasts
}

// SetSettings writes to SQL, and has the cached copies of the user's sessions read again. It tells
// open streams whether the user wants toasts.
func (p preferences) SetSettings(ctx context.Context, seq int64, set notifier.Settings) error {
	if err := p.Store.SetSettings(ctx, seq, set); err != nil {
		return err
	}
	if err := p.sessions.Refresh(ctx, seq); err != nil {
		return err
	}
	return p.toasts.Signal(ctx, seq, notifier.Signal{Kind: notifier.SignalSwitch, On: !set.ToastsOff})
}

// deadLetters reads from SQL, and replays through the pipeline.
type deadLetters struct {
	*store.Store
	pipe *pipeline.Pipeline
}

// Replay puts a dead letter into the intake again.
func (d deadLetters) Replay(ctx context.Context, id int64) error { return d.pipe.Replay(ctx, id) }

// Discard deletes a dead letter.
func (d deadLetters) Discard(ctx context.Context, id int64) error { return d.pipe.Discard(ctx, id) }

// health checks SQL and Redis for /readyz.
type health struct{ i *instance }

var errStopping = errors.New("this instance is stopping")

// SQL returns an error if pages do not work. It does so too when the instance begins to stop, so that
// a proxy learns of it before.
func (h health) SQL(ctx context.Context) error {
	if h.i.stopping.Load() {
		return errStopping
	}
	return h.i.db.Ping(ctx)
}

// Redis returns an error if pages are read-only.
func (h health) Redis(ctx context.Context) error { return h.i.rdb.Ping(ctx).Err() }

// posts tells the hub whether announcements are unread.
type posts struct{ board *announcement.Board }

// Unread is false for an announcement that the reader does not see: it has ended, or is for others.
func (p posts) Unread(ctx context.Context, r notifier.Reader, id int64) (bool, error) {
	post, err := p.board.Find(ctx, r, id)
	if errors.Is(err, notifier.ErrNotFound) {
		return false, nil
	}
	return err == nil && !post.Read, err
}

// popups receives the reports of browsers about toasts.
type popups struct {
	toasts *toast.Toasts
	hub    *live.Hub
}

// Ack settles toasts that a browser has shown. The hub forgets them too, even if they are gone already.
func (p popups) Ack(ctx context.Context, seq int64, ids []string) error {
	err := p.toasts.Ack(ctx, seq, ids)
	if err == nil || errors.Is(err, notifier.ErrNotFound) {
		p.hub.Acked(seq, ids)
	}
	return err
}

// Active tells all instances which browser the user looks at.
func (p popups) Active(ctx context.Context, seq int64, session string, visible bool) error {
	return p.toasts.Signal(ctx, seq, notifier.Signal{
		Kind: notifier.SignalSeen, Browser: notifier.Browser(session), On: visible, At: time.Now().UnixMilli(),
	})
}
