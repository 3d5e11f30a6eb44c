package pipeline

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// Retract takes a notice back from everybody who has it or would still get it.
// Once it returns nil that will happen; from up to Config.WaitMax recipients it
// waits until it has, for Config.Wait at most. Retracting twice is no error. An
// unknown id is notifier.ErrNotFound, an announcement that is over
// notifier.ErrConflict.
func (p *Pipeline) Retract(ctx context.Context, id int64) error {
	n, err := p.c.Store.Notice(ctx, id)
	switch {
	case err != nil:
	case n.Announces():
		if err = p.c.Store.RetractAnnouncement(ctx, id); err == nil {
			p.show(ctx, id)
			return nil
		}
	default:
		n, err = p.retracting(ctx, n)
	}
	if err != nil {
		return fmt.Errorf("retract notice %d: %w", id, err)
	}
	if n.State == notifier.StateRetracted {
		return nil
	}
	done, leave := p.waiting.join(id)
	defer leave()
	p.intake.Add(intake.Entry{NoticeID: id, Retract: true})
	if n.Recipients <= p.c.WaitMax {
		p.await(ctx, &n, done)
	}
	return nil
}

// retracting brings the notice into the state retracting or finds it there or
// behind. While it is sent a notice moves forward only, accepted to sending to
// sent, so four looks always are enough; n is the first of them.
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
		if look == 3 {
			return notifier.Notice{}, notifier.ErrConflict
		}
		if n, err = p.c.Store.Notice(ctx, n.ID); err != nil {
			return notifier.Notice{}, err
		}
	}
}
