package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

const (
	unreadChunk    = 1000                   // recipients whose inboxes are asked at a time
	unreadPatience = 500 * time.Millisecond // a search ends after the chunk in which this has passed
)

// unread finds who has not read a notice.
type unread struct {
	recipients func(ctx context.Context, id int64) (*roaring.Bitmap, error)
	unreadOf   func(ctx context.Context, n *notifier.Notice, among *roaring.Bitmap) (*roaring.Bitmap, error)
	names      func(ctx context.Context, who *roaring.Bitmap) (map[int64]notifier.UserName, error)
	now        func() time.Time
}

// UnreadBy returns at most most users with seqs above after who have a notice unread in their
// inbox, by seq. If there may be more, next is the seq to go on after; else it is 0. A search that
// takes long returns fewer.
func (u unread) UnreadBy(ctx context.Context, n *notifier.Notice, after int64, most int) (users []notifier.UserName, next int64, err error) {
	all, err := u.recipients(ctx, n.ID)
	if err != nil {
		return nil, 0, fmt.Errorf("list who has not read notice %d: %w", n.ID, err)
	}
	all.RemoveRange(0, uint64(max(after, 0))+1)
	end, rest := u.now().Add(unreadPatience), all.ManyIterator()
	page := roaring.New()
	for chunk := make([]uint32, unreadChunk); next == 0; {
		read := rest.NextMany(chunk)
		if read == 0 {
			break
		}
		found, err := u.unreadOf(ctx, n, roaring.BitmapOf(chunk[:read]...))
		if err != nil {
			return nil, 0, err
		}
		for seq := range roaring.Values(found) {
			if page.GetCardinality() == uint64(most) { //nolint:gosec // a constant
				next = int64(page.Maximum())
				break
			}
			page.Add(seq)
		}
		if last := chunk[read-1]; next == 0 && last != all.Maximum() && u.now().After(end) {
			next = int64(last)
		}
	}
	names, err := u.names(ctx, page)
	if err != nil {
		return nil, 0, err
	}
	for seq := range roaring.Values(page) {
		if name, ok := names[int64(seq)]; ok {
			users = append(users, name)
		}
	}
	return users, next, nil
}
