package announcement

import (
	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Replies of scripts that did nothing.
const (
	codeLost  = -1 // part of the index is lost: rebuild it from SQL
	codeOld   = -2 // the caller's index is old; for drop_bits: not over
	codeLater = -3 // the index was built from a later state of SQL
	codeDirty = -4 // SQL does not have all of the bitmap
)

// badgeOf returns the announcements half of the badge at the i-th element after the first: unread,
// read, version.
func badgeOf(r script.Reply, i int) notifier.Badge { return newBadge(r.Number(i), r.Number(i+2)) }

func newBadge(unread, aver int64) notifier.Badge {
	return notifier.Badge{Unread: unread, Announcements: unread, AVer: aver}
}
