package notices

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// submission is a draft on its way to being accepted. A step that fails sets err; the steps that
// follow skip it.
type submission struct {
	notifier.Confirmed
	once    *notifier.Once
	earlier *notifier.Notice // what the same request created before; nil: unknown
	err     error
}

func (s *submission) announces() bool { return len(s.Draft.Target.Audiences) > 0 }

// Confirm validates a draft and finds its recipients, for Send or for a preview. Its error is a
// *notifier.InvalidError that lists every fault, or an error of the store. If the target is valid and other fields
// are not, the result still contains the number of recipients, and nothing else.
func (p *Notices) Confirm(ctx context.Context, d notifier.Draft) (notifier.Confirmed, error) {
	s := &submission{Confirmed: notifier.Confirmed{Draft: d}}
	p.validate(ctx, s)
	var bad *notifier.InvalidError
	if errors.As(s.err, &bad) {
		if bad.Has("to", "target") {
			return notifier.Confirmed{}, s.err
		}
		s.err = nil
		if bad.Has("type") {
			s.Draft.Type = "" // never muted
		}
	}
	if s.announces() {
		s.err = p.countAudiences(ctx, &s.Confirmed)
	} else {
		p.route(ctx, s)
	}
	if bad == nil {
		return s.Confirmed, s.err
	}
	if unknown := (*notifier.InvalidError)(nil); errors.As(s.err, &unknown) {
		bad.Fields = append(unknown.Fields, bad.Fields...)
	} else if s.err != nil {
		return notifier.Confirmed{}, s.err
	}
	return notifier.Confirmed{Recipients: s.Recipients}, bad
}

// Send accepts a draft for the recipients that Confirm found. Once it returns a notice, that notice is stored and
// will reach every recipient, even if Redis or this instance fails; with up to Config.WaitMax recipients it waits for
// delivery, for Config.Wait at most. If once is set, all repetitions of the request return the notice of the first,
// or notifier.ErrOtherRequest if the key was used for another draft. Other errors are a *notifier.TooManyError while
// delivery is overloaded, and store errors.
func (p *Notices) Send(ctx context.Context, by notifier.Actor, c notifier.Confirmed, once *notifier.Once) (notifier.Notice, error) {
	return p.send(ctx, notifier.Sending(by), c, once)
}

// SendTest sends a draft that only its sender will see, as Send does. The audit log records it as a test.
func (p *Notices) SendTest(ctx context.Context, by notifier.Actor, c notifier.Confirmed) (notifier.Notice, error) {
	of := notifier.Sending(by)
	of.Detail = "test"
	return p.send(ctx, of, c, nil)
}

func (p *Notices) send(ctx context.Context, of notifier.Deed, c notifier.Confirmed, once *notifier.Once) (notifier.Notice, error) {
	s := &submission{Confirmed: c, once: once}
	s.err = p.checkClock()
	p.admit(ctx, s)
	results, accepted := p.accept(ctx, of, s)
	if r := results[0]; r.Err != nil || len(accepted) == 0 {
		return r.Notice, r.Err
	}
	n := &results[0].Notice
	if n.Recipients == 0 || n.Recipients > p.c.WaitMax {
		p.Queue(accepted)
		return *n, nil
	}
	done, leave := p.Join(n.ID)
	defer leave()
	p.Queue(accepted)
	p.Await(ctx, n, done)
	return *n, nil
}

// SendAll confirms and sends many drafts, with one commit and one lookup of all names. It returns one result per
// request, in order, and never waits for delivery. The audit log gets one entry.
func (p *Notices) SendAll(ctx context.Context, by notifier.Actor, all []notifier.Request) []notifier.Result {
	wrong := p.checkClock()
	batch := make([]*submission, len(all))
	for i, r := range all {
		batch[i] = &submission{Confirmed: notifier.Confirmed{Draft: r.Draft}, once: r.Once, err: wrong}
	}
	p.validate(ctx, batch...)
	p.repeats(ctx, batch...)
	p.admit(ctx, batch...)
	p.route(ctx, batch...)
	results, accepted := p.accept(ctx, notifier.Sending(by), batch...)
	p.Queue(accepted)
	return results
}

// validate normalises and checks the drafts.
func (p *Notices) validate(ctx context.Context, batch ...*submission) {
	for _, s := range batch {
		if s.err == nil {
			s.err = p.check(ctx, &s.Draft, s.Draft.Validate)
		}
	}
}

// route finds the recipients of the valid drafts for inboxes, with one lookup of all names.
func (p *Notices) route(ctx context.Context, batch ...*submission) {
	batch = toInboxes(batch)
	if len(batch) == 0 {
		return
	}
	drafts := make([]notifier.Draft, len(batch))
	for i, s := range batch {
		drafts[i] = s.Draft
	}
	answers, err := p.c.Router.RecipientsAll(ctx, drafts)
	for i, s := range batch {
		if s.err = err; err == nil {
			s.To, s.Reasons, s.err = answers[i].To, answers[i].Reasons, answers[i].Err
		}
		if s.err != nil {
			s.err = fmt.Errorf("route a draft: %w", s.err)
			continue
		}
		s.Recipients = int64(s.To.GetCardinality()) //nolint:gosec // at most 2^32
		s.err = s.Draft.CheckPeople(s.Recipients)
	}
	p.checkElse(ctx, batch)
}

// toInboxes returns the valid submissions that are not announcements.
func toInboxes(batch []*submission) []*submission {
	some := make([]*submission, 0, len(batch))
	for _, s := range batch {
		if s.err == nil && s.earlier == nil && !s.announces() {
			some = append(some, s)
		}
	}
	return some
}

func (p *Notices) countAudiences(ctx context.Context, c *notifier.Confirmed) error {
	sizes, err := p.c.Store.AudienceSize(ctx, c.Draft.Target.Audiences, 0)
	if err != nil {
		return fmt.Errorf("count audiences: %w", err)
	}
	for _, n := range sizes {
		c.Recipients += n
	}
	return nil
}
