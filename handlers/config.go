package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Sessions knows who sends a request; see internal/session.
type Sessions interface {
	// Current is false for anything that is no valid session. The error is for
	// when it cannot be told.
	Current(r *http.Request) (notifier.Signed, bool, error)
	SignIn(w http.ResponseWriter, r *http.Request, u notifier.User) error
	SignOut(w http.ResponseWriter, r *http.Request) error
	SignOutEverywhere(ctx context.Context, w http.ResponseWriter, r *http.Request, seq int64) error
}

// Gate checks a password: notifier.ErrUnauthenticated when it is wrong,
// notifier.ErrTooMany (a *notifier.TooManyError) after too many attempts.
type Gate interface {
	Check(ctx context.Context, username, password, address string) (notifier.User, error)
}

// Inbox is what pages do with inboxes; see notifier/inbox.
type Inbox interface {
	Open(ctx context.Context, seq int64) (notifier.Page, error)
	Look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error)
	MarkRead(ctx context.Context, seq int64, key string) (notifier.Badge, error)
	MarkUnread(ctx context.Context, seq int64, key string) (notifier.Badge, error)
	ReadUpto(ctx context.Context, seq int64, upto string) (notifier.Badge, error)
	// Take deletes an entry and answers it, as Restore wants it back.
	Take(ctx context.Context, seq int64, key string) (notifier.Entry, notifier.Badge, error)
	Restore(ctx context.Context, seq int64, e notifier.Entry) (notifier.Badge, error)
	// Find answers one entry as a page that belongs to an opening shows it.
	Find(ctx context.Context, seq int64, key string, opened int64) (notifier.Entry, error)
	// Badges answers the inbox's half of the badge of each user, in order.
	Badges(ctx context.Context, seqs []int64) ([]notifier.Badge, error)
}

// Announcements is what pages do with announcements; see notifier/announcement.
// The badges answered are the announcements' half; one that is not open, or that
// the reader does not see, is notifier.ErrNotFound.
type Announcements interface {
	List(ctx context.Context, r notifier.Reader) (notifier.Posts, error)
	Find(ctx context.Context, r notifier.Reader, id int64) (notifier.Posted, error)
	MarkRead(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error)
	MarkUnread(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error)
	// ReadAll answers which ones it turned to read.
	ReadAll(ctx context.Context, r notifier.Reader) ([]int64, notifier.Badge, error)
}

// Sender sends notices and knows what became of them; see notifier/pipeline.
type Sender interface {
	// SendOnce answers a request that came before with its notice; once is nil when
	// it is a notice of its own each time. It is notifier.ErrOtherRequest when the key
	// was used for another draft.
	SendOnce(ctx context.Context, d notifier.Draft, once *notifier.Once) (notifier.Notice, error)
	Count(ctx context.Context, d notifier.Draft) (int64, error)
	Retract(ctx context.Context, id int64) error
	// Edit gives an announcement the content, window and audiences of the draft. It
	// is notifier.ErrConflict when it is over, or no longer has that revision.
	Edit(ctx context.Context, id, revision int64, d notifier.Draft) (notifier.Notice, error)
	// Delete forgets an announcement that is over or retracted; else it is
	// notifier.ErrConflict.
	Delete(ctx context.Context, id int64) error
	Progress(ctx context.Context, id int64) (notifier.Progress, error)
	// ProgressOf answers for each notice in order.
	ProgressOf(ctx context.Context, notices []notifier.Notice) ([]notifier.Progress, error)
}

// Directory lists users, roles, audiences and sent notices; see store.
type Directory interface {
	Users(ctx context.Context, q notifier.UserQuery) ([]notifier.User, error)
	Roles(ctx context.Context) ([]notifier.RoleInfo, error)
	// FindUsers and FindRoles answer who could be meant by a part of a name.
	FindUsers(ctx context.Context, part string, limit int) ([]notifier.User, error)
	FindRoles(ctx context.Context, part string, limit int) ([]notifier.RoleInfo, error)
	// AudienceSize counts the users of audiences with a seq of at most top; 0: all.
	AudienceSize(ctx context.Context, audiences []notifier.Audience, top int64) (map[notifier.Audience]int64, error)
	Notices(ctx context.Context, q notifier.NoticeQuery) ([]notifier.Notice, error)
}

// Stream answers a request with a user's event stream; see notifier/live. It
// returns an error only when nothing was written: notifier.ErrTooMany (a
// *notifier.TooManyError) or notifier.ErrUnavailable.
type Stream interface {
	Serve(w http.ResponseWriter, r *http.Request, who notifier.Reader, s StreamOf) error
}

// StreamOf is what a stream has to know of who it is for, beside that.
type StreamOf struct {
	Session   string
	Visible   bool // the page that asks for it can be seen
	ToastsOff bool // no toasts
}

// Toasts hears from browsers what becomes of toasts; see notifier/toast.
type Toasts interface {
	// Ack says that the toasts of these ids were shown to the user. When none of them
	// waits for him it is notifier.ErrNotFound.
	Ack(ctx context.Context, seq int64, ids []string) error
	// Active says that a page can be seen in the browser of a session, or none.
	Active(ctx context.Context, seq int64, session string, visible bool) error
}

// DeadLetters is work that failed again and again and was put aside; see
// notifier/pipeline and store.
type DeadLetters interface {
	// DeadLetters lists them newest first, those with a lower id than before; 0: all.
	DeadLetters(ctx context.Context, before int64, limit int) ([]notifier.DeadLetter, error)
	CountDeadLetters(ctx context.Context) (int64, error)
	// DeadLettersOf counts those of one notice.
	DeadLettersOf(ctx context.Context, noticeID int64) (int64, error)
	// Contents answers the notices there are, by id.
	Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error)
	// Replay has it tried again, Discard deletes it. One that is gone is
	// notifier.ErrNotFound.
	Replay(ctx context.Context, id int64) error
	Discard(ctx context.Context, id int64) error
}

// Health says whether what Carillon stands on answers.
type Health interface {
	SQL(ctx context.Context) error
	Redis(ctx context.Context) error
}

// Audit is where it is written down who did what; see store.
type Audit interface {
	Audit(ctx context.Context, e notifier.AuditEntry) error
}

// Settings keeps what a user chooses; his next page shows it.
type Settings interface {
	SetSettings(ctx context.Context, seq int64, set notifier.Settings) error
	// SetMute mutes a type of notice or unmutes it. A type that cannot be muted
	// is a *notifier.InvalidError.
	SetMute(ctx context.Context, seq int64, typ string, muted bool) error
	// Mutes lists the types that a user has muted, by name.
	Mutes(ctx context.Context, seq int64) ([]string, error)
}

// DemoUser is a user of a demo, whose password the login page gives away.
type DemoUser struct {
	Name     string
	Password string
	Staff    bool
}

// Config is what the pages need. Those interfaces are required of which nothing
// else is said.
type Config struct {
	Sessions Sessions
	Gate     Gate
	Inbox    Inbox
	Sender   Sender

	Announcements Announcements
	Archive       Archive // what is shown while Redis is away; zero: nothing

	Directory Directory
	Stream    Stream
	Health    Health
	Audit     Audit
	Settings  Settings // nil: nothing can be chosen

	Toasts Toasts // nil: there are none

	DeadLetters DeadLetters // nil: nobody puts anything aside

	Topics        Topics        // nil: types are called by their slugs, and nobody subscribes
	Subscriptions Subscriptions // goes with Topics

	Roles  Roles                              // nil: there is no page of them
	Keys   Keys                               // nil: no application has a key
	NewKey func() (token string, hash []byte) // goes with Keys: makes a key, and what is kept of it
	Rules  Rules                              // nil: there is no file of rules

	Demo           []DemoUser                   // empty: no demo
	Audiences      map[notifier.Audience]string // those there are, with their names; empty: operator, user, customer
	LinkHosts      []string                     // hosts that links in announcements may name; none: relative links only
	PublicURL      string                       // where browsers find Carillon; empty: unknown
	TrustedProxies []netip.Prefix               // who may say whom a request is from
	Keep           time.Duration                // how long a notice without expiry is kept; 0: notifier.DefaultKeep
	Build          string                       // differs between builds; empty: as good as the start of the process

	Log *slog.Logger     // nil: none
	Now func() time.Time // nil: time.Now
}

func (c *Config) setDefaults() error {
	if c.Sessions == nil || c.Gate == nil || c.Inbox == nil || c.Sender == nil || c.Announcements == nil ||
		c.Directory == nil || c.Stream == nil || c.Health == nil || c.Audit == nil {
		return errors.New("handlers: an interface of the configuration is missing")
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
