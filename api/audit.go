package api

import (
	"context"
	"log/slog"

	"github.com/carillonhq/carillon/notifier"
)

// Audit writes entries to the audit log: who changed what.
type Audit interface {
	Audit(ctx context.Context, e notifier.AuditEntry) error
}

// audit records the change that a call has made. A failure to record it does not undo the
// change; it is logged instead.
func (s *server) audit(ctx context.Context, action string, object notifier.Ref, detail string) {
	by := s.actor(ctx)
	e := notifier.AuditEntry{Actor: by.Ref, Action: action, Object: object, Detail: detail, Address: by.Address}
	if err := s.Audit.Audit(ctx, e); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "could not write to the audit log", slog.String("action", action), slog.String("object", object.Token()),
			slog.String("request_id", requestID(ctx)), slog.Any("err", err))
	}
}

// actor returns the key that makes a call, for changes that write their own audit entry.
func (s *server) actor(ctx context.Context) notifier.Actor {
	return notifier.Actor{Ref: senderOf(callerOf(ctx)), Address: s.addressOf(ctx)}
}

// addressOf returns the address that a call came from, or "" outside of a request.
func (s *server) addressOf(ctx context.Context) string {
	if r := requestOf(ctx).Request; r != nil {
		return s.Address(r)
	}
	return ""
}
