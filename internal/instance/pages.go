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
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

// pages makes the handler of the pages.
func (i *instance) pages() (http.Handler, error) {
	apps, err := NewApps(i.cfg, i.db, i.tokens.Changed)
	if err != nil {
		return nil, fmt.Errorf("prepare the changes of apps: %w", err)
	}
	c := handlers.Config{
		Who:      i.who,
		Sessions: i.sessions,
		SignIns:  i.signIns,
		Accounts: i.accounts(),
		Inbox:    i.inbox,

		Announcements: i.announcements,

		DeadLetters: deadLetters{i.db, i.notices},
		Archive:     handlers.Archive{Inbox: &inbox.Archive{SQL: i.db}, Announcements: &announcement.Archive{SQL: i.db}},

		Sender:    i.notices,
		Directory: i.db,
		Unread:    unread{i.db.Recipients, i.inbox.UnreadOf, i.db.UserNames, time.Now},
		Drafts:    i.db,
		Stream:    streams{i.hub, i.looking},
		Toasts:    i.people,
		Health:    i.ready,
		Audit:     i.db,
		Settings:  settings{i.people, i.db},
		Reach:     tellings{i.people, i.db},
		Links:     i.links,
		Places:    places{i.db, i.tokens},
		Mailing:   i.mailer != nil || i.outbox != nil,

		Topics:        i.topics,
		Subscriptions: i.db,
		Roles:         roles{i.people, i.db},
		Apps:          apps,
		Keys:          i.db,
		KeyRevoked:    i.tokens.Changed,
		NewKey:        api.NewKey,
		Slips:         i.slips,
		Build:         i.id,

		Audiences:      i.cfg.Audiences,
		TrustedProxies: i.cfg.TrustedProxies,
		PasswordsOff:   i.cfg.PasswordsOff,
		LinkBase:       i.cfg.LinkBase,
		LinkHosts:      i.cfg.LinkHosts,
		AppNamed:       i.tokens.Named,
		Sites:          i.tokens.Sites,
		Keep:           i.cfg.Keep,
		Served:         i.requestServed,
		Traced:         i.traced(false), // anybody may ask for pages, and nobody for spans
		Log:            i.log,
	}
	if i.cfg.PublicURL != nil {
		c.PublicURL = i.cfg.PublicURL.String()
	}
	if i.cfg.OIDC != nil {
		found, err := NewProvider(&i.cfg, i.log)
		if err != nil {
			return nil, err
		}
		c.Provider = provider{found, i.people, i.sessions, i.cfg.OIDC.Audience}
	}
	if i.rules != nil {
		c.Rules = i.rules
	}
	if i.devices != nil {
		c.Devices = i.devices
	}
	if i.outbox != nil {
		c.Mails = i.outbox
	}
	if i.demo {
		c.Shop = func() string { return i.at.Shop }
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

// applications makes the handler of the API.
func (i *instance) applications() (http.Handler, error) {
	apps, err := NewApps(i.cfg, i.db, i.tokens.Changed)
	if err != nil {
		return nil, fmt.Errorf("prepare the changes of apps: %w", err)
	}
	c := api.Config{
		Who: i.who, Origins: i.tokens, Stream: streams{i.hub, i.looking},
		Keys: i.db, KeyChanges: i.tokens.Changes, Sender: i.notices, Inbox: i.inbox, Announcements: i.announcements, Topics: i.topics, Toasts: i.notices,
		Directory: i.db, People: i.people, Accounts: i.accounts(), Apps: apps,
		Audit: i.db, TrustedProxies: i.cfg.TrustedProxies,
		Path: i.cfg.Path(), Audiences: i.cfg.Audiences, LinkHosts: i.cfg.LinkHosts, AppNamed: i.tokens.Named, Mailing: i.mailer != nil || i.outbox != nil, Pushing: i.devices != nil, Rate: i.cfg.APIRate, UserRate: api.UserRate, Demo: i.demo, Served: i.requestServed, Traced: i.traced(true), Log: i.log,
	}
	if i.cfg.PublicURL != nil {
		c.PublicURL = i.cfg.PublicURL.String()
	}
	h, err := api.New(c)
	if err != nil {
		return nil, fmt.Errorf("prepare the api: %w", err)
	}
	return h, nil
}

// accounts is what users do with their own sessions and passwords.
func (i *instance) accounts() session.Accounts {
	return session.Accounts{People: i.people, Sessions: i.sessions, SignIns: i.signIns, Users: i.db, PasswordsOff: i.cfg.PasswordsOff}
}

// settings reads from SQL, and changes through people.
type settings struct {
	*person.People
	db *store.Store
}

// Mutes lists the types that a user has muted.
func (s settings) Mutes(ctx context.Context, seq int64) ([]string, error) {
	return s.db.Mutes(ctx, seq)
}

// tellings ends the telling of targets.
type tellings struct {
	*person.People
	db *store.Store
}

// MailOf returns the mail address of a user, and whether it is told.
func (t tellings) MailOf(ctx context.Context, seq int64) (notifier.Mailbox, error) {
	return t.db.MailOf(ctx, seq)
}

// MailFaults returns which of these users have a mail address that is dead or failing.
func (t tellings) MailFaults(ctx context.Context, seqs []int64) (map[int64]notifier.ReachState, error) {
	return t.db.MailFaults(ctx, seqs)
}

// roles reads from SQL, and changes through people.
type roles struct {
	*person.People
	db *store.Store
}

// RolesPage lists roles by name.
func (r roles) RolesPage(ctx context.Context, q notifier.RoleQuery) ([]notifier.RoleInfo, error) {
	return r.db.RolesPage(ctx, q)
}

// Role returns the role with this name.
func (r roles) Role(ctx context.Context, name string) (notifier.RoleInfo, error) {
	return r.db.Role(ctx, name)
}

// deadLetters reads from SQL, and replays through Notices.
type deadLetters struct {
	*store.Store
	notices *notices.Notices
}

// Replay puts a dead letter into the intake again.
func (d deadLetters) Replay(ctx context.Context, id int64) error { return d.notices.Replay(ctx, id) }

// Discard deletes a dead letter.
func (d deadLetters) Discard(ctx context.Context, id int64) error { return d.notices.Discard(ctx, id) }

// health checks SQL and Redis for /readyz.
// unreadReports tells the hub whether announcements are unread.
type unreadReports struct{ announcements *announcement.Announcements }

// Unread is false for an announcement that the reader does not see: it has ended, or is for others.
func (p unreadReports) Unread(ctx context.Context, r notifier.Reader, id int64) (bool, error) {
	post, err := p.announcements.Find(ctx, r, id)
	if errors.Is(err, notifier.ErrNotFound) {
		return false, nil
	}
	return err == nil && !post.Read, err
}
