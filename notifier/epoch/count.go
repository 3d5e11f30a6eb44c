package epoch

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// count restores the counts of the notices of a partition. If Redis lost everything and has started
// counting from zero, the counts in SQL are added once; otherwise counts are only raised to those
// in SQL.
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
		case err != nil: // not an outage: no inbox should have to wait for counts
			h.c.Log.WarnContext(ctx, "could not restore counts", "stage", "epoch", "partition", partition, "err", err)
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
