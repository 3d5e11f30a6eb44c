package notices

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

const (
	withdrawPage = 200
	maxLooks     = 20
)

// Retract takes a notice back from everyone who has it or would still get it, and cancels a scheduled one. Once it
// returns nil, that will happen; with up to Config.WaitMax recipients it waits until it has, for Config.Wait at most.
// Retracting twice is not an error. It returns notifier.ErrNotFound for an unknown id, and notifier.ErrConflict for
// an announcement that is over.
func (p *Notices) Retract(ctx context.Context, by notifier.Actor, id int64) error {
	n, err := p.c.Store.Notice(ctx, id)
	var done <-chan struct{}
	leave := func() {}
	if err == nil {
		done, leave = p.Join(id)
		n, err = p.takeBack(ctx, by, n)
	}
	defer leave()
	switch {
	case err != nil:
		return fmt.Errorf("retract notice %d: %w", id, err)
	case n.Announces():
		p.syncAnnouncements(ctx, id)
	case n.State == notifier.StateRetracting && n.Recipients <= p.c.WaitMax:
		p.Await(ctx, &n, done)
	}
	return nil
}

// WithdrawSubject retracts every notice about a subject that w selects, including announcements. It returns their number
// and does not wait for them to disappear. After an error some may be retracted: call it again.
func (p *Notices) WithdrawSubject(ctx context.Context, by notifier.Actor, w notifier.Withdrawal) (n int64, err error) {
	announced := int64(0) // id of the last announcement
	for after := int64(0); ; {
		page, err := p.c.Store.NoticesBySubject(ctx, w.Subject, w.Apps(), after, withdrawPage)
		if err != nil {
			return n, fmt.Errorf("withdraw the notices about a subject: %w", err)
		}
		for i := range page {
			after = page[i].ID
			if !w.Includes(&page[i]) {
				continue
			}
			switch _, err := p.takeBack(ctx, by, page[i]); {
			case errors.Is(err, notifier.ErrNotFound), errors.Is(err, notifier.ErrConflict):
				continue // already deleted or over
			case err != nil:
				return n, fmt.Errorf("withdraw notice %d with its subject: %w", after, err)
			case page[i].Announces():
				announced = after
			}
			n++
		}
		if len(page) < withdrawPage {
			break
		}
	}
	if announced > 0 {
		p.syncAnnouncements(ctx, announced)
	}
	return n, nil
}

// takeBack marks a notice as retracting, unless it already is. The worker or the announcements do the rest.
func (p *Notices) takeBack(ctx context.Context, by notifier.Actor, n notifier.Notice) (notifier.Notice, error) {
	if n.Announces() {
		return n, p.c.Store.RetractAnnouncement(ctx, by, n.ID)
	}
	n, err := p.retracting(ctx, by, n)
	if err == nil && n.State == notifier.StateRetracting {
		p.Wake()
	}
	return n, err
}

// retracting moves the notice to the state retracting, or finds it in that state or past it. A scheduled notice is
// retracted at once. During sending, a notice only moves forward, from accepted to sending to sent, except for edits,
// which are rare; so a few tries are enough. n is the notice as first read.
func (p *Notices) retracting(ctx context.Context, by notifier.Actor, n notifier.Notice) (notifier.Notice, error) {
	for look := 0; ; look++ {
		if n.State.TakenBack() {
			return n, nil
		}
		to := notifier.StateRetracting
		if n.State == notifier.StateScheduled {
			to = notifier.StateRetracted // no user has it
		}
		ok, err := p.c.Store.RetractNotice(ctx, by, n.ID, n.State, to)
		if err != nil {
			return notifier.Notice{}, err
		}
		if ok {
			n.State, n.Done = to, 0
			return n, nil
		}
		if look == maxLooks {
			return notifier.Notice{}, notifier.ErrConflict
		}
		if n, err = p.c.Store.Notice(ctx, n.ID); err != nil {
			return notifier.Notice{}, err
		}
	}
}
