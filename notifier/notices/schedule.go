package notices

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	releaseEvery = 500 * time.Millisecond // so that a notice is sent within a second of its time
	releaseLease = 3 * time.Second
	releasePage  = 200
)

// release sends scheduled notices when their time has come, until ctx ends. The lease only avoids duplicate work: SQL
// releases each notice once.
func (p *Notices) release(ctx context.Context) error {
	return lease.Work{
		Stage: "schedule", Lease: lease.New(p.c.Redis, p.c.Keys, "schedule", releaseLease),
		Every: releaseEvery, Do: p.releaseDue, Log: p.c.Log,
	}.Run(ctx)
}

// releaseDue sends all notices that are due. While delivery is overloaded, they wait.
func (p *Notices) releaseDue(ctx context.Context) error {
	for !p.Overloaded() {
		due, err := p.c.Store.Due(ctx, releasePage)
		if err != nil || len(due) == 0 {
			return err
		}
		all, err := p.routeDue(ctx, due)
		claim := p.Grant()
		for _, a := range all {
			a.Claim = claim
		}
		if err == nil {
			err = p.c.Store.Release(ctx, all)
		}
		if err != nil {
			return fmt.Errorf("release %d notices: %w", len(due), err)
		}
		released := make([]*notifier.Acceptance, 0, len(all))
		for _, a := range all {
			if a.Err == nil {
				released = append(released, a)
			}
		}
		p.Queue(released) // if this instance dies first, others claim them
		if len(due) < releasePage {
			return nil
		}
	}
	return nil
}

// routeDue finds the recipients of notices that are due. Users who have left the directory are left out, so a notice
// to a deleted role has no recipients.
func (p *Notices) routeDue(ctx context.Context, due []notifier.Notice) ([]*notifier.Acceptance, error) {
	drafts := make([]notifier.Draft, len(due))
	for i := range due {
		drafts[i] = due[i].Draft
	}
	answers, err := p.c.Router.RecipientsAll(ctx, drafts)
	if err != nil {
		return nil, fmt.Errorf("route %d notices: %w", len(due), err)
	}
	all := make([]*notifier.Acceptance, len(due))
	for i := range due {
		all[i] = &notifier.Acceptance{Notice: &due[i], To: answers[i].To}
		due[i].Reasons = answers[i].Reasons
		if answers[i].Err != nil {
			p.c.Log.WarnContext(ctx, "some recipients were removed after the notice was scheduled",
				"stage", "schedule", "notice_id", due[i].ID, "err", answers[i].Err)
		}
	}
	return all, nil
}

// editScheduled changes a notice that is not sent yet.
func (p *Notices) editScheduled(ctx context.Context, by notifier.Actor, n notifier.Notice, revision int64, d notifier.Draft) (notifier.Notice, error) {
	_, now := p.limits()
	life, sendAt := n.ExpiresAt.Sub(n.SendAt), d.SendAt
	if sendAt.IsZero() || sendAt.Equal(n.SendAt) {
		sendAt, d.SendAt = n.SendAt, time.Time{} // its time may have passed
	}
	err := p.checkEdit(ctx, &n, &d)
	if sameContent(&n.Draft, &d) && sendAt.Equal(n.SendAt) {
		return unchanged(n, revision, now)
	}
	if err != nil {
		return notifier.Notice{}, err
	}
	switch {
	case !d.SendAt.IsZero():
		sendAt = d.SendAt // as Validate has rounded it
	case !sendAt.Equal(n.SendAt):
		sendAt = now.UTC().Truncate(time.Millisecond)
	}
	n.Title, n.Body, n.Link, n.Extras, n.SendAt, n.ExpiresAt, n.Revision = d.Title, d.Body, d.Link, d.Extras, sendAt, sendAt.Add(life), revision
	err = p.c.Store.EditScheduled(ctx, by, &n)
	if errors.Is(err, notifier.ErrConflict) {
		if now, failed := p.c.Store.Notice(ctx, n.ID); failed == nil && now.State != notifier.StateScheduled && !now.State.TakenBack() {
			return p.editNotice(ctx, by, now, revision, d) // it was sent meanwhile
		}
	}
	if err != nil {
		return notifier.Notice{}, fmt.Errorf("edit notice %d: %w", n.ID, err)
	}
	return n, nil
}

// repeats finds repeated requests that are invalid only because their times have passed since the first request. They
// get the notice that the first one created.
func (p *Notices) repeats(ctx context.Context, batch ...*submission) {
	for _, s := range batch {
		var bad *notifier.InvalidError
		if s.once == nil || !errors.As(s.err, &bad) || slices.ContainsFunc(bad.Fields, inTime) {
			continue
		}
		id, err := p.c.Store.Earlier(ctx, *s.once)
		if errors.Is(err, notifier.ErrNotFound) {
			continue
		}
		var n notifier.Notice
		if err == nil {
			n, err = p.c.Store.Notice(ctx, id)
		}
		if s.err = err; err == nil {
			s.earlier = &n
		}
	}
}

// inTime reports whether a fault has a cause other than a time that has passed.
func inTime(f notifier.FieldError) bool {
	return f.Code != notifier.CodeSendPast && f.Code != notifier.CodeEndsPast
}
