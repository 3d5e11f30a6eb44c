package inbox

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// sectionArgs returns the types, scope and app of a section as scripts take them.
func sectionArgs(of *notifier.Section, more ...any) []any {
	types := ""
	if len(of.Types) > 0 {
		types = "," + strings.Join(of.Types, ",") + ","
	}
	args := []any{types}
	for _, name := range []*string{of.Scope, of.App} {
		if name == nil {
			args = append(args, "")
			continue
		}
		args = append(args, "="+*name)
	}
	return append(args, more...)
}

// SectionBadge returns the badge of a section of an inbox: the number of its unread entries, and the version of the inbox.
func (b *Inbox) SectionBadge(ctx context.Context, seq int64, of notifier.Section) (notifier.Badge, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return b.shared.Run(ctx, countSection, []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry}, sectionArgs(&of, now, settled, seq)...)
	})
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("count the unread entries of a section of the inbox of user %d: %w", seq, err)
	}
	return badgeOf(r), nil
}

// The properties by which CountBy counts entries.
const (
	ByType  = "type"
	ByScope = "scope"
	ByApp   = "app"
)

// CountBy counts the entries of an inbox by type, scope or app, those with the newest entries first.
func (b *Inbox) CountBy(ctx context.Context, seq int64, by string) ([]notifier.NameCount, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return b.shared.Run(ctx, countRows, []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry}, by, now, settled, seq)
	})
	if err != nil {
		return nil, fmt.Errorf("count the entries of user %d by %s: %w", seq, by, err)
	}
	list := r.List(2)
	counts := make([]notifier.NameCount, 0, len(list)/3)
	for i := 0; i+2 < len(list); i += 3 {
		var c notifier.NameCount
		c.Name, _ = list[i].(string)
		c.Rows, _ = list[i+1].(int64)
		c.Unread, _ = list[i+2].(int64)
		counts = append(counts, c)
	}
	return counts, nil
}

// ReadSection marks every unread entry of a section of an inbox as read, up to the same upto as ReadUpto takes; if it is empty,
// every one that is there. Without such an entry nothing changes. It returns notifier.ErrNotFound for a key that is
// not in the inbox.
func (b *Inbox) ReadSection(ctx context.Context, seq int64, of notifier.Section, upto string) (notifier.Badge, error) {
	at, key := int64(notifier.MaxAt), ""
	if upto != "" {
		at, key = parseUpto(upto)
	}
	badge, err := b.readSome(ctx, seq, func(now, settled int64, keys []string) *redis.Cmd {
		return readSection.Run(ctx, b.rdb, keys, sectionArgs(&of, at, key, now, settled, seq, b.k.LiveUser(seq))...)
	})
	if err != nil {
		return badge, fmt.Errorf("mark a section of the inbox of user %d as read: %w", seq, err)
	}
	return badge, nil
}

// OpenSection returns the first page of a section of an inbox as it was, like a search of it, and marks every unread entry of the
// section as read, except entries that the user marked as unread. The numbers of the page are those of the whole inbox, from after
// the opening. If there was nothing to mark, nothing is published.
func (b *Inbox) OpenSection(ctx context.Context, seq int64, of notifier.Section) (notifier.Page, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return b.shared.Run(ctx, openSection, []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry, p.dirty, p.counts},
			sectionArgs(&of, searched, now, settled, seq, b.k.LiveUser(seq))...)
	})
	if err != nil {
		return notifier.Page{}, fmt.Errorf("open a section of the inbox of user %d: %w", seq, err)
	}
	all := b.page(seq, r)
	page := pageOf(all.Entries, notifier.Query{Filter: notifier.Filter{Section: of}})
	page.Unread, page.Ver, page.Turned = all.Unread, all.Ver, r.Code
	markNew(page.Entries, r)
	return page, nil
}
