package notices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/notifier"
)

// accept stores submissions. It returns the result of each, and the newly accepted notices that must
// be delivered.
func (p *Notices) accept(ctx context.Context, of notifier.Deed, batch ...*submission) (results []notifier.Result, fresh []*notifier.Acceptance) {
	_, now := p.limits()
	results = make([]notifier.Result, len(batch))
	for i, s := range batch {
		switch results[i].Err = s.err; {
		case s.err != nil:
		case s.earlier != nil:
			results[i] = notifier.Result{Notice: *s.earlier, Replayed: true}
		case s.announces():
			results[i] = p.announce(ctx, of, s, now)
		}
	}
	var stored []*notifier.Acceptance
	var places []int                               // index of each in results
	claim, trace := p.Grant(), tracing.Parent(ctx) // one claim, so that the notices of this call stay in order
	for i, s := range batch {
		if s.err == nil && s.earlier == nil && !s.announces() {
			a := s.acceptance(now)
			if a.Claim = claim; a.Notice.SendAt.IsZero() { // what is sent later does not belong to this trace
				a.Trace = trace
			}
			stored, places = append(stored, a), append(places, i)
		}
	}
	err := p.store(ctx, of, stored)
	for k, i := range places {
		a := stored[k]
		switch {
		case err != nil:
			results[i].Err = err
		case a.Err != nil:
			results[i].Err = a.Err
		default:
			results[i] = notifier.Result{Notice: *a.Notice, Replayed: a.Replayed}
			if !a.Replayed && a.Notice.State == notifier.StateAccepted {
				fresh = append(fresh, a)
			}
		}
	}
	var types []string
	met := map[string]bool{}
	for i, s := range batch {
		if results[i].Err == nil && !s.announces() && !met[s.Draft.Type] { // announcements cannot be muted or mailed
			met[s.Draft.Type] = true
			types = append(types, s.Draft.Type)
		}
	}
	p.useTypes(ctx, types)
	return results, fresh
}

// acceptance returns the notice of a draft for inboxes.
func (s *submission) acceptance(now time.Time) *notifier.Acceptance {
	n := &notifier.Notice{
		Draft: s.Draft, State: notifier.StateAccepted, CreatedAt: now, ExpiresAt: now.Add(s.Draft.ExpiresIn), Reasons: s.Reasons,
	}
	if ask := n.Extras.Ask; ask != nil {
		n.Extras.Ask = ask.Opened(cmp.Or(n.SendAt, now))
	}
	switch {
	case !n.SendAt.IsZero(): // its recipients are determined when it is sent
		n.State, n.ExpiresAt, n.Reasons = notifier.StateScheduled, n.SendAt.Add(s.Draft.ExpiresIn), nil
		return &notifier.Acceptance{Notice: n, Once: s.once}
	case s.To.IsEmpty():
		n.State = notifier.StateSent // there is nothing to deliver
	}
	return &notifier.Acceptance{Notice: n, To: s.To, Once: s.once}
}

// checkClock refuses to accept notices while the clock is wrong: a notice that expires after half an hour could
// expire before its delivery. Another instance can accept it, or this one later.
func (p *Notices) checkClock() error {
	if p.c.Clock == nil {
		return nil
	}
	if err := p.c.Clock(); err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	return nil
}

// useTypes records the types of accepted drafts, and not of refused ones. If that fails, sending still succeeds.
func (p *Notices) useTypes(ctx context.Context, types []string) {
	if p.c.Types == nil || len(types) == 0 {
		return
	}
	if err := p.c.Types.Use(ctx, types); err != nil {
		p.c.Log.WarnContext(ctx, "could not record the types in use", "stage", "accept", "types", len(types), "err", err)
	}
}

// store writes notices to SQL. A replayed request gets the current state of the notice that it
// created.
func (p *Notices) store(ctx context.Context, of notifier.Deed, batch []*notifier.Acceptance) error {
	if len(batch) == 0 {
		return nil
	}
	if err := p.c.Store.AcceptAll(ctx, of, batch); err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	var before []int64
	for _, a := range batch {
		if a.Err != nil {
			a.Err = fmt.Errorf("accept a notice: %w", a.Err)
		} else if a.Replayed {
			before = append(before, a.Notice.ID)
		}
	}
	if len(before) == 0 {
		return nil
	}
	known, err := p.c.Store.Contents(ctx, before)
	if err != nil {
		return fmt.Errorf("look up notices that were accepted before: %w", err)
	}
	for _, a := range batch {
		if n, ok := known[a.Notice.ID]; ok && a.Replayed {
			*a.Notice = n
		}
	}
	return nil
}

// routeLate determines the recipients of a notice that was accepted without them. Users who have
// left the directory since are left out.
func (p *Notices) routeLate(ctx context.Context, n *notifier.Notice) (*roaring.Bitmap, error) {
	answers, err := p.c.Router.RecipientsAll(ctx, []notifier.Draft{n.Draft})
	if err != nil {
		return nil, fmt.Errorf("route notice %d: %w", n.ID, err)
	}
	to, err := answers[0].To, answers[0].Err
	var unknown *notifier.InvalidError
	if errors.As(err, &unknown) && to != nil {
		p.c.Log.WarnContext(ctx, "some recipients were removed after the notice was accepted", "stage", "route", "notice_id", n.ID, "err", err)
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("route notice %d: %w", n.ID, err)
	}
	return to, nil
}

// admit delays notices to inboxes while more than Config.MaxBacklog notices wait to be delivered, and refuses them if
// the overload lasts, because each new notice has to wait for the others. If Redis is unavailable, admit does not
// delay: notices then wait in SQL.
func (p *Notices) admit(ctx context.Context, batch ...*submission) {
	if batch = toInboxes(batch); len(batch) == 0 {
		return
	}
	err := p.calm(ctx)
	for _, s := range batch {
		if err != nil {
			s.err = fmt.Errorf("accept a notice: %w", err)
		}
	}
}

// calm waits until delivery is no longer overloaded.
func (p *Notices) calm(ctx context.Context) error {
	if !p.Overloaded() {
		return nil
	}
	tick, limit := time.NewTicker(maxPressed/40), time.NewTimer(maxPressed)
	defer tick.Stop()
	defer limit.Stop()
	for p.Overloaded() {
		select {
		case <-tick.C:
		case <-limit.C:
			return &notifier.TooManyError{RetryAfter: maxPressed}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
