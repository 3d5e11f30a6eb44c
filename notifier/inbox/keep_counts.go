package inbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// RestoreCounts raises the counts of these notices in a partition to those of SQL, where Redis
// has less because it came back in an older state; that may be repeated. With add, the counts
// of SQL are added to those in Redis, because Redis started again from zero; that must be done
// only once.
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

// ForgetCounts removes the counts of finished notices from Redis, unless they differ from the
// given ones, which SQL has.
func (b *Inbox) ForgetCounts(ctx context.Context, partition int, counts []notifier.NoticeCount) error {
	if err := b.eachCount(ctx, forgetCounts, partition, counts); err != nil {
		return fmt.Errorf("forget the counts of %d notices in partition %d: %w", len(counts), partition, err)
	}
	return nil
}

// eachCount runs a script with the arguments first and these counts, a few hundred at a time.
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
	return script.MarkAway(p.Exec(ctx))
}
