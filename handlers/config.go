package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/sessions"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/hook"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/notifier/reception"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// Who identifies the user who makes a request; see internal/identity.
type Who interface {
	// Find returns notifier.ErrUnauthenticated if there is no user, and a *notifier.TokenError for a refused token.
	Find(r *http.Request) (notifier.Asker, error)
}

// SignIns checks passwords.
type SignIns interface {
	// Check returns the user and a cookie, possibly nil, that identifies this browser at the next sign-in. It returns
	// notifier.ErrUnauthenticated for a wrong password and a *notifier.TooManyError after too many attempts.
	Check(r *http.Request, username, password, address string) (notifier.User, *http.Cookie, error)
	// Attempt counts a failed sign-in at the identity provider in advance; takeBack undoes that. It returns
	// notifier.ErrTooMany.
	Attempt(ctx context.Context, address string) (takeBack func(), err error)
}

// Inbox reads and changes inboxes; see notifier/inbox.
type Inbox interface {
	Open(ctx context.Context, seq int64) (notifier.Page, error)
	Look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error)
	// Types counts the entries, or only the unread ones, by type.
	Types(ctx context.Context, seq int64, unread bool) ([]notifier.TypeCount, error)
	// MarkRead returns the keys it changed. Like all methods with several keys, it skips missing entries, and returns
	// notifier.ErrNotFound if all are missing.
	MarkRead(ctx context.Context, seq int64, keys ...string) ([]string, notifier.Badge, error)
	// MarkUnread keeps entries unread when the inbox is opened; Unread only undoes MarkRead.
	MarkUnread(ctx context.Context, seq int64, keys ...string) ([]string, notifier.Badge, error)
	Unread(ctx context.Context, seq int64, keys ...string) (notifier.Badge, error)
	// Follow marks an entry read only if it still belongs to this notice.
	Follow(ctx context.Context, seq int64, key string, noticeID int64) (notifier.Badge, error)
	ReadUpto(ctx context.Context, seq int64, upto string) (notifier.Badge, error)
	// Take deletes entries and returns them. Restore undoes that within 10 minutes.
	Take(ctx context.Context, seq int64, keys ...string) ([]notifier.Entry, notifier.Badge, error)
	Restore(ctx context.Context, seq int64, keys ...string) (notifier.Badge, error)
	Archive(ctx context.Context, seq int64, keys []string) (notifier.Moved, notifier.Badge, error)
	Unarchive(ctx context.Context, seq int64, keys []string) (notifier.Moved, notifier.Badge, error)
	// Snooze puts an entry away until a time; Wake brings it back before that.
	Snooze(ctx context.Context, seq int64, key string, until time.Time) (notifier.Badge, error)
	Wake(ctx context.Context, seq int64, key string) (notifier.Badge, error)
	// Snoozed returns how many entries are put away until a time.
	Snoozed(ctx context.Context, seq int64) (int64, error)
	// Find returns one entry with its state on a page rendered at that opening.
	Find(ctx context.Context, seq int64, key string, opened int64) (notifier.Entry, error)
	// FindAll returns those of the entries with these keys that are in the inbox, as Find does.
	FindAll(ctx context.Context, seq int64, keys []string, opened int64) ([]notifier.Entry, error)
	// NoticeOf returns the notice of an entry, which may be archived or snoozed.
	NoticeOf(ctx context.Context, seq int64, key string) (int64, error)
	// Badges returns the inbox half of each user's badge, in the order of seqs.
	Badges(ctx context.Context, seqs []int64) ([]notifier.Badge, error)
}

// Asks answers questions; see notifier/ask.
type Asks interface {
	Answer(ctx context.Context, by notifier.Actor, is notifier.Answering) (notifier.Question, notifier.AskAnswer, error)
	// OpenFor returns the open questions that a user was asked, newest first.
	OpenFor(ctx context.Context, seq int64) []notifier.OpenAsk
}

// Tasks are taken by users; see notifier/task.
type Tasks interface {
	Do(ctx context.Context, by notifier.Actor, is notifier.Taking) (notifier.Task, error)
}

// Announcements reads and changes announcements; see notifier/announcement. The badges are the announcements' half.
// For an announcement that is not open or not visible to the reader, methods return notifier.ErrNotFound.
type Announcements interface {
	List(ctx context.Context, r notifier.Reader) (notifier.OpenAnnouncements, error)
	Find(ctx context.Context, r notifier.Reader, id int64) (notifier.OpenAnnouncement, error)
	MarkRead(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error)
	MarkUnread(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error)
	// ReadAll returns the IDs that it changed from unread to read.
	ReadAll(ctx context.Context, r notifier.Reader) ([]int64, notifier.Badge, error)
	// Badges returns the badge of each reader, in order.
	Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error)
}

// Sender sends notices and reports their progress; see notifier/notices.
type Sender interface {
	// Confirm validates a draft and finds its recipients. Its error lists every fault; the number of recipients is
	// set if the target is valid.
	Confirm(ctx context.Context, d notifier.Draft) (notifier.Confirmed, error)
	// Send sends a draft to the recipients that Confirm found. A repeated request returns the first one's notice; if
	// once is nil, each call sends a new notice. It returns notifier.ErrOtherRequest if the key was used for another
	// draft.
	Send(ctx context.Context, by notifier.Actor, c notifier.Confirmed, once *notifier.Once) (notifier.Notice, error)
	// SendTest sends a draft to its sender only.
	SendTest(ctx context.Context, by notifier.Actor, c notifier.Confirmed) (notifier.Notice, error)
	Retract(ctx context.Context, by notifier.Actor, id int64) error
	// Edit saves the draft as the next revision: content, window and audiences of an announcement, only the text of
	// any other notice. It returns notifier.ErrConflict if the notice is over or its revision has changed.
	Edit(ctx context.Context, by notifier.Actor, id, revision int64, d notifier.Draft) (notifier.Notice, error)
	// EditUnread is Edit, but also marks the announcement unread for every reader.
	EditUnread(ctx context.Context, by notifier.Actor, id, revision int64, d notifier.Draft) (notifier.Notice, error)
	// Delete deletes an announcement that is closed or retracted; otherwise it returns notifier.ErrConflict.
	Delete(ctx context.Context, by notifier.Actor, id int64) error
	Progress(ctx context.Context, id int64) (notifier.Progress, error)
	// ProgressOf returns the progress of each notice, in order.
	ProgressOf(ctx context.Context, notices []notifier.Notice) ([]notifier.Progress, error)
	// Remind sends a notice again to the recipients who have not read it, and returns their number. If there are
	// none, or the reminder's Sure refuses their number, it sends nothing and the ID is 0.
	Remind(ctx context.Context, by notifier.Actor, r notifier.Reminder) (notifier.Notice, int64, error)
	// Replay queues a dead letter again; Discard deletes it. Both return notifier.ErrNotFound if it no longer exists.
	Replay(ctx context.Context, by notifier.Actor, id int64) error
	Discard(ctx context.Context, by notifier.Actor, id int64) error
	// Receipts returns the recipients of a notice if they are known and number no more than most.
	Receipts(ctx context.Context, n *notifier.Notice, most int64) ([]notifier.Receipt, error)
}

// Sent lists sent notices; see store.
type Sent interface {
	Notices(ctx context.Context, q notifier.NoticeQuery) ([]notifier.Notice, error)
	// SearchNotices is Notices with a time limit: after patience it returns what it has found. reached is then the
	// last notice it examined.
	SearchNotices(ctx context.Context, q notifier.NoticeQuery, patience time.Duration) (found []notifier.Notice, reached notifier.Reached, err error)
	// Traffic counts what programs have sent, by type and day, within patience. The next page begins before the id next; 0: none.
	Traffic(ctx context.Context, q notifier.TrafficQuery, patience time.Duration) (found []notifier.Traffic, next int64, err error)
	Notice(ctx context.Context, id int64) (notifier.Notice, error)
	// NoticeLog returns a notice's audit entries, newest first.
	NoticeLog(ctx context.Context, id int64, limit int) ([]notifier.AuditEntry, error)
}

// Stream serves the user's event stream; see notifier/live. It returns an error only if nothing was written:
// notifier.ErrTooMany (a *notifier.TooManyError) or notifier.ErrUnavailable.
type Stream interface {
	Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, s notifier.StreamOf) error
}

// Health reports the state of this instance.
type Health interface {
	Ready(ctx context.Context) notifier.Readiness
	Redis(ctx context.Context) error // nil if Redis responds
}

// DemoUser is a user of a demo; the login page shows their password.
type DemoUser struct {
	Name     string
	Password string
	Staff    bool
}

// Config contains everything the pages need. Fields are required unless their comment describes nil or empty.
type Config struct {
	Who Who
	// Sessions signs users in and out. Saving a session without an ID signs in the user in its value
	// notifier.SessionUser; saving one with a negative MaxAge signs out.
	Sessions sessions.Store
	SignIns  SignIns
	Accounts identity.Accounts // what users do with their own sessions and passwords
	Inbox    Inbox
	Asks     Asks
	Tasks    Tasks
	Sender   Sender

	Announcements Announcements
	Archive       Archive // shown while Redis is unavailable

	Sent   Sent
	Unread Unread
	Stream Stream
	Health Health
	Audit  web.Audit
	Links  *links.Maker

	Store   *store.Store
	People  *person.People
	Topics  *topic.Topics
	Apps    *app.Apps
	APIKeys app.APIKeys // its Store is required
	Hooks   *hook.Hooks

	Receptions *reception.Receptions

	Tokens *app.Verifier
	Slips  *session.Slips // carries new keys to the page that shows them once
	Rules  *rule.Runner   // nil: no rules file
	Mails  *mail.Outbox   // nil: mails are sent, or there are none

	Provider     Provider // nil: no sign-in through an identity provider
	PasswordsOff bool     // no sign-in with a password

	Mailing bool    // users can be notified by mail
	Devices Devices // nil: no device notifications

	Demo           []DemoUser                   // shown on the login page; empty: no demo
	Shop           func() string                // returns the page of another application in a demo; nil: none
	Audiences      map[notifier.Audience]string // by name; empty: operator, user, customer
	LinkBase       string                       // prefix of links that begin with /; empty: the page's own host
	LinkHosts      []string                     // hosts that announcements may link to; none: relative links only
	ImageHosts     []string                     // hosts of pictures, with the hosts below them; none: no pictures
	PublicURL      string                       // the address that browsers use; empty: unknown
	TrustedProxies web.Proxies                  // proxies whose X-Forwarded-For is trusted
	Keep           time.Duration                // how long a notice without expiry is kept; 0: notifier.DefaultKeep
	Build          string                       // differs between builds; empty: the start of the process

	Served web.Served       // called after each request; may be nil
	Traced web.Traced       // nil: no traces
	Log    *slog.Logger     // nil: no logs
	Now    func() time.Time // nil: time.Now
}

func (c *Config) setDefaults() error {
	required := []any{
		c.Who, c.Sessions, c.SignIns, c.Inbox, c.Asks, c.Tasks, c.Sender, c.Announcements, c.Archive.Inbox, c.Archive.Announcements, c.Sent, c.Unread, c.Stream,
		c.Health, c.Audit,
	}
	if slices.Contains(required, nil) || c.Links == nil || c.Store == nil || c.People == nil || c.Topics == nil || c.Apps == nil || c.APIKeys.Store == nil || c.Hooks == nil || c.Tokens == nil || c.Slips == nil {
		return errors.New("handlers: a part of the configuration is missing")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Keep <= 0 {
		c.Keep = notifier.DefaultKeep
	}
	if c.Build == "" {
		c.Build = c.Now().Format(time.RFC3339Nano)
	}
	return nil
}
