package api

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// Audit writes down who changed what.
type Audit interface {
	Audit(ctx context.Context, e notifier.AuditEntry) error
}

// audit writes down what a call has changed. That it cannot be undoes nothing: it
// goes to the log then.
func (s *server) audit(ctx context.Context, action, object, detail string) {
	if s.Audit == nil {
		return
	}
	e := notifier.AuditEntry{Actor: senderName(callerOf(ctx)), Action: action, Object: object, Detail: detail, Address: s.addressOf(ctx)}
	if err := s.Audit.Audit(ctx, e); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "not in the audit log", slog.String("action", action), slog.String("object", object),
			slog.String("request_id", requestID(ctx)), slog.Any("err", err))
	}
}

// addressOf is where a call came from.
func (s *server) addressOf(ctx context.Context) string {
	if r := requestOf(ctx).Request; r != nil {
		return s.Address(r)
	}
	return ""
}

// peer is who is at the other end of the connection.
func peer(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}

func auditedUser(u notifier.User) string { return "user " + strconv.FormatInt(u.Seq, 10) }

// changedUser says what of a user is another now, by its name and what it is.
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
