package notices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// PassOn sends a task that nobody has taken to those whom it is passed on to: a new notice with the same text, key and expiry, which
// replaces the row of those who have one. Without recipients, or if the task expires now, it sends nothing, and the notice has no ID.
// A repeated call returns the first notice. Its error is a *notifier.InvalidError if the target no longer exists.
func (p *Notices) PassOn(ctx context.Context, t *notifier.Task) (notifier.Notice, error) {
	once := &notifier.Once{Owner: notifier.CommandRef("tasks"), Key: "task " + strconv.FormatInt(t.ID, 10)}
	if earlier, err := p.reminded(ctx, once); err != nil || earlier.ID > 0 {
		return earlier, err
	}
	_, now := p.limits()
	left := t.ExpiresAt.Sub(now).Truncate(time.Millisecond)
	if left < time.Second {
		return notifier.Notice{}, nil
	}
	d := t.Draft
	d.Target, d.Subject, d.SendAt, d.ExpiresIn = t.Taken.Rule.Else, t.ReminderSubject(), time.Time{}, left
	d.Extras.Take = &notifier.Take{Finish: t.Taken.Finish, Of: t.ID, Waited: t.Taken.Rule.Within}
	s := &submission{Confirmed: notifier.Confirmed{Draft: d}}
	p.route(ctx, s)
	var gone *notifier.InvalidError // some of the users no longer exist
	if s.err != nil && (!errors.As(s.err, &gone) || s.To == nil) {
		return notifier.Notice{}, fmt.Errorf("pass on task %d: %w", t.ID, s.err)
	}
	if s.To.IsEmpty() {
		return notifier.Notice{}, nil
	}
	by := notifier.Actor{Ref: notifier.CommandRef("tasks")}
	return p.send(ctx, notifier.Deed{By: by, Action: "task.pass-on", Object: notifier.NoticeRef(t.ID)}, s.Confirmed, once)
}

// checkElse adds a fault to the submissions whose task would be passed on to users or a role that do not exist.
func (p *Notices) checkElse(ctx context.Context, batch []*submission) {
	var drafts []notifier.Draft
	var of []*submission
	for _, s := range batch {
		if take := s.Draft.Extras.Take; s.err == nil && take != nil && !take.Rule.Else.IsZero() {
			d := s.Draft
			d.Target = take.Rule.Else
			drafts, of = append(drafts, d), append(of, s)
		}
	}
	if len(drafts) == 0 {
		return
	}
	answers, err := p.c.Router.RecipientsAll(ctx, drafts)
	for i, s := range of {
		s.err = err
		if err == nil {
			s.err = inElse(answers[i].Err)
		}
		if s.err != nil {
			s.err = fmt.Errorf("route a task: %w", s.err)
		}
	}
}

// inElse moves faults of a target to the field that names to whom a task is passed on.
func inElse(err error) error {
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		return err
	}
	moved := &notifier.InvalidError{Fields: slices.Clone(bad.Fields)}
	for i := range moved.Fields {
		moved.Fields[i].Field = "take.else"
	}
	return moved
}
