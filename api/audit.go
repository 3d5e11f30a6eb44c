package api

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// Audit writes entries to the audit log: who changed what.
type Audit interface {
	Audit(ctx context.Context, e notifier.AuditEntry) error
}

// audit records the change that a call has made. A failure to record it does not undo the
// change; it is logged instead.
func (s *server) audit(ctx context.Context, action string, object notifier.Ref, detail string) {
	e := notifier.AuditEntry{Actor: senderOf(callerOf(ctx)), Action: action, Object: object, Detail: detail, Address: s.addressOf(ctx)}
	if err := s.Audit.Audit(ctx, e); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "could not write to the audit log", slog.String("action", action), slog.String("object", object.Token()),
			slog.String("request_id", requestID(ctx)), slog.Any("err", err))
	}
}

// addressOf returns the address that a call came from, or "" outside of a request.
func (s *server) addressOf(ctx context.Context) string {
	if r := requestOf(ctx).Request; r != nil {
		return s.Address(r)
	}
	return ""
}

// changedUser lists the fields of a user that differ, each with its new value.
func (s *server) changedUser(before, now notifier.User) string {
	var all []string
	if before.Audience != now.Audience {
		all = append(all, "audience "+audienceNames(s.Audiences, []notifier.Audience{now.Audience})[0])
	}
	if before.Locale != now.Locale {
		all = append(all, "locale "+strconv.Quote(now.Locale))
	}
	if !slices.Equal(before.Roles, now.Roles) {
		all = append(all, "roles "+strings.Join(now.Roles, ","))
	}
	return strings.Join(all, "; ")
}
