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

// FindAll returns those of a user's entries with these keys that are in the inbox, in the order of the keys, in one round trip.
// opened has the same effect as in Find. It wakes no snoozed entry.
func (b *Inbox) FindAll(ctx context.Context, seq int64, keys []string, opened int64) ([]notifier.Entry, error) {
	entries, err := b.findAll(ctx, seq, keys)
	if err != nil {
		return nil, fmt.Errorf("find entries of user %d: %w", seq, err)
	}
	for i := range entries {
		entries[i].Show()
		entries[i] = asOpened(entries[i], opened)
	}
	return entries, nil
}

func (b *Inbox) find(ctx context.Context, seq int64, key string) (notifier.Entry, error) {
	entries, err := b.findAll(ctx, seq, []string{key})
	if err != nil {
		return notifier.Entry{}, err
	}
	if len(entries) == 0 {
		return notifier.Entry{}, notifier.ErrNotFound
	}
	return entries[0], nil
}

func (b *Inbox) findAll(ctx context.Context, seq int64, keys []string) (entries []notifier.Entry, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	fields := make([]string, 0, 2*len(keys))
	for _, key := range keys {
		fields = append(fields, key+notifier.UnreadSuffix, key+notifier.ReadSuffix)
	}
	values, err := b.rdb.HMGet(ctx, b.k.Hash(seq), fields...).Result()
	if err != nil {
		return nil, script.MarkAway(err)
	}
	for i, field := range fields {
		value, ok := values[i].(string)
		if !ok {
			continue
		}
		e, err := parseRow(field, value)
		if err != nil {
			return nil, err
		}
		if !b.expired(e) {
			entries = append(entries, e)
		}
	}
	return entries, nil
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
