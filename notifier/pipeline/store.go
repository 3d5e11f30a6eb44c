package pipeline

import (
	"context"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Store keeps notices for good. What it has accepted is never lost.
type Store interface {
	AnnouncementStore
	DeadLetterStore
	// AcceptAll stores notices with their recipients, gives them their ids, and
	// answers in each what became of it.
	AcceptAll(ctx context.Context, all []*notifier.Acceptance) error
	// Confirm makes accepted notices sent that still have that revision. moved are
	// the others.
	Confirm(ctx context.Context, done []notifier.Revised) (moved []int64, err error)
	// EditNotice gives a notice to inboxes n's title, body and link, and fills n with what
	// it is then: of the next revision and not finished. One that was sent is sending
	// then, any other accepted. It is notifier.ErrConflict when n's revision is not the present
	// one, or the notice is retracted or expired.
	EditNotice(ctx context.Context, n *notifier.Notice) error
	// NoticesBySubject lists notices that are neither retracted nor expired, by id.
	NoticesBySubject(ctx context.Context, subject string, after int64, limit int) ([]notifier.Notice, error)
	// Notice returns notifier.ErrNotFound for an unknown id.
	Notice(ctx context.Context, id int64) (notifier.Notice, error)
	// Accepted returns notices with their recipients, by id; To is nil where they are not settled.
	Accepted(ctx context.Context, ids []int64) ([]notifier.Acceptance, error)
	// Contents returns notices by their ids, in whatever state.
	Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error)
	// SetRecipients writes them unless somebody has, and returns what is stored.
	SetRecipients(ctx context.Context, id int64, to *roaring.Bitmap) (*roaring.Bitmap, error)
	Recipients(ctx context.Context, id int64) (*roaring.Bitmap, error)
	// FirstRecipients returns the lowest seq among the recipients of each notice that has any.
	FirstRecipients(ctx context.Context, ids []int64) (map[int64]int64, error)
	// CountsOf returns how far notices have come, as far as SQL knows.
	CountsOf(ctx context.Context, ids []int64) ([]notifier.NoticeCount, error)
	// Unfinished lists notices that are accepted, sending or retracting, by id:
	// how they stand, and not what they say.
	Unfinished(ctx context.Context, after int64, limit int) ([]notifier.Notice, error)
	// Since lists what was accepted or changed since then, by id.
	Since(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error)
	// Advance moves the cursor of a notice that still is in that state and revision.
	Advance(ctx context.Context, id, rev int64, state notifier.State, done int64) error
	// Move is SetState of a notice that still has that revision.
	Move(ctx context.Context, id, rev int64, from, to notifier.State) (bool, error)
	// SetState is false when the notice was not in the state from. It resets the cursor.
	SetState(ctx context.Context, id int64, from, to notifier.State) (bool, error)
	// ForgetKeys forgets requests of before then: who repeats one later sends anew.
	ForgetKeys(ctx context.Context, before time.Time) (int64, error)
}

// DeadLetterStore keeps work that was put aside.
type DeadLetterStore interface {
	Bury(ctx context.Context, d notifier.DeadLetter) error
	// DeadLetters lists them, the latest first, with ids below before if that is above 0.
	DeadLetters(ctx context.Context, before int64, limit int) ([]notifier.DeadLetter, error)
	DeadLetter(ctx context.Context, id int64) (notifier.DeadLetter, error)
	// DeleteDeadLetter is false when it is not there.
	DeleteDeadLetter(ctx context.Context, id int64) (bool, error)
	// TakeDeadLetter removes one, if it is there, and has its notice sent again should
	// Redis be lost now.
	TakeDeadLetter(ctx context.Context, id int64) error
	CountDeadLetters(ctx context.Context) (int64, error)
}
