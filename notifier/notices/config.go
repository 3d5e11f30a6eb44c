package notices

import (
	"context"
	"log/slog"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/live"
)

const (
	sweepLease = 3 * time.Second
	redisWait  = 2 * time.Second // limit for counts that pages show only as extras
	maxPressed = 2 * time.Second // how long a sender is delayed while delivery is overloaded
)

// Config holds the dependencies and settings of Notices. Zero fields of the second group default
// to the values in their comments.
type Config struct {
	Store         Store
	Redis         redis.UniversalClient
	Keys          keys.Space
	Inbox         Inbox
	Router        Router
	Announcements *announcement.Announcements // nil: announcements are accepted, but only other instances show them
	Hub           *live.Hub                   // the live hub; nil: none
	Unread        *behind.Flusher             // writes inbox changes to SQL; nil: another instance does
	Types         Types                       // records which notice types are in use; nil: not recorded
	Toasts        delivery.Toasts             // shows toasts for notices that ask for them; nil: no toasts
	Traces        *tracing.Traces             // nil: notices are not traced

	// App returns a valid app by its id, or notifier.ErrNotFound; nil: no app sends here.
	App func(ctx context.Context, id int64) (notifier.App, error)
	// Sites returns the origins of the pages of all valid apps; nil: there are none.
	Sites func(ctx context.Context) []string

	Log        *slog.Logger             // slog.Default()
	Now        func() time.Time         // time.Now
	Limits     notifier.Limits          //
	Written    func(took time.Duration) // see delivery.Config; nil: not measured
	Away       func() bool              // reports an outage of Redis that another component detects earlier; nil: none does
	Clock      func() error             // returns an error while this process's clock is wrong; nil: it is trusted
	Wait       time.Duration            // how long Send and Retract wait for their work to be done: they do not
	WaitMax    int64                    // they wait only for notices with up to this many recipients: 256
	MaxBacklog int64                    // number of waiting notices above which senders are delayed: 20,000
	Poll       time.Duration            // how often an instance queries for due work: 1 s
	Claim      time.Duration            // how long an instance keeps its work after its last renewal: 5 s
	Idle       time.Duration            // how long failed work waits: 1 s
	Chunk      int                      // maximum recipients of a small notice, and per delivery step: 500
}

func (c *Config) setDefaults() {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	setDefault(&c.WaitMax, 256)
	setDefault(&c.MaxBacklog, 20_000)
	setDefault(&c.Poll, time.Second)
	setDefault(&c.Claim, 5*time.Second)
	setDefault(&c.Idle, time.Second)
	setDefault(&c.Chunk, 500)
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Store stores notices permanently. Accepted notices are never lost. The methods that change notices record the actor
// in the audit log, in the same transaction.
type Store interface {
	delivery.Store
	// AcceptAll stores notices with their recipients, sets their ids, and records the result in
	// each Acceptance.
	AcceptAll(ctx context.Context, of notifier.Deed, all []*notifier.Acceptance) error
	// EditNotice stores n's title, body and link for a notice to inboxes, and updates n to the
	// stored state: the next revision, and unfinished. A sent notice becomes sending again, any
	// other accepted. It returns notifier.ErrConflict if n's revision is not the current one, or if
	// the notice is retracted or expired.
	EditNotice(ctx context.Context, by notifier.Actor, n *notifier.Notice) error
	// NoticesBySubject lists notices of these apps (0: of the installation itself) that are neither retracted nor
	// expired, ordered by id.
	NoticesBySubject(ctx context.Context, subject string, apps []int64, after int64, limit int) ([]notifier.Notice, error)
	// FirstRecipients returns the lowest recipient seq of each notice that has recipients.
	FirstRecipients(ctx context.Context, ids []int64) (map[int64]int64, error)
	// UserNames returns the names of these users by seq, without users who do not exist.
	UserNames(ctx context.Context, who *roaring.Bitmap) (map[int64]notifier.UserName, error)
	// Wakes lists users with a snoozed entry that is due at now, in order, after the given one.
	Wakes(ctx context.Context, now time.Time, after notifier.Wake, limit int) ([]notifier.Wake, error)
	// CountsOf returns the counts of notices as last written to SQL.
	CountsOf(ctx context.Context, ids []int64) ([]notifier.NoticeCount, error)
	// RetractNotice changes the state of a notice from one to another, and returns false if it was not
	// in the first. It resets the cursor.
	RetractNotice(ctx context.Context, by notifier.Actor, id int64, from, to notifier.State) (bool, error)

	// AnnounceOnce stores n and sets its id. replayed reports that the same request was made before; n is then its
	// announcement. once may be nil. When too many announcements are open, it returns a *notifier.InvalidError.
	AnnounceOnce(ctx context.Context, of notifier.Deed, n *notifier.Notice, once *notifier.Once) (replayed bool, err error)
	// EditAnnouncement replaces the content, window and audiences of the announcement with n's id
	// by those of n. It returns notifier.ErrConflict if n's revision is not the current one or the
	// announcement is over.
	EditAnnouncement(ctx context.Context, by notifier.Actor, n *notifier.Notice) error
	// EditAnnouncementUnread does the same and marks the announcement as unread for every user.
	EditAnnouncementUnread(ctx context.Context, by notifier.Actor, n *notifier.Notice) error
	RetractAnnouncement(ctx context.Context, by notifier.Actor, id int64) error
	DeleteAnnouncement(ctx context.Context, by notifier.Actor, id int64) error
	Announcements(ctx context.Context, ids []int64) ([]notifier.Announcement, error)
	// AudienceSize counts the users with a seq of at most top; 0: all users.
	AudienceSize(ctx context.Context, audiences []notifier.Audience, top int64) (map[notifier.Audience]int64, error)

	// Due lists the scheduled notices whose time has come, earliest first.
	Due(ctx context.Context, limit int) ([]notifier.Notice, error)
	// Release makes scheduled notices accepted, with their recipients if To is set, and updates them
	// to the stored state. Err is notifier.ErrConflict for those that are no longer scheduled in this
	// revision.
	Release(ctx context.Context, all []*notifier.Acceptance) error
	// EditScheduled stores n's title, body, link, time and expiry, and raises its revision. It returns
	// notifier.ErrConflict if n's revision is not the current one, or n is no longer scheduled.
	EditScheduled(ctx context.Context, by notifier.Actor, n *notifier.Notice) error
	// Earlier returns the id of the notice that the same request created before, notifier.ErrNotFound
	// if there is none, or notifier.ErrOtherRequest.
	Earlier(ctx context.Context, once notifier.Once) (int64, error)
}
