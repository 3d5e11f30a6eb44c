package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
)

const (
	justOpened = 2 * time.Second // a toast of an announcement that was raised so lately is of one that is open
	voidAsks   = 32              // at once; who answers gathers them
)

// Posts says how announcements stand.
type Posts interface {
	// Unread says whether a reader sees an announcement now and has not read it.
	Unread(ctx context.Context, r notifier.Reader, id int64) (bool, error)
}

// void settles what was taken of announcements that are over, retracted or read by now,
// and takes it out: it does not pop up. What cannot be told does. For what has a row
// the script that takes sees to that; announcements stand in another slot.
func (k *courier) void(ctx context.Context, takes []*tray, got []notifier.Taken) error {
	if k.hub.cfg.Posts == nil {
		return nil
	}
	before := k.hub.cfg.Now().Add(-justOpened)
	var g errgroup.Group
	g.SetLimit(voidAsks)
	for i, t := range takes {
		doubtful := func(x notifier.Toast) bool { return x.NoticeID > 0 && x.Key == "" && x.RaisedAt.Before(before) }
		if !slices.ContainsFunc(got[i].Toasts, doubtful) {
			continue
		}
		var who notifier.Reader
		k.with(t.user, func() { who = notifier.Reader{Seq: t.user.seq, Audience: t.user.audience} })
		g.Go(func() error {
			var over []string
			var first error
			got[i].Toasts = slices.DeleteFunc(got[i].Toasts, func(x notifier.Toast) bool {
				if !doubtful(x) {
					return false
				}
				unread, err := k.hub.cfg.Posts.Unread(ctx, who, x.NoticeID)
				if err != nil && first == nil {
					first = fmt.Errorf("look whether announcement %d still concerns user %d: %w", x.NoticeID, who.Seq, err)
				}
				if err != nil || unread {
					return false
				}
				over = append(over, x.ID)
				return true
			})
			if len(over) > 0 {
				if err := k.hub.cfg.Toasts.Ack(ctx, who.Seq, over); err != nil && !errors.Is(err, notifier.ErrNotFound) && first == nil {
					first = err
				}
			}
			return first
		})
	}
	return g.Wait()
}
