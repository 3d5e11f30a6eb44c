package web

import (
	"context"
	"log/slog"

	"github.com/carillonhq/carillon/notifier"
)

// Audit writes entries to the audit log: who changed what.
type Audit interface {
	Audit(ctx context.Context, e notifier.AuditEntry) error
}

// Record writes an entry about an action of the exchange that ctx belongs to, with the client's
// address. The action has already happened, so a failure to record it is only logged.
func Record(ctx context.Context, to Audit, log *slog.Logger, e notifier.AuditEntry) {
	x := Of(ctx)
	e.Address = x.Address
	if err := to.Audit(ctx, e); err != nil {
		log.LogAttrs(ctx, slog.LevelWarn, "could not write to the audit log",
			slog.String("action", e.Action), slog.String("actor", e.Actor.Token()), slog.String("object", e.Object.Token()),
			slog.String("request_id", x.ID), slog.Any("err", err))
	}
}
