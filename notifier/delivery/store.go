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
	// Accepted returns notices with their recipients, by id; To is nil if they are not resolved.
	Accepted(ctx context.Context, ids []int64) ([]notifier.Acceptance, error)
	// Contents returns notices in any state, by id.
	Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error)
	// SetRecipients stores the recipients unless some are stored, and returns the stored ones.
	SetRecipients(ctx context.Context, id int64, to *roaring.Bitmap) (*roaring.Bitmap, error)
	Recipients(ctx context.Context, id int64) (*roaring.Bitmap, error)
	Queue
	// Unfinished lists the accepted, sending and retracting notices by id, without their
	// content.
	Unfinished(ctx context.Context, after int64, limit int) ([]notifier.Notice, error)
	// Since lists the notices accepted or changed since then, by id.
	Since(ctx context.Context, since time.Time, after int64, limit int) ([]int64, error)
	// Confirm marks accepted notices that still have the given revision as sent. It returns the
	// others as moved.
	Confirm(ctx context.Context, done []notifier.Revised) (moved []int64, err error)
	// Arrived makes the mail and push targets of these users due, and returns those who have any.
	Arrived(ctx context.Context, all []notifier.Arrival) (seqs []int64, err error)
	// Advance moves the cursor of a notice and renews the claim, if the notice still has that state and revision.
	Advance(ctx context.Context, c notifier.Claim, id, rev int64, state notifier.State, done int64) error
	// Finish is Move to the last state of a notice that every recipient has, or that is retracted.
	Finish(ctx context.Context, id, rev int64, from, to notifier.State) error
	// Move changes the state of a notice and resets its cursor. It returns false if the notice is not in the
	// state from, or has another revision.
	Move(ctx context.Context, id, rev int64, from, to notifier.State) (bool, error)
	// TrimDrafts deletes drafts last changed before then, and drafts whose keys show that they were
	// sent.
	TrimDrafts(ctx context.Context, before time.Time) (int64, error)
	// ForgetKeys deletes idempotency keys from before then: repeating such a request sends again.
	ForgetKeys(ctx context.Context, before time.Time) (int64, error)
	// TrimNotices deletes finished notices to inboxes from a batch with ids above after, if they were
	// accepted before accepted and expired before expired. It returns where to continue; 0: done.
	TrimNotices(ctx context.Context, after int64, accepted, expired time.Time) (next, deleted int64, err error)
	// TrimAudit deletes audit entries from before then.
	TrimAudit(ctx context.Context, before time.Time) (int64, error)
}

// Queue contains the work of all instances; see package store for each method.
type Queue interface {
	ClaimNotices(ctx context.Context, c notifier.Claim, limit int) ([]notifier.Work, error)
	ClaimWork(ctx context.Context, c notifier.Claim, limit int) ([]notifier.Work, error)
	Renew(ctx context.Context, c notifier.Claim, notices, work []int64) error
	GiveBack(ctx context.Context, owner int64, notices, work []int64) error
	GiveBackAll(ctx context.Context, owner int64) error
	Retry(ctx context.Context, owner int64, w notifier.Work, due time.Time, why string) error
	AddWork(ctx context.Context, all ...notifier.Work) error
	AdvanceWork(ctx context.Context, c notifier.Claim, id, from int64, more ...notifier.Work) (held bool, err error)
	FinishWork(ctx context.Context, owner, id int64) error
	Resending(ctx context.Context) (bool, error)
	CountWork(ctx context.Context, limit int64) (int64, error)
	Passed(ctx context.Context, owner, id int64) (bool, error)
}

// DeadLetterStore stores dead letters.
type DeadLetterStore interface {
	// Bury stores a dead letter, and deletes its row of work unless work is 0. It does nothing without the claim.
	Bury(ctx context.Context, owner, work int64, d notifier.DeadLetter) (held bool, err error)
	DeadLetter(ctx context.Context, id int64) (notifier.DeadLetter, error)
	DiscardDeadLetter(ctx context.Context, by notifier.Actor, id int64) error
	// ReplayDeadLetter replaces a dead letter with work, and ensures that its notice is resent if Redis
	// loses its data now.
	ReplayDeadLetter(ctx context.Context, by notifier.Actor, id int64, w notifier.Work) error
}
