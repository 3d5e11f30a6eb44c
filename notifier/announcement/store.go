package announcement

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Store is the part of SQL that announcements need. SQL is the source of truth: Redis holds data
// derived from it, and the reads of the last moment.
type Store interface {
	// AnnouncementRevision returns a number that rises with every announcement, edit, retraction
	// and deletion, in the same transaction.
	AnnouncementRevision(ctx context.Context) (int64, error)
	// CurrentAnnouncements returns the announcements of which a part is not finished, with all
	// their parts, including retracted and ended ones.
	CurrentAnnouncements(ctx context.Context) ([]notifier.Announcement, error)
	// Announcements returns those of the given announcements that exist.
	Announcements(ctx context.Context, ids []int64) ([]notifier.Announcement, error)
	// SettleTop stores the highest seq that sees an announcement when it opens in an audience. The
	// first call decides; later ones return the same.
	SettleTop(ctx context.Context, k notifier.PartKey) (notifier.Part, error)
	// SaveReads stores bitmap segments whose Ver is newer than the stored one. It drops segments
	// whose From differs from the ReadsFrom of the announcement.
	SaveReads(ctx context.Context, segments []notifier.ReadSegment) error
	// Reads returns all segments of a bitmap.
	Reads(ctx context.Context, k notifier.PartKey) ([]notifier.ReadSegment, error)
	// LatestReads returns the highest Ver of an audience's segments.
	LatestReads(ctx context.Context, a notifier.Audience) (int64, error)
	// FinishPart records the number of readers of an announcement that is over in an audience. A
	// part that has been reopened in the meantime must not change.
	FinishPart(ctx context.Context, k notifier.PartKey, reads int64) error
}
