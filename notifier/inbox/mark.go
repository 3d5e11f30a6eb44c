package inbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// MarkRead marks the entries with these keys as read, and returns the keys of the previously unread
// ones. Keys that are not in the inbox are skipped; if all are, it returns notifier.ErrNotFound.
func (b *Inbox) MarkRead(ctx context.Context, seq int64, keys ...string) ([]string, notifier.Badge, error) {
	turned, badge, err := b.mark(ctx, seq, marking{to: 1}, keys)
	if err != nil {
		return nil, badge, fmt.Errorf("mark %d entries of user %d as read: %w", len(keys), seq, err)
	}
	return turned, badge, nil
}

// Follow is MarkRead for an entry that must still belong to this notice.
func (b *Inbox) Follow(ctx context.Context, seq int64, key string, noticeID int64) (notifier.Badge, error) {
	_, badge, err := b.mark(ctx, seq, marking{to: 1, notice: noticeID}, []string{key})
	if err != nil {
		return badge, fmt.Errorf("mark a followed entry of user %d as read: %w", seq, err)
	}
	return badge, nil
}

// MarkUnread marks entries as unread, in their places. Opening the inbox keeps them unread; any other action that
// marks them as read ends this. It returns the keys of the previously read entries. Otherwise it is like MarkRead.
func (b *Inbox) MarkUnread(ctx context.Context, seq int64, keys ...string) ([]string, notifier.Badge, error) {
	return b.markUnread(ctx, seq, marking{keep: 1}, keys)
}

// Unread undoes MarkRead: the next opening marks the entries as read again, except those that the
// user had marked as unread before.
func (b *Inbox) Unread(ctx context.Context, seq int64, keys ...string) (notifier.Badge, error) {
	_, badge, err := b.markUnread(ctx, seq, marking{}, keys)
	return badge, err
}

func (b *Inbox) markUnread(ctx context.Context, seq int64, m marking, keys []string) ([]string, notifier.Badge, error) {
	turned, badge, err := b.mark(ctx, seq, m, keys)
	if err != nil {
		return nil, badge, fmt.Errorf("mark %d entries of user %d as unread: %w", len(keys), seq, err)
	}
	return turned, badge, nil
}

// marking describes how to mark entries: to is 1 for read and 0 for unread; keep is 1 to keep them unread
// when the inbox is opened; notice is the id of the notice that they must belong to, or 0 for any.
type marking struct {
	to, keep int
	notice   int64
}

func (b *Inbox) mark(ctx context.Context, seq int64, m marking, keys []string) ([]string, notifier.Badge, error) {
	p := b.part(seq)
	r, err := b.one(ctx, seq, func(now, _ int64) *redis.Cmd {
		return markRows.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.dirty, p.counts,
		}, withKeys(keys, m.to, now, seq, b.k.LiveUser(seq), m.keep, m.notice)...)
	})
	if err != nil {
		return nil, notifier.Badge{}, err
	}
	return textList(r.List(2)), badgeOf(r), nil
}

// withKeys returns the arguments of a script that end with entry keys.
func withKeys(keys []string, args ...any) []any {
	args = slices.Grow(args, len(keys))
	for _, key := range keys {
		args = append(args, key)
	}
	return args
}

// textList returns a list of texts in a reply.
func textList(list []any) (texts []string) {
	for _, each := range list {
		text, _ := each.(string)
		texts = append(texts, text)
	}
	return texts
}

// ReadUpto marks every unread entry with an at up to upto as read. upto is an at in decimal, or the
// key of an entry, whose at is used. Later entries stay unread. It returns notifier.ErrNotFound for a
// key that is not in the inbox.
func (b *Inbox) ReadUpto(ctx context.Context, seq int64, upto string) (notifier.Badge, error) {
	if upto == "" {
		return notifier.Badge{}, fmt.Errorf("mark the entries seen by user %d as read: %w", seq, notifier.ErrNotFound)
	}
	p := b.part(seq)
	at, key := parseUpto(upto)
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd {
		return readUpto.Run(ctx, b.rdb, []string{
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry, p.dirty, p.counts,
		}, at, key, now, settled, seq, b.k.LiveUser(seq))
	})
	if err != nil {
		return notifier.Badge{}, fmt.Errorf("mark the entries seen by user %d as read: %w", seq, err)
	}
	return badgeOf(r), nil
}

// parseUpto returns an at, or else a key.
func parseUpto(upto string) (at int64, key string) {
	at, err := strconv.ParseInt(upto, 10, 64)
	if err != nil || at < 0 {
		return 0, upto
	}
	return at, ""
}

// ReadKeys marks the entries with these keys as read. It returns notifier.ErrNotFound if one of
// them is not in the inbox; then none is changed.
func (b *Inbox) ReadKeys(ctx context.Context, seq int64, entryKeys []string) (notifier.Badge, error) {
	badge, err := b.readSome(ctx, seq, func(now, settled int64, keys []string) *redis.Cmd {
		return readKeys.Run(ctx, b.rdb, keys, withKeys(entryKeys, now, settled, seq, b.k.LiveUser(seq))...)
	})
	if err != nil {
		return badge, fmt.Errorf("mark %d entries of user %d as read: %w", len(entryKeys), seq, err)
	}
	return badge, nil
}

// ReadSubject marks every entry about a subject as read, of any type: the entries of an app and of the
// installation itself, or all entries if app is 0. Without such an entry nothing changes.
func (b *Inbox) ReadSubject(ctx context.Context, seq int64, subject string, app int64) (notifier.Badge, error) {
	badge, err := b.readSome(ctx, seq, func(now, settled int64, keys []string) *redis.Cmd {
		return readSubject.Run(ctx, b.rdb, keys, subject, now, settled, seq, b.k.LiveUser(seq), app)
	})
	if err != nil {
		return badge, fmt.Errorf("mark the entries of user %d about a subject as read: %w", seq, err)
	}
	return badge, nil
}

func (b *Inbox) readSome(ctx context.Context, seq int64, run func(now, settled int64, keys []string) *redis.Cmd) (notifier.Badge, error) {
	p := b.part(seq)
	keys := []string{b.k.List(seq), b.k.Hash(seq), b.k.State(seq), p.expiry, p.dirty, p.counts}
	r, err := b.one(ctx, seq, func(now, settled int64) *redis.Cmd { return run(now, settled, keys) })
	if err != nil {
		return notifier.Badge{}, err
	}
	return badgeOf(r), nil
}
