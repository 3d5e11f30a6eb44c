package inbox

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// searched is the number of entries that a search reads, starting with the newest.
const searched = 200

// search returns a page of the entries that match the filter, and counts their types. It is one
// round trip: the entries are compared here, because Lua cannot ignore the case of Unicode.
func (b *Inbox) search(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error) {
	all, err := b.look(ctx, seq, notifier.Query{Unread: q.Unread, Limit: searched})
	if err != nil {
		return notifier.Page{}, fmt.Errorf("search the inbox of user %d: %w", seq, err)
	}
	page := pageOf(all.Entries, q)
	page.Unread, page.Ver = all.Unread, all.Ver
	return page, nil
}

// Types counts the types of a user's entries, or of the unread ones, like a search without text, but
// without reading their contents: an entry key begins with the type. It neither restores a cold inbox
// nor excludes expired entries, so call it after a method that does.
func (b *Inbox) Types(ctx context.Context, seq int64, unread bool) ([]notifier.TypeCount, error) {
	last := int64(searched - 1)
	if unread {
		last = -1
	}
	fields, err := b.rdb.LRange(ctx, b.k.List(seq), 0, last).Result()
	if err != nil {
		return nil, fmt.Errorf("count the types in the inbox of user %d: %w", seq, script.MarkAway(err))
	}
	types, left := notifier.TypeTally{}, searched
	for _, field := range fields {
		key, read, ok := notifier.SplitField(field)
		typ, whole := notifier.KeyType(key)
		if !ok || !whole || unread && read {
			continue
		}
		types[typ]++
		if left--; left == 0 {
			break
		}
	}
	return types.List(), nil
}
