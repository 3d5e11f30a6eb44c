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
	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/inbox"
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
		Asks:     i.asks,
		Tasks:    i.tasks,

		Announcements: i.announcements,

		Archive: handlers.Archive{Inbox: &inbox.Archive{SQL: i.db}, Announcements: &announcement.Archive{SQL: i.db}},

		Sender:  i.notices,
		Sent:    i.db,
		Unread:  unread{i.db.Recipients, i.inbox.UnreadOf, i.db.UserNames, time.Now},
		Stream:  streams{i.hub, i.looking},
		Health:  i.ready,
		Audit:   i.db,
		Links:   i.links,
		Mailing: i.mailer != nil || i.outbox != nil,

		Store:   i.db,
		People:  i.people,
		Topics:  i.topics,
		Apps:    apps,
		Tokens:  i.tokens,
		APIKeys: app.APIKeys{Store: i.db, Changed: i.tokens.Changed},
		Hooks:   i.hooks,

		Receptions: i.receptions(),

		Slips: i.slips,
		Mails: i.outbox,
		Rules: i.rules,
		Build: i.id,

		Audiences:      i.cfg.Audiences,
		TrustedProxies: i.cfg.TrustedProxies,
		PasswordsOff:   i.cfg.PasswordsOff,
		LinkBase:       i.cfg.LinkBase,
		LinkHosts:      i.cfg.LinkHosts,
		ImageHosts:     i.cfg.ImageHosts,
		Keep:           i.cfg.Keep,
		Served:         i.requestServed,
		Traced:         i.traced(false), // anybody may request pages, but not spans
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
	if i.devices != nil {
		c.Devices = i.devices
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
		Who: i.who, Tokens: i.tokens, Stream: streams{i.hub, i.looking},
		Store: i.db, Notices: i.notices, Asks: i.asks, Tasks: i.tasks, Receptions: i.receptions(), Receipts: i.receipts, Inbox: i.inbox, Announcements: i.announcements, Topics: i.topics, People: i.people, Accounts: i.accounts(), Apps: apps, Hooks: i.hooks,
		Audit: i.db, TrustedProxies: i.cfg.TrustedProxies,
		Path: i.cfg.Path(), Audiences: i.cfg.Audiences, LinkHosts: i.cfg.LinkHosts, ImageHosts: i.cfg.ImageHosts, Mailing: i.mailer != nil || i.outbox != nil, Pushing: i.devices != nil, Rate: i.cfg.APIRate, UserRate: api.UserRate, Demo: i.demo, Served: i.requestServed, Traced: i.traced(true), Log: i.log,
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
func (i *instance) accounts() identity.Accounts {
	return identity.Accounts{People: i.people, Sessions: i.sessions, SignIns: i.signIns, Users: i.db, PasswordsOff: i.cfg.PasswordsOff}
}

// unreadReports reports to the hub whether announcements are unread.
type unreadReports struct{ announcements *announcement.Announcements }

// Unread is false for an announcement that the reader does not see: it has ended, or is for others.
func (p unreadReports) Unread(ctx context.Context, r notifier.Reader, id int64) (bool, error) {
	post, err := p.announcements.Find(ctx, r, id)
	if errors.Is(err, notifier.ErrNotFound) {
		return false, nil
	}
	return err == nil && !post.Read, err
}
