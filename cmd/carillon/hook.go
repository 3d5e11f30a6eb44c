package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/hook"
	"github.com/carillonhq/carillon/store"
)

// testWait is how long hook test waits for a running server to send the test.
const testWait = 20 * time.Second

type hookCmd struct {
	Add    hookAddCmd    `cmd:"" help:"Add a webhook, and print its secret once."`
	List   hookListCmd   `cmd:"" help:"List webhooks by name."`
	Test   hookTestCmd   `cmd:"" help:"Have the running server send a test, and print what the receiver answered."`
	Rotate hookRotateCmd `cmd:"" help:"Replace the secret of a webhook, and print the new one once; the old one signs, too, for 24 hours."`
	On     hookOnCmd     `cmd:"" help:"Switch a webhook on again, and send what it has not received."`
	Remove hookRemoveCmd `cmd:"" help:"Remove a webhook with the events that wait for it."`
}

// hookLine is a webhook as commands print it.
type hookLine struct {
	ID           int64                `json:"id"`
	Name         string               `json:"name"`
	URL          string               `json:"url"`
	Events       []notifier.EventType `json:"events"`
	Off          notifier.HookOff     `json:"off,omitempty"`
	FailingSince time.Time            `json:"failing_since,omitzero"`
	Error        string               `json:"error,omitempty"`
	Waiting      int64                `json:"waiting"`
	Secret       string               `json:"secret,omitempty"` // only when it is created
}

func hookLineOf(h *notifier.Hook) hookLine {
	return hookLine{ID: h.ID, Name: h.Name, URL: h.URL, Events: h.Events, Off: h.Off, FailingSince: h.FailingSince, Error: h.Error, Waiting: h.Waiting}
}

// state describes whether the webhook works.
func (l *hookLine) state() string {
	switch {
	case l.Off == notifier.HookGone:
		return "off: its receiver answered 410"
	case l.Off != notifier.HookOn:
		return "off: failing since " + l.FailingSince.Format(time.DateTime) + ": " + l.Error
	case !l.FailingSince.IsZero():
		return "failing since " + l.FailingSince.Format(time.DateTime) + ": " + l.Error
	}
	return "on"
}

type hookAddCmd struct {
	Name  string   `arg:"" help:"What people and commands call it; each webhook has another name."`
	URL   string   `name:"url" required:"" placeholder:"URL" help:"Where events are sent: https, or http to an address that --outbound-allow names."`
	Event []string `required:"" placeholder:"TYPE" help:"A type of events, such as notice.sent; may be repeated. docs/webhooks.md lists them."`
}

// Run adds a webhook. The secret is printed, and cannot be shown again.
func (h hookAddCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	asked := notifier.Hook{Name: h.Name, URL: h.URL}
	for _, typ := range h.Event {
		asked.Events = append(asked.Events, notifier.EventType(typ))
	}
	return withHooks(ctx, cfg, func(_ *store.Store, hooks *hook.Hooks) error {
		added, secret, err := hooks.Add(ctx, commandLine(), asked)
		if invalid := (*notifier.InvalidError)(nil); errors.As(err, &invalid) {
			return usageError{explainAs(err, func(field string) string {
				switch field {
				case "events":
					return "--event"
				case "name":
					return "NAME"
				}
				return flagOf(field)
			})}
		}
		if err != nil {
			return err
		}
		return c.hookSecret(&added, secret)
	})
}

// hookSecret prints a new secret.
func (c *console) hookSecret(h *notifier.Hook, secret string) error {
	line := hookLineOf(h)
	line.Secret = secret
	err := c.result(line, "%s", secret)
	if err == nil && !c.json {
		c.note("webhook %d, %s, is signed with this secret; it is not shown again", h.ID, h.Name)
	}
	return err
}

type hookListCmd struct{}

// Run prints all webhooks.
func (hookListCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		all, err := db.Hooks(ctx)
		if err != nil {
			return err
		}
		for i := range all {
			l := hookLineOf(&all[i])
			events := make([]string, len(l.Events))
			for k, typ := range l.Events {
				events[k] = string(typ)
			}
			if err := c.result(l, "%d\t%s\t%s\t%s\t%d waiting\t%s", l.ID, l.Name, l.URL, strings.Join(events, ","), l.Waiting, l.state()); err != nil {
				return err
			}
		}
		return nil
	})
}

type hookNamed struct {
	Name string `arg:"" help:"The name that hook list shows."`
}

// with opens SQL for a command about one webhook.
func (n hookNamed) with(ctx context.Context, cfg config.Config, work func(*store.Store, *hook.Hooks, notifier.Hook) error) error {
	return withHooks(ctx, cfg, func(db *store.Store, hooks *hook.Hooks) error {
		h, err := db.HookNamed(ctx, n.Name)
		if err != nil {
			return missed(err, "webhook %s", n.Name)
		}
		return work(db, hooks, h)
	})
}

type hookTestCmd struct{ hookNamed }

// hookTried is the result of a test as hook test prints it.
type hookTried struct {
	ID     string                  `json:"id"`
	State  notifier.HookEventState `json:"state"`
	Status int                     `json:"status"`
	Error  string                  `json:"error,omitempty"`
}

var errUntried = errors.New("the test is stored, and no server has sent it yet: is one running?")

// Run stores a test, and waits until a server has tried to send it. It fails unless the receiver accepted it.
func (t hookTestCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return t.with(ctx, cfg, func(db *store.Store, hooks *hook.Hooks, h notifier.Hook) error {
		e, err := hooks.Test(ctx, commandLine(), h.ID)
		if err != nil {
			return missed(err, "webhook %s", h.Name)
		}
		ctx, cancel := context.WithTimeout(ctx, testWait)
		defer cancel()
		look := time.NewTicker(testWait / 100)
		defer look.Stop()
		for e.State == notifier.HookWaiting && e.Error == "" {
			select {
			case <-look.C:
			case <-ctx.Done():
				return errUntried
			}
			if e, err = db.HookEvent(ctx, e.N); err != nil {
				return err
			}
		}
		if e.State != notifier.HookDelivered {
			return errors.New("not accepted: " + e.Error + "; it is tried again")
		}
		return c.result(hookTried{e.ID, e.State, e.Status, e.Error}, "accepted: %d", e.Status)
	})
}

type hookRotateCmd struct{ hookNamed }

// Run replaces the secret and prints the new one.
func (r hookRotateCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return r.with(ctx, cfg, func(_ *store.Store, hooks *hook.Hooks, h notifier.Hook) error {
		h, secret, err := hooks.Rotate(ctx, commandLine(), h.ID)
		if err != nil {
			return err
		}
		return c.hookSecret(&h, secret)
	})
}

type hookOnCmd struct{ hookNamed }

// Run switches a webhook on.
func (o hookOnCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return o.with(ctx, cfg, func(_ *store.Store, hooks *hook.Hooks, h notifier.Hook) error {
		h, err := hooks.SwitchOn(ctx, commandLine(), h.ID)
		if err != nil {
			return err
		}
		return c.result(hookLineOf(&h), "webhook %d, %s, is on", h.ID, h.Name)
	})
}

type hookRemoveCmd struct{ hookNamed }

// Run removes a webhook.
func (r hookRemoveCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return r.with(ctx, cfg, func(_ *store.Store, hooks *hook.Hooks, h notifier.Hook) error {
		h, err := hooks.Remove(ctx, commandLine(), h.ID)
		if err != nil {
			return err
		}
		return c.result(hookLineOf(&h), "webhook %d, %s, is removed", h.ID, h.Name)
	})
}

// withHooks opens SQL for a command that changes webhooks.
func withHooks(ctx context.Context, cfg config.Config, work func(*store.Store, *hook.Hooks) error) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		hooks, err := instance.NewHooks(cfg, db, nil)
		if err != nil {
			return err
		}
		return work(db, hooks)
	})
}
