package inbox

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Deliver puts a notice on top of each of these inboxes, unread, and answers how
// many it changed. An inbox is left as it is when the notice is or was in it,
// when a later notice has taken its key, or when it is expired. The same key
// again moves its row to the top; the oldest rows above the cap leave.
//
// On an error some inboxes may have it already: deliver again to all.
func (b *Inbox) Deliver(ctx context.Context, n *notifier.Notice, seqs []int64) (changed int, err error) {
	content, err := notifier.EncodeContent(n.Content())
	if err != nil {
		return 0, fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	counted := 0
	if n.Recipients > 1 {
		counted = 1
	}
	// Boxed here, once for all recipients.
	var key, id, expires, json, limit, count any = n.Key(), strconv.FormatInt(n.ID, 10), millis(n.ExpiresAt), content, b.cap, counted
	changed, err = b.many(ctx, seqs, task{deliverNotice, 7, func(to []any, seq int64, u userArgs) []any {
		p := b.part(seq)
		return append(
			to,
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty, p.counts,
			key, id, expires, json, u.now, limit, u.seq, u.channel, count,
		)
	}})
	if err != nil {
		return changed, fmt.Errorf("deliver notice %d to %d users: %w", n.ID, len(seqs), err)
	}
	return changed, nil
}

// millis is a time as scripts know it; 0 stands for never.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
