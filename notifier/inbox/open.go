package inbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Open returns the first page as it was, and marks every unread entry of the inbox as read,
// except entries that the user marked as unread. The numbers of the page are from after the
// opening. If there was nothing to mark, nothing is published.
func (b *Inbox) Open(ctx context.Context, seq int64) (notifier.Page, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return b.shared.Run(ctx, openInbox, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry, p.dirty, p.counts, p.idle, b.k.Gone(seq), b.k.Archive(seq),
		}, PageSize, now, settled, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Page{}, fmt.Errorf("open the inbox of user %d: %w", seq, err)
	}
	page := b.page(seq, r)
	page.Turned = r.Code
	markNew(page.Entries, r)
	// Older pages show entries delivered after the previous opening as New. That is correct only if this opening
	// marked something as read. The at of every entry is above 1.
	if r.Code > 0 {
		page.Opened = max(r.Number(2), 1)
	}
	return page, nil
}

// markNew marks the entries that an opening has marked as read: those that were unread, except entries that the user marked
// as unread. The reply of both scripts has the ids of these.
func markNew(entries []notifier.Entry, r script.Reply) {
	kept := parseIDs(r.Text(6))
	for i := range entries {
		e := &entries[i]
		e.New = !e.Read && !slices.Contains(kept, e.NoticeID)
	}
}

// Look returns a page and changes nothing. With q.Opened, an entry that was delivered after that
// version and is read now counts as marked by the opening to which the page belongs: it is New,
// and its Read is the state before.
func (b *Inbox) Look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error) {
	if q.PutAway() {
		return b.lookArchived(ctx, seq, q)
	}
	if q.Filters() {
		return b.search(ctx, seq, q)
	}
	page, err := b.look(ctx, seq, q)
	if err != nil {
		return notifier.Page{}, fmt.Errorf("read the inbox of user %d: %w", seq, err)
	}
	page.Opened = q.Opened
	for i := range page.Entries {
		page.Entries[i] = asOpened(page.Entries[i], q.Opened)
	}
	return page, nil
}

// look returns a page as stored, ignoring its filter.
func (b *Inbox) look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error) {
	p, unread := b.part(seq), 0
	if q.Unread {
		unread = 1
	}
	limit := q.Limit
	if limit <= 0 {
		limit = PageSize
	}
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return b.shared.Run(ctx, readPage, []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry},
			min(limit, maxLimit), now, settled, seq, max(q.Before, 0), unread)
	})
	if err != nil {
		return notifier.Page{}, err
	}
	return b.page(seq, r), nil
}

// page parses {…, unread, ver, opened, more, fields, values}. It omits and logs malformed
// rows.
func (b *Inbox) page(seq int64, r script.Reply) notifier.Page {
	fields, values := r.List(4), r.List(5)
	page := notifier.Page{
		Unread: r.Number(0), Ver: r.Number(1),
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
			b.log.Warn("malformed row omitted from a page", "user_id", seq, "err", err)
			continue
		}
		e.Show()
		page.Entries = append(page.Entries, e)
	}
	if n := len(page.Entries); n > 0 && r.Number(3) == 1 {
		page.Older = page.Entries[n-1].At
	}
	return page
}
