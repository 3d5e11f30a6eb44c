package inbox

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// pollSize is the default number of entries in a poll.
const pollSize = 50

// Poll returns the entries delivered after q.Since, newest first, and changes nothing. Expired
// entries are neither returned nor counted. If there are several pages, the next poll must use
// Newest of the first one as Since, so that it covers entries delivered while the pages are read.
func (b *Inbox) Poll(ctx context.Context, seq int64, q notifier.PollQuery) (notifier.Poll, error) {
	limit := min(q.Limit, maxLimit)
	if limit <= 0 {
		limit = pollSize
	}
	rows := limit
	narrow := q.Scope != "" || q.Filters()
	if narrow {
		rows = maxLimit // since only some of them may match
	}
	has := q.Texts()
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
			if q.Scope != "" && e.Scope != q.Scope || q.Type != "" && e.Type != q.Type || !q.Has(&e.Content) || !has(&e.Content) {
				continue
			}
			if len(answer.Entries) == limit {
				answer.Next = answer.Entries[limit-1].At
				return answer, nil
			}
			answer.Entries = append(answer.Entries, e)
		}
		if answer.Next = page.Next; !narrow || page.Next == 0 {
			return answer, nil
		}
		after = page.Next
	}
}

// poll returns one page, regardless of scope and filter.
func (b *Inbox) poll(ctx context.Context, seq, since, after int64, rows int) (notifier.Poll, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return b.shared.Run(ctx, pollInbox, []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry}, rows, now, settled, seq, since, after)
	})
	if err != nil {
		return notifier.Poll{}, err
	}
	page := b.page(seq, r)
	return notifier.Poll{Entries: page.Entries, Unread: page.Unread, Ver: page.Ver, Newest: r.Number(2), Next: page.Older}, nil
}
