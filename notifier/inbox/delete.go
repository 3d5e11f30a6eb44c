package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Delete removes entries from a user's inbox or archive. Keys that are in neither are skipped; if
// all are, it returns notifier.ErrNotFound.
func (b *Inbox) Delete(ctx context.Context, seq int64, keys ...string) (notifier.Badge, error) {
	_, badge, err := b.Take(ctx, seq, keys...)
	return badge, err
}

// Take is Delete, but also returns the entries. Entries from the archive have no content. If a stored row
// is malformed, its entry has only its key.
func (b *Inbox) Take(ctx context.Context, seq int64, keys ...string) ([]notifier.Entry, notifier.Badge, error) {
	entries, badge, err := b.takeRows(ctx, seq, keys)
	if err != nil && !errors.Is(err, notifier.ErrNotFound) {
		return nil, badge, err
	}
	rest := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		return slices.ContainsFunc(entries, func(e notifier.Entry) bool { return e.Key == key })
	})
	if len(rest) == 0 {
		return entries, badge, nil
	}
	archived, after, archiveErr := b.takeArchived(ctx, seq, rest)
	switch {
	case archiveErr == nil:
		return append(entries, archived...), after, nil
	case errors.Is(archiveErr, notifier.ErrNotFound):
		return entries, badge, err
	}
	return nil, badge, archiveErr
}

// takeRows is Take for the inbox alone.
func (b *Inbox) takeRows(ctx context.Context, seq int64, keys []string) ([]notifier.Entry, notifier.Badge, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return deleteRows.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty, b.k.Deleted(seq),
		}, withKeys(keys, now, seq, b.k.LiveUser(seq))...)
	})
	if err != nil {
		return nil, notifier.Badge{}, fmt.Errorf("delete %d entries of user %d: %w", len(keys), seq, err)
	}
	rows := textList(r.List(2))
	entries := make([]notifier.Entry, 0, len(rows)/2)
	for i := 0; i+1 < len(rows); i += 2 {
		e, err := parseRow(rows[i], rows[i+1])
		if err != nil {
			b.log.Warn("deleted a malformed row", "user_id", seq, "err", err)
			key, _, _ := notifier.SplitField(rows[i])
			e = notifier.Entry{Key: key}
		}
		entries = append(entries, e)
	}
	return entries, badgeOf(r), nil
}

// Restore undoes a Delete within 10 minutes, and an Archive or a Snooze, on any instance: it puts the entries with these keys back
// in their old places and previous states, with the content from SQL; entries deleted from the archive return to it.
// It skips entries that were neither deleted nor archived, were retracted or have expired, and entries whose keys are
// in the inbox or the archive again or for which there is no room. If all are skipped, it returns
// notifier.ErrNotFound, or notifier.ErrConflict if one was skipped for its key or the room.
func (b *Inbox) Restore(ctx context.Context, seq int64, keys ...string) (notifier.Badge, error) {
	put, places, err := b.parted(ctx, seq, keys)
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("find what user %d put away: %w", seq, err)
	}
	badge, err := b.undelete(ctx, seq, places)
	if len(put) == 0 {
		return badge, err
	}
	_, after, moveErr := b.Unarchive(ctx, seq, put)
	switch {
	case moveErr == nil:
		return after, nil
	case err != nil && !errors.Is(moveErr, notifier.ErrNotFound):
		return notifier.Badge{}, moveErr
	}
	return badge, err
}

// parted returns the keys of those entries that are in the archive now, and the places of the others that were deleted
// within the last 10 minutes. An entry that was deleted from the archive and is back there belongs to the others.
func (b *Inbox) parted(ctx context.Context, seq int64, keys []string) (put []string, places []place, err error) {
	values, err := b.rdb.HMGet(ctx, b.k.Deleted(seq), keys...).Result()
	if err != nil {
		return nil, nil, script.MarkAway(err)
	}
	archived, _, err := b.archived(ctx, seq)
	if err != nil {
		return nil, nil, err
	}
	for i, key := range keys {
		value, deleted := values[i].(string)
		at := slices.IndexFunc(archived, func(r notifier.ArchivedRow) bool { return r.Key == key })
		switch {
		case at >= 0 && archiveValue(&archived[at]) != value:
			put = append(put, key)
		case deleted:
			places = append(places, place{key, value})
		}
	}
	return put, places, nil
}

// place is where an entry was: ID AT EXPIRY, or the value that it had in the archive.
type place struct{ key, value string }

// undelete is Restore for the entries that were deleted from these places.
func (b *Inbox) undelete(ctx context.Context, seq int64, places []place) (notifier.Badge, error) {
	entries, archived, err := b.deleted(ctx, seq, places)
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("find %d deleted entries of user %d: %w", len(places), seq, err)
	}
	if len(archived) == 0 {
		return b.putBack(ctx, seq, entries...)
	}
	badge, err := b.restoreArchived(ctx, seq, archived)
	if len(entries) == 0 {
		return badge, err
	}
	if after, rowsErr := b.putBack(ctx, seq, entries...); rowsErr == nil {
		return after, nil
	}
	return badge, err
}

// deleted returns the entries that were deleted from these places and whose notices are still valid, and the keys of
// entries that were deleted from the archive.
func (b *Inbox) deleted(ctx context.Context, seq int64, places []place) ([]notifier.Entry, []string, error) {
	var archived []string
	var rows []notifier.SnapshotRow
	for _, p := range places {
		var n [4]int64
		switch members, found := parsePlace(p.value, n[:]); found {
		case 4:
			archived = append(archived, p.key)
		case 3:
			field := p.key + notifier.ReadSuffix // putBack determines its state at the time of removal
			rows = append(rows, notifier.SnapshotRow{Field: field, NoticeID: n[0], At: n[1], Expires: n[2], Members: members})
		}
	}
	if len(rows) == 0 && len(archived) > 0 {
		return nil, archived, nil
	}
	if len(rows) == 0 || b.sql == nil {
		return nil, nil, notifier.ErrNotFound
	}
	contents, err := b.sql.Contents(ctx, shownBy(rows))
	if err != nil {
		return nil, nil, err
	}
	var entries []notifier.Entry
	for _, row := range rows {
		if e, ok := entryOf(seq, row, contents, b.millis()); ok {
			entries = append(entries, e)
		}
	}
	if len(entries)+len(archived) == 0 {
		return nil, nil, notifier.ErrNotFound
	}
	return entries, archived, nil
}

// putBack puts entries back in the states in which they were removed, ignoring the states in entries.
func (b *Inbox) putBack(ctx context.Context, seq int64, entries ...notifier.Entry) (notifier.Badge, error) {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b notifier.Entry) int { return cmp.Compare(b.At, a.At) }) // the newest have priority if room is short
	rows := make([]any, 0, 5*len(entries))
	for i := range entries {
		e := &entries[i]
		content, err := notifier.EncodeContent(e.Content)
		if err != nil {
			return notifier.Badge{}, fmt.Errorf("encode an entry of user %d: %w", seq, err)
		}
		rows = append(rows, e.Key, e.NoticeID, e.At, millis(e.ExpiresAt), withGroup(content, e.Group))
	}
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return restoreRows.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty, b.k.Archive(seq),
		}, append([]any{now, b.cap, seq, b.k.LiveUser(seq)}, rows...)...)
	})
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("restore %d entries of user %d: %w", len(entries), seq, err)
	}
	if b.freshenAll(ctx, seq, entries) {
		if badges, err := b.Badges(ctx, []int64{seq}); err == nil {
			return badges[0], nil
		}
	}
	return badgeOf(r), nil
}

// Retract removes a notice from each of these inboxes and prevents its return: if it has not been
// delivered yet, a later delivery has no effect. key is the notice's entry key; a later notice
// with the same key stays.
func (b *Inbox) Retract(ctx context.Context, noticeID int64, key string, seqs []int64) error {
	var boxedKey, boxedID any = key, noticeID
	_, errs := b.many(ctx, 1, jobsOf(seqs), task{script: retractNotice, nkeys: 6, key: func(int) string { return key }, args: func(to []any, j job, u userArgs) []any {
		p := b.part(j.seq)
		return append(
			to,
			b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), b.k.Gone(j.seq), p.expiry, p.dirty,
			boxedKey, boxedID, u.now, u.seq, u.channel,
		)
	}})
	if err := errs[0]; err != nil {
		return fmt.Errorf("retract notice %d from %d users: %w", noticeID, len(seqs), err)
	}
	return nil
}
