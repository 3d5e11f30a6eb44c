package instance

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/internal/demo"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

func (i *instance) addDemo(ctx context.Context) (func() error, error) {
	if err := demo.Refuse(ctx, i.db, &i.cfg, i.demo); err != nil || !i.demo {
		return nil, err
	}
	var err error
	if i.fresh, err = demo.AddUsers(ctx, i.db, &i.cfg); err != nil {
		return nil, fmt.Errorf("add the demo users: %w", err)
	}
	return nil, nil
}

func (i *instance) sendDemo(ctx context.Context) (func() error, error) {
	if !i.fresh {
		return nil, nil
	}
	from, err := i.db.UserByName(ctx, demo.Sender)
	if err != nil {
		return nil, fmt.Errorf("find the sender of the demonstration: %w", err)
	}
	return nil, sendDemo(ctx, i.noticesConfig(), from, demo.Notices(&i.cfg, time.Now()))
}

// sendDemo sends the notices of the demonstration with a clock that is behind, so that they are some
// minutes or days old.
func sendDemo(ctx context.Context, c notices.Config, from notifier.User, all []demo.Notice) error {
	var ago atomic.Int64
	c.Now = func() time.Time { return time.Now().Add(-time.Duration(ago.Load())) }
	p := notices.New(c)
	stop := delivering(ctx, p)
	var err error
	for _, d := range all {
		ago.Store(int64(d.Ago))
		d.Sender = notifier.UserRef(from)
		var sure notifier.Confirmed
		if sure, err = p.Confirm(ctx, d.Draft); err == nil {
			_, err = p.Send(ctx, notifier.Actor{}, sure, nil)
		}
		if err != nil {
			break
		}
	}
	p.Close()
	if err = errors.Join(err, stop()); err != nil {
		return fmt.Errorf("send the notices of the demonstration: %w", err)
	}
	return nil
}
