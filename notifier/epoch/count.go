package epoch

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// count puts back how far notices of a partition came. Where everything was lost Redis
// has begun to count anew, and what SQL has comes to that; but not twice.
func (h *healing) count(ctx context.Context, partition int, mark int64) error {
	for after := int64(0); ; {
		var counts []notifier.NoticeCount
		err := h.step(ctx, func(ctx context.Context) (err error) {
			if counts, err = h.c.Store.NoticeCounts(ctx, partition, after, pageSize); err != nil || len(counts) == 0 {
				return err
			}
			return h.c.Inboxes.RestoreCounts(ctx, partition, counts, mark == lost)
		})
		switch {
		case away(err):
			return err
		case err != nil: // its own fault: nobody's inbox is to wait for numbers
			h.c.Log.WarnContext(ctx, "counts are not restored", "stage", "epoch", "partition", partition, "err", err)
		}
		if err != nil || len(counts) == 0 {
			break
		}
		after = counts[len(counts)-1].NoticeID
	}
	if mark != lost {
		return nil
	}
	return h.begin(ctx, partition)
}
