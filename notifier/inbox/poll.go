package inbox

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/batch"
	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// pollSize is the default number of entries in a poll.
const pollSize = 50

// Poll returns the entries delivered after q.Since, newest first, and changes nothing. Expired
// entries are neither returned nor counted. If there are several pages, the next poll must use
// Newest of the first one as Since, which also covers entries delivered while the pages are read.
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
			if q.Scope != "" && e.Scope != q.Scope || q.Type != "" && e.Type != q.Type || !has(&e.Content) {
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
		return b.polls.run(ctx, []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry}, rows, now, settled, seq, since, after)
	})
	if err != nil {
		return notifier.Poll{}, err
	}
	page := b.page(seq, r)
	return notifier.Poll{Entries: page.Entries, Unread: page.Unread, Ver: page.Ver, Newest: r.Number(2), Next: page.Older}, nil
}

// pollWait bounds a shared round trip.
const pollWait = 5 * time.Second

// polling lets concurrent polls share round trips. On a cluster each poll runs alone: otherwise
// callers would wait for nodes that they do not need.
type polling struct {
	rdb     redis.UniversalClient
	apart   bool
	waiting *batch.Queue[*poller]
}

func newPolling(rdb redis.UniversalClient) *polling {
	_, cluster := rdb.(*redis.ClusterClient)
	g := &polling{rdb: rdb, apart: cluster}
	g.waiting = batch.New(batch.Options[*poller]{Call: g.runAll, Limit: pollWait, Most: perPipeline})
	return g
}

// poller is a poll. Its reply is in cmd.
type poller struct {
	keys []string // of poll_inbox
	args []any
	cmd  *redis.Cmd
}

// run runs poll_inbox, together with other polls.
func (g *polling) run(ctx context.Context, keys []string, args ...any) *redis.Cmd {
	if g.apart {
		return pollInbox.Run(ctx, g.rdb, keys, args...)
	}
	w := &poller{keys: keys, args: args}
	if err := g.waiting.Do(ctx, w); err != nil {
		return redis.NewCmdResult(nil, err)
	}
	return w.cmd
}

// runAll runs poll_inbox for all of these.
func (g *polling) runAll(ctx context.Context, some []*poller) {
	if len(some) == 1 {
		some[0].cmd = pollInbox.Run(ctx, g.rdb, some[0].keys, some[0].args...)
		return
	}
	p := script.NewPipe(g.rdb, len(some))
	var buf []any
	for _, w := range some {
		buf = buf[:0]
		for _, key := range w.keys {
			buf = append(buf, key)
		}
		w.cmd = p.Add(ctx, pollInbox, len(w.keys), append(buf, w.args...)...) // copies the arguments
	}
	_ = p.Exec(ctx) // each command holds its own error
}
