package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

const (
	withdrawPage = 200
	maxLooks     = 20
)

// Retract takes a notice back from everybody who has it or would still get it.
// Once it returns nil that will happen; from up to Config.WaitMax recipients it
// waits until it has, for Config.Wait at most. Retracting twice is no error. An
// unknown id is notifier.ErrNotFound, an announcement that is over
// notifier.ErrConflict.
func (p *Pipeline) Retract(ctx context.Context, id int64) error {
	n, err := p.c.Store.Notice(ctx, id)
	var done <-chan struct{}
	leave := func() {}
	if err == nil {
		done, leave = p.waiting.join(id)
		n, err = p.takeBack(ctx, n)
	}
	defer leave()
	switch {
	case err != nil:
		return fmt.Errorf("retract notice %d: %w", id, err)
	case n.Announces():
		p.show(ctx, id)
	case n.State == notifier.StateRetracting && n.Recipients <= p.c.WaitMax:
		p.await(ctx, &n, done)
	}
	return nil
}

// WithdrawSubject retracts every notice about a subject that this sender has sent, or
// whoever has without one, announcements too, and says how many that were. It does not wait
// for them to be gone. After an error some may be retracted: withdraw it again.
func (p *Pipeline) WithdrawSubject(ctx context.Context, subject, sender string) (n int64, err error) {
	announced := int64(0) // the last one
	for after := int64(0); ; {
		page, err := p.c.Store.NoticesBySubject(ctx, subject, after, withdrawPage)
		if err != nil {
			return n, fmt.Errorf("withdraw what is about a subject: %w", err)
		}
		for i := range page {
			after = page[i].ID
			if sender != "" && page[i].Sender != sender {
				continue
			}
			switch _, err := p.takeBack(ctx, page[i]); {
			case errors.Is(err, notifier.ErrNotFound), errors.Is(err, notifier.ErrConflict):
				continue // it was deleted or is over by now
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
		p.show(ctx, announced)
	}
	return n, nil
}

// takeBack has a notice retracted, or finds that it is. What is left is the intake's or
// the board's.
func (p *Pipeline) takeBack(ctx context.Context, n notifier.Notice) (notifier.Notice, error) {
	if n.Announces() {
		return n, p.c.Store.RetractAnnouncement(ctx, n.ID)
	}
	n, err := p.retracting(ctx, n)
	if err == nil && n.State == notifier.StateRetracting {
		p.intake.Add(intake.Entry{NoticeID: n.ID, Revision: n.Revision, Retract: true})
	}
	return n, err
}

// retracting brings the notice into the state retracting or finds it there or
// behind. While it is sent a notice moves forward only, accepted to sending to sent,
// but for edits, which are few; n is the first look at it.
func (p *Pipeline) retracting(ctx context.Context, n notifier.Notice) (notifier.Notice, error) {
	for look := 0; ; look++ {
		if takenBack(n.State) {
			return n, nil
		}
		ok, err := p.c.Store.SetState(ctx, n.ID, n.State, notifier.StateRetracting)
		if err != nil {
			return notifier.Notice{}, err
		}
		if ok {
			n.State, n.Done = notifier.StateRetracting, 0
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
