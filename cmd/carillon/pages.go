package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/pipeline"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

// pages joins the pages to what is behind them.
func (i *instance) pages(space keys.Space, demo bool) (http.Handler, error) {
	c := handlers.Config{
		Sessions: i.sessions,
		Gate:     session.NewGate(session.GateConfig{Users: i.db, Redis: i.rdb, Space: space}),
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
		Roles:         staffRoles{i.db, i.sessions},
		Keys:          i.db,
		NewKey:        api.NewKey,
		Build:         buildID(),

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
	if demo {
		for _, u := range demoUsers() {
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

// Serve answers with a user's stream. A refusal says when to try again.
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

// preferences keeps what a user chooses and shows it from his next page on.
type preferences struct {
	*store.Store
	sessions *session.Store
	toasts   *toast.Toasts
}

// SetSettings writes to SQL, and has the copies of his sessions read again. Streams that
// are open hear whether he wants toasts.
func (p preferences) SetSettings(ctx context.Context, seq int64, set notifier.Settings) error {
	if err := p.Store.SetSettings(ctx, seq, set); err != nil {
		return err
	}
	if err := p.sessions.Refresh(ctx, seq); err != nil {
		return err
	}
	return p.toasts.Signal(ctx, seq, notifier.Signal{Kind: notifier.SignalSwitch, On: !set.ToastsOff})
}

// staffRoles changes who is in which role, and has the copies of his sessions read
// again: who is no longer of the staff sees none of its pages from the next one on.
type staffRoles struct {
	*store.Store
	sessions *session.Store
}

// AddRole makes a user a member.
func (r staffRoles) AddRole(ctx context.Context, name, role string) error {
	return r.refreshed(ctx, name, r.Store.AddRole(ctx, name, role))
}

// RemoveRole takes a user out.
func (r staffRoles) RemoveRole(ctx context.Context, name, role string) error {
	return r.refreshed(ctx, name, r.Store.RemoveRole(ctx, name, role))
}

// refreshed passes on what became of a change. When nobody can be told, the copies
// live for their minute.
func (r staffRoles) refreshed(ctx context.Context, name string, changed error) error {
	if changed != nil {
		return changed
	}
	if u, err := r.UserByName(ctx, name); err == nil {
		_ = r.sessions.Refresh(ctx, u.Seq)
	}
	return nil
}

// deadLetters are read from SQL, and replayed by the pipeline.
type deadLetters struct {
	*store.Store
	pipe *pipeline.Pipeline
}

// Replay puts one into the intake again.
func (d deadLetters) Replay(ctx context.Context, id int64) error { return d.pipe.Replay(ctx, id) }

// Discard forgets one.
func (d deadLetters) Discard(ctx context.Context, id int64) error { return d.pipe.Discard(ctx, id) }

// health is what an instance stands on.
type health struct{ i *instance }

var errStopping = errors.New("this instance is stopping")

// SQL says whether pages work. When the instance stops they soon will not, and
// a proxy is to know that before.
func (h health) SQL(ctx context.Context) error {
	if h.i.stopping.Load() {
		return errStopping
	}
	return h.i.db.Ping(ctx)
}

// Redis says whether pages are more than read-only.
func (h health) Redis(ctx context.Context) error { return h.i.rdb.Ping(ctx).Err() }
