package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Find returns one entry to be shown alone, without opening the inbox. It returns
// notifier.ErrNotFound if the key is not in the inbox. opened has the same effect as
// Query.Opened in Look.
func (b *Inbox) Find(ctx context.Context, seq int64, key string, opened int64) (notifier.Entry, error) {
	e, err := b.find(ctx, seq, key)
	if errors.Is(err, notifier.ErrNotFound) {
		woken, wakeErr := b.wake(ctx, []int64{seq})
		switch {
		case wakeErr != nil:
			err = wakeErr
		case woken:
			e, err = b.find(ctx, seq, key)
		}
	}
	if err != nil {
		return notifier.Entry{}, fmt.Errorf("find an entry of user %d: %w", seq, err)
	}
	e.Show()
	return asOpened(e, opened), nil
}

func (b *Inbox) find(ctx context.Context, seq int64, key string) (notifier.Entry, error) {
	unread, read := key+notifier.UnreadSuffix, key+notifier.ReadSuffix
	values, err := b.rdb.HMGet(ctx, b.k.Hash(seq), unread, read).Result()
	if err != nil {
		return notifier.Entry{}, script.MarkAway(err)
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

// asOpened sets the New mark on an entry that arrived after the given opening and is read now;
// its Read is then the state before that opening.
func asOpened(e notifier.Entry, opened int64) notifier.Entry {
	e.New = opened > 0 && e.At > opened && e.Read
	e.Read = e.Read && !e.New
	return e
}
