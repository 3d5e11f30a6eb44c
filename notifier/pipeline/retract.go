package pipeline

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Retract takes a notice back from everybody who has it or would still get it.
// Once it returns nil that will happen; from up to Config.InlineMax recipients
// it usually has. Retracting twice is no error. An unknown id is
// notifier.ErrNotFound.
func (p *Pipeline) Retract(ctx context.Context, id int64) error {
	n, err := p.retracting(ctx, id)
	if err != nil {
		return fmt.Errorf("retract notice %d: %w", id, err)
	}
	if n.State == notifier.StateRetracted {
		return nil
	}
	if n.Recipients > p.c.InlineMax || !p.inline(ctx, &n) {
		p.Kick()
	}
	return nil
}

// retracting brings the notice into the state retracting or finds it there or
// behind. While it is sent a notice moves forward only, accepted to sending to
// sent, so four looks always are enough.
func (p *Pipeline) retracting(ctx context.Context, id int64) (notifier.Notice, error) {
	for range 4 {
		n, err := p.c.Store.Notice(ctx, id)
		if err != nil {
			return notifier.Notice{}, err
		}
		if n.State == notifier.StateRetracting || n.State == notifier.StateRetracted {
			return n, nil
		}
		ok, err := p.c.Store.SetState(ctx, id, n.State, notifier.StateRetracting)
		if err != nil {
			return notifier.Notice{}, err
		}
		if ok {
			n.State, n.Done = notifier.StateRetracting, 0
			return n, nil
		}
	}
	return notifier.Notice{}, notifier.ErrConflict
}
