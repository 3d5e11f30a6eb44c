package inbox

import (
	"context"
	"fmt"
)

// Retract removes a notice from each of these inboxes and keeps it out: if it has not been
// delivered yet, a later delivery has no effect. key is the notice's entry key; a later notice
// with the same key stays.
func (b *Inbox) Retract(ctx context.Context, noticeID int64, key string, seqs []int64) error {
	var boxedKey, boxedID any = key, noticeID
	_, errs := b.many(ctx, 1, jobsOf(seqs), task{retractNotice, 6, func(to []any, j job, u userArgs) []any {
		p := b.part(j.seq)
		return append(
			to,
			b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), b.k.Gone(j.seq), p.expiry, p.dirty,
			boxedKey, boxedID, u.now, u.seq, u.channel,
		)
	}})
	if err := errs[0]; err != nil {
		return fmt.Errorf("retract notice %d from %d users: %w", noticeID, len(seqs), err)
	}
	return nil
}
