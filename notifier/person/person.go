// Package person makes the changes that concern a user: accounts, roles, passwords, settings,
// deletion, export and the acknowledgement of toasts. There is one method for each change. Pages,
// API and commands all call it, so a change has the same effects, just as fast, through each of
// them: the change in SQL, the end of sessions and streams, the messages to all instances, and the
// entry in the audit log.
package person

import (
	"context"
	"log/slog"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

// Directory stores users and roles; see store. It returns notifier.ErrNotFound for an unknown user
// or role. Changes that other instances must hear of are recorded in the same transaction, so that
// they hear of it even if this process dies.
type Directory interface {
	UserByName(ctx context.Context, name string) (notifier.User, error)
	CreateUser(ctx context.Context, u notifier.NewUser) (notifier.User, error)
	ImportUsers(ctx context.Context, total int, next func() (notifier.NewUser, int, error), progress func(done int)) (int, error)
	PutUser(ctx context.Context, p notifier.PutUser) (u notifier.User, created bool, err error)
	// Arrive returns the user of a token, created or changed as it says.
	Arrive(ctx context.Context, t *notifier.UserToken) (u notifier.User, created, changed bool, err error)
	// Proxied returns the user whom a proxy names, created or changed as it says, and when they
	// were last signed out, in seconds.
	Proxied(ctx context.Context, p notifier.ProxiedUser) (u notifier.User, since int64, created, changed bool, err error)
	// Bring creates those of these users that do not exist, for an app.
	Bring(ctx context.Context, app int64, names []string) (created int, err error)
	// SetPassword returns the sessions that it has ended: all of the user's.
	SetPassword(ctx context.Context, name, hash string) ([]notifier.EndedSession, error)
	// ChangePassword gives the session old another id and ends all others. It returns those whose ids are no longer valid.
	ChangePassword(ctx context.Context, seq int64, hash, old, id string) ([]notifier.EndedSession, error)
	EndOwnSession(ctx context.Context, seq int64, id string) ([]notifier.EndedSession, error)
	// SetSettings returns the user with the result.
	SetSettings(ctx context.Context, seq int64, set notifier.PutSettings) (notifier.User, error)
	// SetZone stores the zone of a user's browser.
	SetZone(ctx context.Context, seq int64, zone string) (changed bool, err error)
	SetMute(ctx context.Context, seq int64, typ string, muted bool) error
	Preferences(ctx context.Context, seq int64) (notifier.Preferences, error)
	PutPreferences(ctx context.Context, seq int64, p notifier.PutPreferences) error
	// SwitchOff switches off the target with a token, and returns its user.
	SwitchOff(ctx context.Context, token string) (seq int64, err error)
	Bounced(ctx context.Context, name string, permanent bool) error
	// Revive has dead and failing mail addresses tried again at once, and returns their number.
	Revive(ctx context.Context, which notifier.Revival) (int64, error)
	// User returns the user with a number.
	User(ctx context.Context, seq int64) (notifier.User, error)
	ExportUser(ctx context.Context, name string) (notifier.Export, error)

	CreateRole(ctx context.Context, name string) error
	DeleteRole(ctx context.Context, name string) error
	AddRole(ctx context.Context, user, role string) error
	RemoveRole(ctx context.Context, user, role string) error

	// BeginDeletion deletes the account. begun is false if the deletion had begun before. Forget
	// deletes the traces, and EndDeletion records that the deletion is complete.
	BeginDeletion(ctx context.Context, name string) (d notifier.Deletion, begun bool, err error)
	Forget(ctx context.Context, d notifier.Deletion, progress func(at, last int64)) error
	EndDeletion(ctx context.Context, seq int64) error
	Deletions(ctx context.Context, limit int) ([]notifier.Deletion, error)
}

// Audit stores entries of the audit log; see store.
type Audit interface {
	Audit(ctx context.Context, e notifier.AuditEntry) error
}

// Sessions publishes changes of users to all instances; see internal/session. If Redis is away, a server does
// so when it is back.
type Sessions interface {
	// Publish has copies of the user read again, and moves the streams of a user who is now in another
	// audience.
	Publish(ctx context.Context, seq int64)
	// PublishPending is Publish for all users with a change that was not published.
	PublishPending(ctx context.Context)
	// Forget has copies of a user read again who was deleted.
	Forget(ctx context.Context, seq int64) error
	// PublishEnded ends the streams of sessions that have ended.
	PublishEnded(ctx context.Context, ended []notifier.EndedSession)
	// Expel ends all sessions of a user with their streams, and returns their number. Tokens issued
	// until then are refused.
	Expel(ctx context.Context, seq int64) (int, error)
}

// Toasts holds the toasts that wait to be shown; see notifier/toast.
type Toasts interface {
	Ack(ctx context.Context, seq int64, ids []string) error
	List(ctx context.Context, seq int64) ([]notifier.Toast, error)
	// Signal publishes a signal to every instance where the user is connected.
	Signal(ctx context.Context, seq int64, s notifier.Signal) error
	Forget(ctx context.Context, seq int64) error
}

// Looking notes who looks at a page; see notifier/channels.
type Looking interface {
	Set(seq int64, visible bool)
}

// Announcements has the announcements that users have read; see notifier/announcement.
type Announcements interface {
	List(ctx context.Context, r notifier.Reader) (notifier.OpenAnnouncements, error)
	MarkUnread(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error)
}

// Inbox erases inboxes; see notifier/inbox.
type Inbox interface {
	Erase(ctx context.Context, seq int64) error
}

// Topics knows the types of notices and their subscribers; see notifier/topic.
type Topics interface {
	// Changed reads the subscriptions again after a subscriber was deleted.
	Changed(ctx context.Context)
	// Mutable reports whether users may mute a type.
	Mutable(typ string) bool
}

// Hub has the connections of this instance; see notifier/live.
type Hub interface {
	Acked(seq int64, ids []string)
}

// Config has everything that changes of users affect. Interfaces without a comment are required.
type Config struct {
	Directory     Directory
	Audit         Audit
	Sessions      Sessions
	Toasts        Toasts
	Announcements Announcements
	Inbox         Inbox
	Topics        Topics  // nil: this process routes no notices
	Hub           Hub     // nil: this process has no connections
	Looking       Looking // nil: this process shows no pages

	Audiences map[notifier.Audience]string // names for the audit log

	// Clear removes copies of deleted data from files, as far as they are Carillon's own.
	Clear func(ctx context.Context)
	// Wait is how long Delete waits before it leaves the rest to Run. 0: until all is deleted.
	Wait  time.Duration
	Lease lease.Lease // held by the instance that does the work of Run; nil: lease.Always

	Log *slog.Logger // nil: silent
}

// People changes users. It is safe for concurrent use.
type People struct {
	Config
	woken chan struct{} // tells Run to finish deletions now
}

// New returns a People.
func New(c Config) *People {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &People{Config: c, woken: make(chan struct{}, 1)}
}

// record writes a change to the audit log. The change has been made, so a failure is only logged,
// and a caller who gives up does not prevent the entry.
func (p *People) record(ctx context.Context, by notifier.Actor, action string, object notifier.Ref, detail string) {
	ctx = context.WithoutCancel(ctx)
	e := notifier.AuditEntry{Actor: by.Ref, Action: action, Object: object, Detail: detail, Address: by.Address}
	if err := p.Audit.Audit(ctx, e); err != nil {
		p.Log.WarnContext(ctx, "could not write to the audit log", "action", action, "actor", by.Token(), "object", object.Token(), "err", err)
	}
}
