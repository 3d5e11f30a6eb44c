package inbox

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// pollSize is how many entries a poll answers that does not say.
const pollSize = 50

// Poll answers what came into an inbox since a time, newest first, and changes
// nothing. What is expired by now is not in it, nor in its numbers. Of several pages
// the first says what Since to ask with next time: what comes between two of them is
// above all of these.
func (b *Inbox) Poll(ctx context.Context, seq int64, q notifier.PollQuery) (notifier.Poll, error) {
	limit := min(q.Limit, maxLimit)
	if limit <= 0 {
		limit = pollSize
	}
	rows := limit
	if q.Scope != "" {
		rows = maxLimit // however few of them are of the scope
	}
	var answer notifier.Poll
	since, after := min(max(q.Since, 0), notifier.MaxAt), max(q.After, 0)
	for first := true; ; first = false {
		page, err := b.poll(ctx, seq, since, after, rows)
		if err != nil {
			return notifier.Poll{}, fmt.Errorf("poll the inbox of user %d: %w", seq, err)
		}
		if first {
			answer = page
			answer.Entries = nil
		}
		for _, e := range page.Entries {
			if q.Scope != "" && e.Scope != q.Scope {
				continue
			}
			if len(answer.Entries) == limit {
				answer.Next = answer.Entries[limit-1].At
				return answer, nil
			}
			answer.Entries = append(answer.Entries, e)
		}
		if answer.Next = page.Next; q.Scope == "" || page.Next == 0 {
			return answer, nil
		}
		after = page.Next
	}
}

// poll answers a page of whatever scope.
func (b *Inbox) poll(ctx context.Context, seq, since, after int64, rows int) (notifier.Poll, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return b.polls.run(ctx, []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry}, rows, now, settled, seq, since, after)
	})
	if err != nil {
		return notifier.Poll{}, err
	}
	page := b.page(seq, r)
	return notifier.Poll{Entries: page.Entries, Unread: page.Unread, Ver: page.Ver, Newest: r.number(2), Next: page.Older}, nil
}
