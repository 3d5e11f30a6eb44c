package toast

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// List returns the toasts that wait for a user, oldest first, with the content with which they were
// raised. It claims nothing: the toasts are still delivered as usual.
func (t *Toasts) List(ctx context.Context, seq int64) ([]notifier.Toast, error) {
	ids, err := t.rdb.ZRange(ctx, t.k.PendingToasts(seq), 0, -1).Result()
	if err != nil || len(ids) == 0 {
		return nil, t.listed(seq, err)
	}
	stream, _ := t.part(seq).stream.(string)
	pipe, entries := t.rdb.Pipeline(), make([]*redis.XMessageSliceCmd, len(ids))
	for i, id := range ids {
		entries[i] = pipe.XRange(ctx, stream, id, id)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, t.listed(seq, err)
	}
	var all []notifier.Toast
	for i, entry := range entries {
		found := entry.Val()
		if len(found) == 0 {
			continue // trimmed, or shown a moment ago
		}
		if one, ok := readEntry(ids[i], seq, found[0].Values); ok {
			all = append(all, one)
		}
	}
	return all, nil
}

// readEntry parses a stream entry written by raise_toast.lua. It returns false for any other entry, and
// for another user's.
func readEntry(id string, seq int64, fields map[string]any) (notifier.Toast, bool) {
	text := func(name string) string { s, _ := fields[name].(string); return s }
	ms, _, _ := strings.Cut(id, "-")
	raised, bad1 := strconv.ParseInt(ms, 10, 64)
	notice, bad2 := strconv.ParseInt(text("notice"), 10, 64)
	if bad1 != nil || bad2 != nil || text("user") != strconv.FormatInt(seq, 10) {
		return notifier.Toast{}, false
	}
	return notifier.Toast{
		ID: id, NoticeID: notice, Key: text("key"), Content: []byte(text("content")), RaisedAt: time.UnixMilli(raised),
	}, true
}

func (t *Toasts) listed(seq int64, err error) error {
	if err == nil {
		return nil
	}
	t.stats.failed.Add(1)
	return fmt.Errorf("list the toasts of user %d: %w", seq, script.MarkAway(err))
}

// Ack records that these toasts were shown to the user; they are not delivered again. It returns notifier.ErrNotFound
// if none of them waits for this user: they belong to another user, or have already been acknowledged or dropped.
func (t *Toasts) Ack(ctx context.Context, seq int64, ids []string) error {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	n, err := ackToast.Run(ctx, t.rdb, t.keysOf(seq), args...).Int64()
	if err != nil {
		t.stats.failed.Add(1)
		return fmt.Errorf("acknowledge %d toasts of user %d: %w", len(ids), seq, script.MarkAway(err))
	}
	if n == 0 {
		return fmt.Errorf("acknowledge %d toasts of user %d: %w", len(ids), seq, notifier.ErrNotFound)
	}
	t.stats.acked.Add(n)
	return nil
}

// keysOf returns the keys of one user's toasts: the stream of the partition and the pending set.
func (t *Toasts) keysOf(seq int64) []string {
	stream, _ := t.part(seq).stream.(string)
	return []string{stream, t.k.PendingToasts(seq)}
}

// Forget removes the toasts that wait for a deleted user, and every record of a toast raised for
// them.
func (t *Toasts) Forget(ctx context.Context, seq int64) error {
	err := forgetToasts.Run(ctx, t.rdb, t.keysOf(seq)).Err()
	if err == nil {
		err = t.forgetRaised(ctx, seq)
	}
	if err != nil {
		t.stats.failed.Add(1)
		return fmt.Errorf("forget the toasts of user %d: %w", seq, script.MarkAway(err))
	}
	return nil
}

func (t *Toasts) forgetRaised(ctx context.Context, seq int64) error {
	raised, _ := t.part(seq).raised.(string)
	for cursor := uint64(0); ; {
		found, next, err := t.rdb.ZScan(ctx, raised, cursor, fmt.Sprint("*|", seq), scanBatch).Result()
		if err != nil {
			return err
		}
		members := make([]any, 0, len(found)/2)
		for i := 0; i < len(found); i += 2 { // members and scores alternate
			members = append(members, found[i])
		}
		if len(members) > 0 {
			if err = t.rdb.ZRem(ctx, raised, members...).Err(); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}
