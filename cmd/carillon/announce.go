package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

type announceCmd struct {
	Audience    []string `required:"" placeholder:"NAME" help:"An audience, such as customer; may be repeated."`
	Type        string   `default:"announcement" help:"What kind of announcement."`
	Title       string   `required:"" help:"One line."`
	Body        string   `help:"More, in Markdown."`
	Link        string   `placeholder:"PATH" help:"A path, or https to a host of --link-hosts."`
	StartsAt    string   `placeholder:"TIME" help:"When it opens, such as 2026-12-01T09:00:00Z or '2026-12-01 09:00' here; without: at once."`
	EndsAt      string   `placeholder:"TIME" help:"When it closes; without: after the time of --keep."`
	Pinned      bool     `help:"Before the others, and on every page until it is read."`
	LateJoiners bool     `help:"Also for who joins an audience after it opened."`
	Toast       bool     `help:"Show it as a pop-up too, to whoever is there when it opens."`
}

// announced is an announcement as `announce` prints it.
type announced struct {
	ID         int64          `json:"id"`
	State      notifier.Phase `json:"state"`      // or notYetShown
	Recipients int64          `json:"recipients"` // who would see it now
	StartsAt   time.Time      `json:"starts_at"`
	EndsAt     time.Time      `json:"ends_at"`
}

// notYetShown is the state of what a server is still to show.
const notYetShown notifier.Phase = "accepted"

// Run accepts the announcement in SQL, and shows it when Redis can be reached.
func (a announceCmd) Run(ctx context.Context, cfg config, c *console) error {
	draft, err := a.draft(cfg)
	if err != nil {
		return usageError{err}
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		p, closeAll, reason := sender(ctx, cfg, db, c)
		count, err := p.Count(ctx, draft)
		var n notifier.Notice
		if err == nil {
			n, err = p.Send(ctx, draft)
		}
		if ctx.Err() != nil {
			err = errors.Join(err, closeAll()) // what is under way ends with its client
		}
		p.Close()
		if err = errors.Join(explainAs(named(err, cfg), announceFlagOf), closeAll()); err != nil {
			return err
		}
		line := announced{n.ID, n.PhaseAt(time.Now()), count, n.StartsAt, n.EndsAt}
		if reason != nil {
			c.note("carillon: %v", reason)
			line.State = notYetShown
			return c.result(line, "announcement %d: accepted for %s; a running server will show it", n.ID, people(count))
		}
		if line.State == notifier.PhaseScheduled {
			return c.result(line, "announcement %d: opens for %s at %s", n.ID, people(count), moment(n.StartsAt))
		}
		return c.result(line, "announcement %d: open for %s until %s", n.ID, people(count), moment(n.EndsAt))
	})
}

func (a announceCmd) draft(cfg config) (notifier.Draft, error) {
	var bad faults
	d := notifier.Draft{
		Type: a.Type, Title: a.Title, Body: a.Body, Link: a.Link, Toast: a.Toast, Sender: "carillon announce",
		Window: notifier.Window{
			StartsAt: bad.moment("--starts-at", a.StartsAt), EndsAt: bad.moment("--ends-at", a.EndsAt),
			Pinned: a.Pinned, LateJoiners: a.LateJoiners,
		},
	}
	for _, name := range a.Audience {
		audience, err := audienceOf(name, cfg)
		if err != nil {
			bad.add("--audience", "%v", err)
		}
		d.Target.Audiences = append(d.Target.Audiences, audience)
	}
	return d, bad.err()
}

// momentForms are the times that a person may write; those without a zone are
// of this machine's.
var momentForms = []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05"}

// moment reads a time; without text it is none.
func (f *faults) moment(flag, s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	for _, form := range momentForms {
		if t, err := time.ParseInLocation(form, s, time.Local); err == nil {
			return t
		}
	}
	f.add(flag, "%q is not a time, such as 2026-12-01T09:00:00Z or '2026-12-01 09:00'", s)
	return time.Time{}
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04 MST") }

// named puts the names of audiences in place of their numbers.
func named(err error, cfg config) error {
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
	return "--" + strings.ReplaceAll(field, "_", "-")
}
