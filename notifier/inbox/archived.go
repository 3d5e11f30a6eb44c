package inbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Archive moves the entries with these keys from a user's inbox to the archive, where they are read. They stay there
// for 30 days. An archive can contain as many entries as an inbox: the oldest are removed first. Keys that are not in
// the inbox are skipped; if all are skipped, it returns notifier.ErrNotFound.
func (b *Inbox) Archive(ctx context.Context, seq int64, keys []string) (notifier.Moved, notifier.Badge, error) {
	r, err := b.putAway(ctx, seq, keys, func(now int64) (int64, string) { return now, "" })
	if err != nil {
		return notifier.Moved{}, notifier.Badge{}, fmt.Errorf("archive %d entries of user %d: %w", len(keys), seq, err)
	}
	return movedOf(r), badgeOf(r), nil
}

// putAway moves entries to the archive. as returns the time and the word with which they are stored.
func (b *Inbox) putAway(ctx context.Context, seq int64, keys []string, as func(now int64) (when int64, word string)) (script.Reply, error) {
	p := b.part(seq)
	return b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		when, word := as(now)
		return archiveRows.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty, p.counts, b.k.Archive(seq),
		}, withKeys(keys, now, seq, b.k.LiveUser(seq), b.cap, when, word, notifier.MaxSnoozed)...)
	})
}

// movedOf parses {…, …, fields}.
func movedOf(r script.Reply) (m notifier.Moved) {
	for _, field := range textList(r.List(2)) {
		key, read, _ := notifier.SplitField(field)
		m.Keys = append(m.Keys, key)
		if !read {
			m.Unread = append(m.Unread, key)
		}
	}
	return m
}

// Unarchive moves entries from the archive back to their old places in the inbox, with the content from SQL, read or
// unread as they were. Entries that have since been retracted or have expired, and entries for which the inbox has no room, are
// skipped. If all are skipped, it returns notifier.ErrNotFound, or notifier.ErrConflict if only a lack of room
// prevented it.
func (b *Inbox) Unarchive(ctx context.Context, seq int64, keys []string) (notifier.Moved, notifier.Badge, error) {
	m, badge, err := b.unarchive(ctx, seq, keys)
	if err != nil {
		return m, badge, fmt.Errorf("unarchive %d entries of user %d: %w", len(keys), seq, err)
	}
	return m, badge, nil
}

func (b *Inbox) unarchive(ctx context.Context, seq int64, keys []string) (m notifier.Moved, badge notifier.Badge, err error) {
	rows, _, err := b.archived(ctx, seq)
	if err != nil {
		return m, badge, err
	}
	rows = slices.DeleteFunc(rows, func(r notifier.ArchivedRow) bool { return !slices.Contains(keys, r.Key) })
	slices.SortFunc(rows, func(a, b notifier.ArchivedRow) int { return cmp.Compare(b.At, a.At) }) // the newest have priority if room is short
	entries, err := archivedEntries(ctx, b.sql, seq, rows, b.millis())
	if err != nil {
		return m, badge, err
	}
	if len(entries) == 0 {
		return m, badge, notifier.ErrNotFound
	}
	values := make(map[string]string, len(rows))
	for i := range rows {
		values[rows[i].Key] = archiveValue(&rows[i])
	}
	add := make([]any, 0, 5*len(entries))
	for i := range entries {
		content, err := notifier.EncodeContent(entries[i].Content)
		if err != nil {
			return m, badge, err
		}
		e := &entries[i]
		add = append(add, e.Key, values[e.Key], e.NoticeID, millis(e.ExpiresAt), withGroup(content, e.Group))
	}
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return unarchiveRows.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty, b.k.Archive(seq), p.counts,
		}, append([]any{now, b.cap, seq, b.k.LiveUser(seq)}, add...)...)
	})
	if err != nil {
		return m, badge, err
	}
	m, badge = movedOf(r), badgeOf(r)
	if b.freshenAll(ctx, seq, entries) {
		if badges, err := b.Badges(ctx, []int64{seq}); err == nil {
			badge = badges[0]
		}
	}
	return m, badge, nil
}

// takeArchived deletes entries from the archive. Keys that are not there are skipped; if all are, it
// returns notifier.ErrNotFound.
func (b *Inbox) takeArchived(ctx context.Context, seq int64, keys []string) ([]notifier.Entry, notifier.Badge, error) {
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return deleteArchived.Run(ctx, b.rdb, []string{
			b.k.State(seq), b.k.Gone(seq), b.part(seq).dirty, b.k.Archive(seq), b.k.Deleted(seq),
		}, withKeys(keys, now, seq, b.k.LiveUser(seq))...)
	})
	if err != nil {
		return nil, notifier.Badge{}, fmt.Errorf("delete %d archived entries of user %d: %w", len(keys), seq, err)
	}
	rows, err := parseArchive(r.List(2))
	if err != nil {
		return nil, notifier.Badge{}, err
	}
	entries := make([]notifier.Entry, len(rows))
	for i, row := range rows {
		entries[i] = notifier.Entry{Key: row.Key, NoticeID: row.NoticeID, At: row.At, Read: true}
	}
	return entries, badgeOf(r), nil
}

// restoreArchived puts deleted entries back into the archive.
func (b *Inbox) restoreArchived(ctx context.Context, seq int64, keys []string) (notifier.Badge, error) {
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return restoreArchived.Run(ctx, b.rdb, []string{
			b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), b.part(seq).dirty, b.k.Archive(seq), b.k.Deleted(seq),
		}, withKeys(keys, now, seq, b.k.LiveUser(seq), b.cap, notifier.MaxSnoozed)...)
	})
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("restore %d archived entries of user %d: %w", len(keys), seq, err)
	}
	return badgeOf(r), nil
}

// freshenAll updates entries whose notices were edited after their contents had been read, or whose questions have ended.
func (b *Inbox) freshenAll(ctx context.Context, seq int64, entries []notifier.Entry) (changed bool) {
	if b.sql == nil {
		return false
	}
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = entries[i].NoticeID
	}
	known, err := b.sql.Contents(ctx, ids)
	for i := range entries {
		if n, ok := known[ids[i]]; err != nil || ok && (n.Revision > entries[i].Revision || n.Extras.Settled()) {
			changed = b.freshen(ctx, seq, entries[i]) || changed
		}
	}
	return changed
}

// lookArchived returns a page of the archive or of the snoozed entries, in the order of the inbox.
func (b *Inbox) lookArchived(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error) {
	rows, r, err := b.archived(ctx, seq)
	rows = chosen(rows, q)
	var entries []notifier.Entry
	if err == nil {
		slices.SortFunc(rows, func(a, b notifier.ArchivedRow) int { return cmp.Compare(b.At, a.At) })
		entries, err = archivedEntries(ctx, b.sql, seq, rows, b.millis())
	}
	if err != nil {
		return notifier.Page{}, fmt.Errorf("read the archive of user %d: %w", seq, err)
	}
	for i := range entries {
		entries[i].Show()
	}
	page := pageOf(entries, q)
	page.Unread, page.Ver = r.Number(0), r.Number(1)
	return page, nil
}
