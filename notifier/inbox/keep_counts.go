package inbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// RestoreCounts brings how far these notices came in a partition up to what SQL has:
// where Redis has less, because it came back as it was before. That may be repeated.
// With add what Redis has comes on top of it, because it was counted anew from
// nothing: once, for it adds each time.
func (b *Inbox) RestoreCounts(ctx context.Context, partition int, counts []notifier.NoticeCount, add bool) error {
	mode := 0
	if add {
		mode = 1
	}
	if err := b.eachCount(ctx, restoreCounts, partition, counts, mode); err != nil {
		return fmt.Errorf("restore the counts of %d notices in partition %d: %w", len(counts), partition, err)
	}
	return nil
}

// ForgetCounts takes what is counted of notices that are over out of Redis, where it
// is what SQL has by now.
func (b *Inbox) ForgetCounts(ctx context.Context, partition int, counts []notifier.NoticeCount) error {
	if err := b.eachCount(ctx, forgetCounts, partition, counts); err != nil {
		return fmt.Errorf("forget the counts of %d notices in partition %d: %w", len(counts), partition, err)
	}
	return nil
}

// eachCount runs a script with some arguments and these counts, a few hundred a run.
func (b *Inbox) eachCount(ctx context.Context, s *script.Script, partition int, counts []notifier.NoticeCount, first ...any) error {
	p := script.NewPipe(b.rdb, 1)
	for chunk := range slices.Chunk(counts, badgeBatch) {
		args := append(make([]any, 0, 1+len(first)+3*len(chunk)), b.parts[partition].counts)
		args = append(args, first...)
		for _, c := range chunk {
			args = append(args, c.NoticeID, c.Delivered, c.Read)
		}
		p.Add(ctx, s, 1, args...)
	}
	return away(p.Exec(ctx))
}
