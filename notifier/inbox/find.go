package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Find answers one entry, for whoever shows it alone. It answers
// notifier.ErrNotFound when the key is not in this inbox, and opens nothing.
// With opened it marks the entry as New where Look with Query.Opened does.
func (b *Inbox) Find(ctx context.Context, seq int64, key string, opened int64) (notifier.Entry, error) {
	e, err := b.find(ctx, seq, key)
	if errors.Is(err, notifier.ErrNotFound) {
		woken, asleep := b.wake(ctx, []int64{seq})
		switch {
		case asleep != nil:
			err = asleep
		case woken:
			e, err = b.find(ctx, seq, key)
		}
	}
	if err != nil {
		return notifier.Entry{}, fmt.Errorf("find an entry of user %d: %w", seq, err)
	}
	return asOpened(e, opened), nil
}

func (b *Inbox) find(ctx context.Context, seq int64, key string) (notifier.Entry, error) {
	unread, read := key+notifier.UnreadSuffix, key+notifier.ReadSuffix
	values, err := b.rdb.HMGet(ctx, b.k.Hash(seq), unread, read).Result()
	if err != nil {
		return notifier.Entry{}, away(err)
	}
	for i, field := range []string{unread, read} {
		value, ok := values[i].(string)
		if !ok {
			continue
		}
		e, err := parseRow(field, value)
		if err != nil {
			return notifier.Entry{}, err
		}
		if b.expired(e) {
			break
		}
		return e, nil
	}
	return notifier.Entry{}, notifier.ErrNotFound
}

func (b *Inbox) expired(e notifier.Entry) bool {
	return !e.ExpiresAt.IsZero() && !e.ExpiresAt.After(b.now())
}

// asOpened gives an entry that is read by now, and came after an opening, the
// New mark of that opening; its Read is the state before.
func asOpened(e notifier.Entry, opened int64) notifier.Entry {
	e.New = opened > 0 && e.At > opened && e.Read
	e.Read = e.Read && !e.New
	return e
}
