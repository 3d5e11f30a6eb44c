package delivery

import (
	"context"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Store stores notices permanently. Accepted notices are never lost.
type Store interface {
	DeadLetterStore
	// Notice returns notifier.ErrNotFound for an unknown id.
	Notice(ctx context.Context, id int64) (notifier.Notice, error)
	// Accepted returns notices with their recipients, by id; To is nil if they are not settled.
	Accepted(ctx context.Context, ids []int64) ([]notifier.Acceptance, error)
	// Contents returns notices in any state, by id.
	Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error)
	// SetRecipients stores the recipients unless some are stored, and returns the stored ones.
	SetRecipients(ctx context.Context, id int64, to *roaring.Bitmap) (*roaring.Bitmap, error)
	Recipients(ctx context.Context, id int64) (*roaring.Bitmap, error)
	// Unfinished lists the notices that are accepted, sending or retracting, by id, without their
	// content.
	Unfinished(ctx context.Context, after int64, limit int) ([]notifier.Notice, error)
	// Since lists the notices accepted or changed since then, by id.
	Since(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error)
	// Confirm marks the accepted notices that still have the given revision as sent. It returns the
	// others as moved.
	Confirm(ctx context.Context, done []notifier.Revised) (moved []int64, err error)
	// Advance moves the cursor of a notice if it still has that state and revision.
	Advance(ctx context.Context, id, rev int64, state notifier.State, done int64) error
	// Move changes the state of a notice. It returns false if the notice was not in the state from,
	// or has another revision. It resets the cursor.
	Move(ctx context.Context, id, rev int64, from, to notifier.State) (bool, error)
	// ForgetKeys deletes idempotency keys from before then: repeating such a request sends again.
	ForgetKeys(ctx context.Context, before time.Time) (int64, error)
	// TrimAudit deletes audit entries from before then.
	TrimAudit(ctx context.Context, before time.Time) (int64, error)
}

// DeadLetterStore stores dead letters.
type DeadLetterStore interface {
	Bury(ctx context.Context, d notifier.DeadLetter) error
	DeadLetter(ctx context.Context, id int64) (notifier.DeadLetter, error)
	// DeleteDeadLetter returns false if there is no such dead letter.
	DeleteDeadLetter(ctx context.Context, id int64) (bool, error)
	// TakeDeadLetter deletes a dead letter, if it is there, and makes sure that its notice is
	// resent if Redis loses its data now.
	TakeDeadLetter(ctx context.Context, id int64) error
}
