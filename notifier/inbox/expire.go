package inbox

import (
	"context"
	"fmt"
)

// Expire takes those entries out of a user's inbox that are due, and answers how
// many were. A key that is not due stays. All of them, and those of no entry at
// all, leave the expiry index unless they are due later.
func (b *Inbox) Expire(ctx context.Context, seq int64, keys []string) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	n, err := b.expire(ctx, seq, b.millis(), keys)
	if err != nil {
		return 0, fmt.Errorf("expire %d entries of user %d: %w", len(keys), seq, err)
	}
	return n, nil
}

// expire is Expire at a given time; no keys stand for the whole inbox.
func (b *Inbox) expire(ctx context.Context, seq, now int64, keys []string) (int, error) {
	p := b.part(seq)
	args := make([]any, 0, 3+len(keys))
	args = append(args, now, seq, b.k.LiveUser(seq))
	for _, key := range keys {
		args = append(args, key)
	}
	r, err := parseReply(expireEntries.Run(ctx, b.rdb, []string{
		b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty,
	}, args...))
	if err != nil {
		return 0, err
	}
	return int(r.code), r.outcome()
}
