package inbox

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// Open answers the first page as it was and turns every unread entry of the
// inbox to read. Its numbers are those after the opening. When nothing was
// unread, nothing is written and nobody is told.
func (b *Inbox) Open(ctx context.Context, seq int64) (notifier.Page, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return openInbox.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry, p.dirty, p.counts, p.idle,
		}, PageSize, now, settled, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Page{}, fmt.Errorf("open the inbox of user %d: %w", seq, err)
	}
	page := b.page(seq, r)
	page.Turned = r.code
	for i := range page.Entries {
		page.Entries[i].New = !page.Entries[i].Read
	}
	// Older pages mark as New what came after the last opening, which is right
	// only for an opening that turned something. 1 is before any entry's at.
	if r.code > 0 {
		page.Opened = max(r.number(2), 1)
	}
	return page, nil
}

// Look answers a page and changes nothing. With q.Opened an entry that came
// after it and is read by now counts as turned by the opening which the page
// belongs to: it is New, and its Read is the state before.
func (b *Inbox) Look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error) {
	p, unread := b.part(seq), 0
	if q.Unread {
		unread = 1
	}
	limit := q.Limit
	if limit <= 0 {
		limit = PageSize
	}
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return lookInbox.Run(ctx, b.rdb, []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry},
			min(limit, maxLimit), now, settled, seq, max(q.Before, 0), unread)
	})
	if err != nil {
		return notifier.Page{}, fmt.Errorf("look into the inbox of user %d: %w", seq, err)
	}
	page := b.page(seq, r)
	page.Opened = q.Opened
	for i := range page.Entries {
		page.Entries[i] = asOpened(page.Entries[i], q.Opened)
	}
	return page, nil
}

// page reads {…, unread, ver, opened, more, fields, values}. A malformed row is
// left out, and the log hears of it.
func (b *Inbox) page(seq int64, r reply) notifier.Page {
	fields, values := r.list(4), r.list(5)
	page := notifier.Page{
		Unread: r.number(0), Ver: r.number(1),
		Entries: make([]notifier.Entry, 0, len(fields)),
	}
	for i, f := range fields {
		field, _ := f.(string)
		value := ""
		if i < len(values) {
			value, _ = values[i].(string)
		}
		e, err := parseRow(field, value)
		if err != nil {
			b.log.Warn("left a malformed row out of a page", "user_id", seq, "err", err)
			continue
		}
		page.Entries = append(page.Entries, e)
	}
	if n := len(page.Entries); n > 0 && r.number(3) == 1 {
		page.Older = page.Entries[n-1].At
	}
	return page
}
