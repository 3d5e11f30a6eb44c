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
	openingGrace = 2 * time.Second // the announcement of a toast raised so recently is taken to be open
	voidAsks     = 32              // concurrent calls of Unread, which its implementation may combine
)

// Announcements reports the state of announcements.
type Announcements interface {
	// Unread reports whether a reader sees an announcement now and has not read it.
	Unread(ctx context.Context, r notifier.Reader, id int64) (bool, error)
}

// void settles the toasts of announcements that have ended, were retracted or have been read, and
// removes them from got. If the state of an announcement cannot be determined, its toast is shown.
// Toasts with an inbox row are handled by the script that takes them; announcements are in another
// slot.
func (k *courier) void(ctx context.Context, takes []*tray, got []notifier.Taken) error {
	if k.hub.cfg.Announcements == nil {
		return nil
	}
	before := k.hub.cfg.Now().Add(-openingGrace)
	var g errgroup.Group
	g.SetLimit(voidAsks)
	for i, t := range takes {
		doubtful := func(x notifier.Toast) bool { return x.NoticeID > 0 && x.Key == "" && x.RaisedAt.Before(before) }
		if !slices.ContainsFunc(got[i].Toasts, doubtful) {
			continue
		}
		var who notifier.Reader
		t.user.locked(func() { who = notifier.Reader{Seq: t.user.seq, Audience: t.user.audience} })
		g.Go(func() error {
			var over []string
			var first error
			got[i].Toasts = slices.DeleteFunc(got[i].Toasts, func(x notifier.Toast) bool {
				if !doubtful(x) {
					return false
				}
				unread, err := k.hub.cfg.Announcements.Unread(ctx, who, x.NoticeID)
				if err != nil && first == nil {
					first = fmt.Errorf("check whether announcement %d is unread for user %d: %w", x.NoticeID, who.Seq, err)
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
