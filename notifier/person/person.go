// Package person makes the changes that concern a user: accounts, roles, passwords, settings, deletion, export and
// the acknowledgement of toasts. There is one method for each change. Pages, API and commands all call it, so a
// change has the same effects, equally fast, through each of them: the change in SQL, the end of sessions and
// streams, the messages to all instances, and the entry in the audit log.
package person

import (
	"context"
	"log/slog"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// Audit stores entries of the audit log; see store.
type Audit interface {
	Audit(ctx context.Context, e notifier.AuditEntry) error
}

// Inbox erases inboxes, and shows edited notices in them; see notifier/inbox.
type Inbox interface {
	Erase(ctx context.Context, seq int64) error
	Outdate(ctx context.Context, seqs []int64) error
	EditAll(ctx context.Context, all []notifier.Delivery) []error
}

// Config contains everything that changes of users affect. Fields without a comment are required.
type Config struct {
	Store         *store.Store
	Audit         Audit
	Sessions      *session.Sessions
	Toasts        *toast.Toasts
	Announcements *announcement.Announcements
	Inbox         Inbox
	Topics        *topic.Topics     // nil: this process routes no notices
	Hub           *live.Hub         // nil: this process has no connections
	Looking       *channels.Viewers // nil: this process shows no pages

	Audiences map[notifier.Audience]string // names for the audit log

	// Clear removes copies of deleted data from files, as far as the files are Carillon's own.
	Clear func(ctx context.Context)
	// Wait is how long Delete works before it leaves the rest to Run. 0: until all is deleted.
	Wait  time.Duration
	Lease lease.Lease // held by the instance that does the work of Run; nil: lease.Always

	Log *slog.Logger // nil: silent
}

// People changes users. It is safe for concurrent use.
type People struct {
	Config
	woken chan struct{} // signals Run to finish deletions now
}

// New returns a People.
func New(c Config) *People {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &People{Config: c, woken: make(chan struct{}, 1)}
}

// record writes a change to the audit log. The change has been made, so a failure is only logged, and a cancelled ctx
// does not prevent the entry.
func (p *People) record(ctx context.Context, by notifier.Actor, action string, object notifier.Ref, detail string) {
	ctx = context.WithoutCancel(ctx)
	e := notifier.AuditEntry{Actor: by.Ref, Action: action, Object: object, Detail: detail, Address: by.Address}
	if err := p.Audit.Audit(ctx, e); err != nil {
		p.Log.WarnContext(ctx, "could not write to the audit log", "action", action, "actor", by.Token(), "object", object.Token(), "err", err)
	}
}
