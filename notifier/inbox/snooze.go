package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// wakesAtOnce is the number of inboxes in which snoozed entries come back at the same time.
const wakesAtOnce = 8

// Snooze puts an entry away until a time, when WakeDue brings it back. Until then it is with the archived entries, where it
// counts as read; Restore undoes it. It returns notifier.ErrNotFound if the key is not in the inbox, and a
// *notifier.InvalidError if the user has too many snoozed entries.
func (b *Inbox) Snooze(ctx context.Context, seq int64, key string, until time.Time) (notifier.Badge, error) {
	when := until.UnixMilli()
	r, err := b.putAway(ctx, seq, []string{key}, func(int64) (int64, string) { return when, notifier.SnoozedWord })
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("snooze an entry of user %d: %w", seq, err)
	}
	b.saveNow(ctx, []int64{seq})
	return badgeOf(r), nil
}

// Wake brings a snoozed entry back now, as WakeDue would. It returns notifier.ErrNotFound if it is not snoozed.
func (b *Inbox) Wake(ctx context.Context, seq int64, key string) (notifier.Badge, error) {
	woken, badge, err := b.wakeRows(ctx, seq, func(r *notifier.ArchivedRow) bool { return r.Key == key })
	if err == nil && woken == 0 {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("wake an entry of user %d: %w", seq, err)
	}
	b.saveNow(ctx, []int64{seq})
	return badge, nil
}

// Snoozed returns the number of snoozed entries of a user. Without SQL it includes those whose notices were edited to expire
// before they come back.
func (b *Inbox) Snoozed(ctx context.Context, seq int64) (int64, error) {
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return b.shared.Run(ctx, countLater, []string{b.k.State(seq), b.k.Archive(seq), b.k.Gone(seq)}, now)
	})
	if err != nil {
		return 0, fmt.Errorf("count the snoozed entries of user %d: %w", seq, err)
	}
	if r.Code == 0 {
		return 0, nil
	}
	if page, err := b.lookArchived(ctx, seq, notifier.Query{Later: true, Limit: notifier.MaxSnoozed}); err == nil {
		return int64(len(page.Entries)), nil
	}
	return r.Code, nil
}

// WakeDue brings back the snoozed entries of these users that are due: to the top, unread, with the content from SQL, the
// one due first below the others. Entries that were retracted or have expired do not come back. It returns how many did.
// It may be repeated, on several instances at a time. A failed inbox is logged and does not delay the others, so an error
// means that Redis or SQL is unavailable.
func (b *Inbox) WakeDue(ctx context.Context, seqs []int64) (woken int, err error) {
	now := b.millis()
	due := func(r *notifier.ArchivedRow) bool { return r.ArchivedAt <= now }
	counts := make([]int, len(seqs))
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(wakesAtOnce)
	for i, seq := range seqs {
		group.Go(func() error {
			n, _, err := b.wakeRows(each, seq, due)
			switch counts[i] = n; {
			case err == nil, errors.Is(err, notifier.ErrNotFound):
				return nil
			case hopeless(each, err) != nil:
				return fmt.Errorf("wake the entries of user %d: %w", seq, err)
			}
			b.log.ErrorContext(each, "could not bring back snoozed entries", "user_id", seq, "err", err)
			return nil
		})
	}
	err = group.Wait()
	var changed []int64
	for i, n := range counts {
		if woken += n; n > 0 {
			changed = append(changed, seqs[i])
		}
	}
	b.saveNow(ctx, changed)
	return woken, err
}

// wakeRows brings back the snoozed entries of a user for which due is true, and returns how many came back.
func (b *Inbox) wakeRows(ctx context.Context, seq int64, due func(*notifier.ArchivedRow) bool) (int, notifier.Badge, error) {
	rows, _, err := b.archived(ctx, seq)
	if err != nil {
		return 0, notifier.Badge{}, err
	}
	rows = slices.DeleteFunc(rows, func(r notifier.ArchivedRow) bool { return !r.Snoozed || !due(&r) })
	if len(rows) == 0 || b.sql == nil {
		return 0, notifier.Badge{}, notifier.ErrNotFound
	}
	slices.SortFunc(rows, func(a, b notifier.ArchivedRow) int {
		return cmp.Or(cmp.Compare(a.ArchivedAt, b.ArchivedAt), cmp.Compare(a.At, b.At))
	})
	entries, args, err := b.wakeArgs(ctx, seq, rows)
	if err != nil {
		return 0, notifier.Badge{}, err
	}
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return wakeRows.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), p.expiry, p.dirty, b.k.Archive(seq), p.counts,
		}, append([]any{now, b.cap, seq, b.k.LiveUser(seq)}, args...)...)
	})
	if err != nil {
		return 0, notifier.Badge{}, err
	}
	badge := badgeOf(r)
	if b.freshenAll(ctx, seq, entries) {
		if badges, err := b.Badges(ctx, []int64{seq}); err == nil {
			badge = badges[0]
		}
	}
	return int(r.Code), badge, nil
}

// wakeArgs returns the entries that come back, and for each of the rows the ARGV of wake_rows.
func (b *Inbox) wakeArgs(ctx context.Context, seq int64, rows []notifier.ArchivedRow) (entries []notifier.Entry, args []any, err error) {
	places := make([]notifier.SnapshotRow, len(rows))
	for i := range rows {
		places[i] = placeOf(&rows[i])
	}
	contents, err := b.sql.Contents(ctx, shownBy(places))
	if err != nil {
		return nil, nil, fmt.Errorf("read the contents of %d notices: %w", len(rows), script.MarkAway(err))
	}
	for i := range rows {
		place, content := succeeded(places[i], among(contents)), []byte(nil)
		if e, ok := entryOf(seq, place, contents, b.millis()); ok {
			if content, err = notifier.EncodeContent(e.Content); err != nil {
				return nil, nil, fmt.Errorf("encode an entry of user %d: %w", seq, err)
			}
			content = withGroup(content, e.Group)
			entries = append(entries, e)
		}
		args = append(args, rows[i].Key, archiveValue(&rows[i]), place.NoticeID, place.Expires, content)
	}
	return entries, args, nil
}

// saveNow stores these inboxes in SQL. If that fails, they are stored behind, as after every other change.
func (b *Inbox) saveNow(ctx context.Context, seqs []int64) {
	if b.sql == nil || len(seqs) == 0 {
		return
	}
	snapshots, err := b.Read(ctx, seqs)
	if err == nil {
		err = b.sql.SaveSnapshots(ctx, snapshots)
	}
	if err != nil {
		b.log.WarnContext(ctx, "could not store snoozed entries at once", "err", err)
	}
}
