package main

import (
	"context"
	"errors"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

type sendCmd struct {
	To        []string `placeholder:"NAME" help:"A user; may be repeated."`
	Role      string   `placeholder:"ROLE" help:"Every member of a role."`
	Topic     string   `placeholder:"TYPE" help:"All subscribers of this type and --scope."`
	Type      string   `help:"The type of the notice, such as like; the first use creates it. Default: message, or the type of the topic."`
	Scope     string   `help:"The scope of the topic, such as a warehouse."`
	Subject   string   `help:"The subject: a second notice of the same type and subject moves the row up instead of adding one."`
	Title     string   `required:"" help:"One line."`
	Body      string   `help:"The text, if the title is not enough."`
	Link      string   `placeholder:"PATH" help:"A path, or https to a host of --link-hosts."`
	At        string   `placeholder:"TIME" help:"When to send it, such as 2026-12-01T09:00:00Z or '2026-12-01 09:00' in local time; default: at once."`
	ExpiresIn string   `placeholder:"TIME" help:"When it leaves inboxes, such as 30m, 72h or 7d."`
	Toast     bool     `help:"Also show it as a toast."`

	actorFlags  `embed:""`
	extrasFlags `embed:""`
}

// sent is a notice as `send` prints it.
type sent struct {
	ID         int64          `json:"id"`
	State      notifier.State `json:"state"`
	Recipients int64          `json:"recipients"`
}

// Run stores the notice in SQL, and delivers it if Redis can be reached.
func (s sendCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	draft, err := s.draft(cfg)
	if err != nil {
		return usageError{err}
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		p, closeAll, reason := instance.NewSender(ctx, cfg, db, c.log)
		sure, err := p.Confirm(ctx, draft)
		var n notifier.Notice
		if err == nil {
			n, err = p.Send(ctx, notifier.Actor{Ref: draft.Sender}, sure, nil)
		}
		if ctx.Err() != nil {
			err = errors.Join(err, closeAll()) // pending commands end with their client
		}
		p.Close()
		if err = errors.Join(explainAs(err, s.flagOf), closeAll()); err != nil {
			return err
		}
		line := sent{n.ID, n.State, n.Recipients}
		if n.State == notifier.StateScheduled {
			line.Recipients = sure.Recipients
			return c.result(line, "notice %d: a running server will send it at %s, to %s as of now", n.ID, moment(n.SendAt), people(line.Recipients))
		}
		if n.State == notifier.StateSent {
			return c.result(line, "notice %d: sent to %s", n.ID, people(n.Recipients))
		}
		if reason != nil {
			c.note("carillon: %s", trouble.Explain(trouble.Redis, trouble.OfRedis(reason), reason))
		}
		return c.result(line, "notice %d: accepted for %s; a running server will deliver it", n.ID, people(n.Recipients))
	})
}

func (s sendCmd) draft(cfg config.Config) (notifier.Draft, error) {
	d := notifier.Draft{
		Target: notifier.Target{Users: s.To, Role: s.Role}, Type: s.Type, Scope: s.Scope, Subject: s.Subject,
		Title: s.Title, Body: s.Body, Link: s.Link, Toast: s.Toast, Sender: notifier.CommandRef("carillon send"),
	}
	var bad config.Faults
	given := 0
	for _, is := range []bool{len(s.To) > 0, s.Role != "", s.Topic != ""} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		bad.Add("--to, --role, --topic", "give one of them, to say who gets it")
	case given > 1:
		bad.Add("--to, --role, --topic", "give one of them, not more")
	}
	if s.Topic != "" {
		d.Target.Topic = notifier.Topic{Type: s.Topic, Scope: s.Scope}
	}
	d.Extras = s.extras(&bad)
	d.Extras.Actor = s.actor()
	d.SendAt = momentOf(&bad, "--at", s.At, cfg)
	if s.ExpiresIn == "" {
		return d, bad.Err()
	}
	d.ExpiresIn = bad.Span("--expires-in", s.ExpiresIn, time.Second)
	return d, bad.Err()
}

// flagOf returns the flag that sets a field of the notice.
func (s sendCmd) flagOf(field string) string {
	to := field == "to" || field == "target"
	if flag, ok := extraFlagOf(field); ok {
		return flag
	}
	switch {
	case to && s.Role != "":
		return "--role"
	case s.Topic != "" && (to || field == "type" && s.Type == ""):
		return "--topic"
	case to:
		return "--to"
	case field == "send_at":
		return "--at"
	default:
		return flagOf(field)
	}
}

func people(n int64) string {
	if n == 1 {
		return "1 user"
	}
	return number(n) + " users"
}
