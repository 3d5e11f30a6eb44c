package inbox

import (
	"context"
	"fmt"
)

// Retract takes a notice out of each of these inboxes and keeps it out: also
// where it has not come yet, a later delivery changes nothing. key is the
// notice's entry key; a later notice of the same key stays.
func (b *Inbox) Retract(ctx context.Context, noticeID int64, key string, seqs []int64) error {
	var boxedKey, boxedID any = key, noticeID
	_, err := b.many(ctx, seqs, task{retractNotice, 6, func(to []any, seq int64, u userArgs) []any {
		p := b.part(seq)
		return append(
			to,
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty,
			boxedKey, boxedID, u.now, u.seq, u.channel,
		)
	}})
	if err != nil {
		return fmt.Errorf("retract notice %d from %d users: %w", noticeID, len(seqs), err)
	}
	return nil
}
