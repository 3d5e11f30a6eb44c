package main

import (
	"context"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/toast"
)

// posts tells the hub how announcements stand.
type posts struct{ board *announcement.Board }

// Unread is false of what a reader does not see: it is over, or was never his.
func (p posts) Unread(ctx context.Context, r notifier.Reader, id int64) (bool, error) {
	post, err := p.board.Find(ctx, r, id)
	if errors.Is(err, notifier.ErrNotFound) {
		return false, nil
	}
	return err == nil && !post.Read, err
}

// popups hears from browsers what becomes of toasts.
type popups struct {
	toasts *toast.Toasts
	hub    *live.Hub
}

// Ack has nobody given them any more. What is gone already is no longer looked after
// here either.
func (p popups) Ack(ctx context.Context, seq int64, ids []string) error {
	err := p.toasts.Ack(ctx, seq, ids)
	if err == nil || errors.Is(err, notifier.ErrNotFound) {
		p.hub.Acked(seq, ids)
	}
	return err
}

// Active tells all instances where the user is.
func (p popups) Active(ctx context.Context, seq int64, session string, visible bool) error {
	return p.toasts.Signal(ctx, seq, notifier.Signal{
		Kind: notifier.SignalSeen, Browser: live.Browser(session), On: visible, At: time.Now().UnixMilli(),
	})
}
