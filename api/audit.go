package api

import (
	"context"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// actor returns the key that makes a call, with the address of its application.
func (s *server) actor(ctx context.Context) notifier.Actor {
	return notifier.Actor{Ref: senderOf(callerOf(ctx)), Address: web.Of(ctx).Address}
}
