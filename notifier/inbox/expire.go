package inbox

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/carillonhq/carillon/internal/script"
)

// Expire removes from each user's inbox those of the given entries that are due, and returns
// how many it removed. Entries that are not due stay. The members of all given keys, even of
// those without an entry, leave the expiry index, except for entries that are due later. The
// empty key stands for all entries of the inbox. An inbox that fails does not hold up the
// others.
func (b *Inbox) Expire(ctx context.Context, due map[int64][]string) (int, error) {
	seqs := slices.Sorted(maps.Keys(due))
	seqs = slices.DeleteFunc(seqs, func(seq int64) bool { return len(due[seq]) == 0 })
	n, errs := b.many(ctx, 1, jobsOf(seqs), task{expireEntries, 6, func(to []any, j job, u userArgs) []any {
		p := b.part(j.seq)
		to = append(
			to,
			b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), b.k.Gone(j.seq), p.expiry, p.dirty,
			u.now, u.seq, u.channel,
		)
		for _, key := range due[j.seq] {
			to = append(to, key)
		}
		return to
	}})
	if err := errs[0]; err != nil {
		return n, fmt.Errorf("expire entries of %d users: %w", len(seqs), err)
	}
	return n, nil
}

// expire removes from one inbox every entry that is due at the given time.
func (b *Inbox) expire(ctx context.Context, seq, now int64) error {
	p := b.part(seq)
	r, err := script.ParseReply(expireEntries.Run(ctx, b.rdb, []string{
		b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty,
	}, now, seq, b.k.LiveUser(seq), ""))
	if err != nil {
		return err
	}
	return outcome(r)
}
