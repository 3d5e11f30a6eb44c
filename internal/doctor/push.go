package doctor

import (
	"context"
	"errors"

	"github.com/carillonhq/carillon/internal/config"
)

// ErrNoVAPID means that there is no VAPID key yet.
var ErrNoVAPID = errors.New("no VAPID key yet")

// push examines the key that push services know this installation by.
func (e *examination) push(ctx context.Context, cfg *config.Config, vapid func(context.Context) (string, error)) {
	if cfg.Push == nil {
		return
	}
	switch public, err := vapid(ctx); {
	case errors.Is(err, ErrNoVAPID):
		e.note("push", "no VAPID key yet", "the first start of a server makes one")
	case err != nil:
		e.fail("push", err.Error(), "until then no device is told, and none can be added")
	default:
		e.ok("push", "the VAPID key signs; its public half is %s, the contact %s", public, cfg.Push.Contact)
	}
}
