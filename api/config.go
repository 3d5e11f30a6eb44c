package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

// Keys stores the applications' keys by the SHA-256 of their text.
type Keys interface {
	// KeyByHash returns a key, even if it is revoked, or notifier.ErrNotFound.
	KeyByHash(ctx context.Context, hash []byte) (notifier.APIKey, error)
	// TouchKeys stores the times, by key ID, at which keys were last used.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
}

// Sender accepts notices, and edits, retracts and reports on those it has accepted.
type Sender interface {
	// SendAll returns one result for each request, in order. An accepted notice is stored.
	SendAll(ctx context.Context, by notifier.Actor, all []notifier.Request) []notifier.Result
	// Progress returns a notice and its counts, or notifier.ErrNotFound.
	Progress(ctx context.Context, id int64) (notifier.Progress, error)
	// Edit replaces the editable fields of a notice by those of the draft. It returns
	// notifier.ErrConflict if revision is not the current one or the notice is over.
	Edit(ctx context.Context, by notifier.Actor, id, revision int64, d notifier.Draft) (notifier.Notice, error)
	// EditUnread edits an announcement as Edit does and marks it as unread for everybody.
	EditUnread(ctx context.Context, by notifier.Actor, id, revision int64, d notifier.Draft) (notifier.Notice, error)
	// Retract takes a notice back and may be repeated. It returns notifier.ErrConflict if the
	// notice is over.
	Retract(ctx context.Context, by notifier.Actor, id int64) error
	// WithdrawSubject retracts the notices that w selects and returns how many there were.
	WithdrawSubject(ctx context.Context, by notifier.Actor, w notifier.Withdrawal) (int64, error)
}

// Toasts shows messages that are not stored in inboxes.
type Toasts interface {
	// SendToast shows a toast and returns the number of its recipients. replayed reports that the
	// same request was answered before; once may be nil.
	SendToast(ctx context.Context, d notifier.Draft, once *notifier.Once) (users int64, replayed bool, err error)
}

// Stream answers a request with a user's event stream; see notifier/live. It returns an error only if
// nothing was written: notifier.ErrTooMany (a *notifier.TooManyError) or notifier.ErrUnavailable.
type Stream interface {
	Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, s notifier.StreamOf) error
}

// Config holds the parts that the API works with. Zero fields of the second and third group
// have the defaults named there.
type Config struct {
	Keys          Keys
	KeyChanges    func() int64 // how often this process has changed apps and keys; nil: never
	Sender        Sender
	Inbox         Inbox
	Announcements Announcements
	Directory     Directory
	People        People
	Apps          *app.Apps
	Accounts      identity.Accounts // required with Who
	Topics        Topics
	Toasts        Toasts
	Who           Who     // nil: no calls below /me; otherwise the next two are required
	Origins       Origins // whose pages may make calls below /me
	Stream        Stream

	// AppNamed returns the valid app of a name, or the zero App. It is required with Who.
	AppNamed func(ctx context.Context, name string) notifier.App

	Audit          web.Audit
	TrustedProxies web.Proxies // proxies whose X-Forwarded-For is trusted

	Audiences map[notifier.Audience]string // names of the audiences by number
	LinkHosts []string                     // hosts that announcements may link to; none: relative links only
	Path      string                       // of the public URL
	Demo      bool                         // a demonstration on this machine: pages on loopback addresses may ask for every app
	PublicURL string                       // how browsers reach the API; default: the address of the request
	Version   string                       // version of the document; default: 1.0.0
	Rate      int                          // requests per second, key and instance; 0: no limit
	Mailing   bool                         // this installation sends mail
	Pushing   bool                         // this installation sends pushes
	UserRate  int                          // the same for calls of a user, with bursts of three times as many
	Served    web.Served                   // nil: not called of requests
	Traced    web.Traced                   // nil: there are no traces
	Log       *slog.Logger                 // default: slog.Default()
	Now       func() time.Time             // default: time.Now
}

func (c *Config) setDefaults() {
	if c.Version == "" {
		c.Version = "1.0.0"
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.KeyChanges == nil {
		c.KeyChanges = func() int64 { return 0 }
	}
}
