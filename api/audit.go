package api

import (
	"context"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// audit records the change that a call has made.
func (s *server) audit(ctx context.Context, action string, object notifier.Ref, detail string) {
	web.Record(ctx, s.Audit, s.Log, notifier.AuditEntry{Actor: s.actor(ctx).Ref, Action: action, Object: object, Detail: detail})
}

// actor returns the key that makes a call, for changes that write their own audit entry.
func (s *server) actor(ctx context.Context) notifier.Actor {
	return notifier.Actor{Ref: senderOf(callerOf(ctx)), Address: web.Of(ctx).Address}
}
