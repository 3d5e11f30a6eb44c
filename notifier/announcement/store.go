package announcement

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Store is what announcements need of SQL, which is the truth: Redis holds what is
// made from it, and the reads of the last moment.
type Store interface {
	// AnnouncementRevision rises with every announcement, edit, retraction and
	// deletion, in the same transaction.
	AnnouncementRevision(ctx context.Context) (int64, error)
	// CurrentAnnouncements answers those of which a part is not finished, with all
	// their parts; retracted and ended ones too.
	CurrentAnnouncements(ctx context.Context) ([]notifier.Announcement, error)
	// Announcements answers those of the ids that there are.
	Announcements(ctx context.Context, ids []int64) ([]notifier.Announcement, error)
	// SettleTop writes down who there is when an announcement opens in an audience. The
	// first call wins; later ones answer the same.
	SettleTop(ctx context.Context, k notifier.PartKey) (notifier.Part, error)
	// SaveReads stores pieces of bitmaps, where theirs is the newer Ver.
	SaveReads(ctx context.Context, segments []notifier.ReadSegment) error
	// Reads answers all pieces of a bitmap.
	Reads(ctx context.Context, k notifier.PartKey) ([]notifier.ReadSegment, error)
	// LatestReads answers the highest Ver of the pieces of an audience.
	LatestReads(ctx context.Context, a notifier.Audience) (int64, error)
	// FinishPart notes how many had read it when an announcement was over in an
	// audience. A part that has come back meanwhile must stay as it is.
	FinishPart(ctx context.Context, k notifier.PartKey, reads int64) error
}

// Lease lets one instance do the work that any of them could do.
type Lease interface {
	// Hold takes the lease or lengthens it; false means another has it.
	Hold(ctx context.Context) (bool, error)
	// Release gives it back early, if it is ours.
	Release(ctx context.Context) error
}
