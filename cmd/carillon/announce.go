package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

type announceCmd struct {
	Audience    []string `required:"" placeholder:"NAME" help:"An audience, such as customer; may be repeated."`
	Type        string   `default:"announcement" help:"The type of the announcement."`
	Title       string   `required:"" help:"One line."`
	Body        string   `help:"The text, in Markdown."`
	Link        string   `placeholder:"PATH" help:"A path, or https to a host of --link-hosts."`
	StartsAt    string   `placeholder:"TIME" help:"When it opens, such as 2026-12-01T09:00:00Z or '2026-12-01 09:00' in local time; default: at once."`
	EndsAt      string   `placeholder:"TIME" help:"When it closes; default: after the time of --keep."`
	Pinned      bool     `help:"Show it above the others, and on every page until it is read."`
	LateJoiners bool     `help:"Show it to users who join an audience after it opened, too."`
	Toast       bool     `help:"Also show it as a toast to users who are connected when it opens."`

	extrasFlags `embed:""`
}

// announced is an announcement as `announce` prints it.
type announced struct {
	ID         int64          `json:"id"`
	State      notifier.Phase `json:"state"`      // or notYetShown
	Recipients int64          `json:"recipients"` // users who would see it now
	StartsAt   time.Time      `json:"starts_at"`
	EndsAt     time.Time      `json:"ends_at"`
}

// notYetShown is the state of an announcement that a server has yet to show.
const notYetShown notifier.Phase = "accepted"

// Run stores the announcement in SQL, and shows it if Redis can be reached.
func (a announceCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	draft, err := a.draft(cfg)
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
		if err = errors.Join(explainAs(named(err, cfg), announceFlagOf), closeAll()); err != nil {
			return err
		}
		line := announced{n.ID, n.PhaseAt(time.Now()), sure.Recipients, n.StartsAt, n.EndsAt}
		if reason != nil {
			c.note("carillon: %s", trouble.Explain(trouble.Redis, trouble.OfRedis(reason), reason))
			line.State = notYetShown
			return c.result(line, "announcement %d: accepted for %s; a running server will show it", n.ID, people(sure.Recipients))
		}
		if line.State == notifier.PhaseScheduled {
			return c.result(line, "announcement %d: opens for %s at %s", n.ID, people(sure.Recipients), moment(n.StartsAt))
		}
		return c.result(line, "announcement %d: open for %s until %s", n.ID, people(sure.Recipients), moment(n.EndsAt))
	})
}

func (a announceCmd) draft(cfg config.Config) (notifier.Draft, error) {
	var bad config.Faults
	d := notifier.Draft{
		Type: a.Type, Title: a.Title, Body: a.Body, Link: a.Link, Toast: a.Toast, Sender: notifier.CommandRef("carillon announce"),
		Window: notifier.Window{
			StartsAt: momentOf(&bad, "--starts-at", a.StartsAt, cfg), EndsAt: momentOf(&bad, "--ends-at", a.EndsAt, cfg),
			Pinned: a.Pinned, LateJoiners: a.LateJoiners,
		},
	}
	d.Extras = a.extras(&bad)
	for _, name := range a.Audience {
		audience, err := cfg.AudienceOf(name)
		if err != nil {
			bad.Add("--audience", "%v", err)
		}
		d.Target.Audiences = append(d.Target.Audiences, audience)
	}
	return d, bad.Err()
}

// momentForms are the accepted formats of a time. A time without a zone is in the local zone of
// this machine.
var momentForms = []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05"}

// momentOf parses the time in a flag. An empty flag gives the zero time. A malformed one is added
// to bad.
func momentOf(bad *config.Faults, flag, s string, cfg config.Config) time.Time {
	if s == "" {
		return time.Time{}
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t
	}
	zone, err := config.Local(cfg.Lookup)
	if err != nil {
		bad.Add(flag, "%v; or give the time with its zone, such as 2026-12-01T09:00:00Z", err)
		return time.Time{}
	}
	t, err := notifier.ParseMoment(s, zone, momentForms)
	switch {
	case errors.Is(err, notifier.ErrSkippedHour):
		bad.Add(flag, "%q does not exist in %s: the hour is skipped when daylight saving begins", s, zone)
	case err != nil:
		bad.Add(flag, "%q is not a time, such as 2026-12-01T09:00:00Z or '2026-12-01 09:00'", s)
	}
	return t
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04 MST") }

// named replaces the numbers of audiences in an error by their names.
func named(err error, cfg config.Config) error {
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		return err
	}
	for _, f := range bad.Fields {
		number, ok := f.Params["Audience"].(int)
		if name := cfg.Audiences[notifier.Audience(number)]; ok && name != "" {
			f.Params["Audience"] = name
		}
	}
	return bad
}

func announceFlagOf(field string) string {
	if field == "to" || field == "target" {
		return "--audience"
	}
	if flag, ok := extraFlagOf(field); ok {
		return flag
	}
	return "--" + strings.ReplaceAll(field, "_", "-")
}
