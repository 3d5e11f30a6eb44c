package toast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Take claims the toasts that wait for each of these users, so that this instance can show them: unclaimed toasts,
// toasts that this instance claimed before without an acknowledgement, and toasts that another instance claimed at
// least Hold ago. It removes toasts that no longer need to be shown: toasts that have ended, toasts of a notice older
// than notifier.MaxToastAge, and toasts whose inbox row has been read or removed. A toast whose row was edited is
// returned with the new content.
//
// It returns one Taken per user, in order, with Err set for a user that failed. The error is the
// first of these, but an error that Redis is unavailable takes precedence. Other users are not
// affected.
func (t *Toasts) Take(ctx context.Context, seqs []int64) ([]notifier.Taken, error) {
	all := make([]notifier.Taken, 0, len(seqs))
	var first error
	for some := range slices.Chunk(seqs, batch) {
		taken, err := t.take(ctx, some)
		if all = append(all, taken...); graver(err, first) {
			first = err
		}
		if errors.Is(err, notifier.ErrUnavailable) || ctx.Err() != nil {
			break
		}
	}
	for len(all) < len(seqs) {
		all = append(all, notifier.Taken{Err: first})
	}
	return all, first
}

// take is Take for the users of one pipeline.
func (t *Toasts) take(ctx context.Context, seqs []int64) (all []notifier.Taken, first error) {
	var consumer, now any = t.consumer, t.o.Now().UnixMilli()
	var hold, age any = max(t.o.Hold.Milliseconds(), 1), notifier.MaxToastAge.Milliseconds()
	pipe, cmds := script.NewPipe(t.rdb, len(seqs)), make([]*redis.Cmd, len(seqs))
	for i, seq := range seqs {
		cmds[i] = pipe.Add(
			ctx, takeToast, 4, t.part(seq).stream, t.k.PendingToasts(seq), t.k.State(seq), t.k.Hash(seq),
			strconv.FormatInt(seq, 10), consumer, now, hold, age,
		)
	}
	_ = pipe.Exec(ctx) // each command has its own error
	all = make([]notifier.Taken, len(seqs))
	for i, cmd := range cmds {
		settled, err := parseTaken(cmd, &all[i])
		if err != nil {
			t.stats.failed.Add(1)
			all[i].Err = fmt.Errorf("claim the toasts of user %d: %w", seqs[i], err)
			if graver(all[i].Err, first) {
				first = all[i].Err
			}
			continue
		}
		t.stats.taken.Add(int64(len(all[i].Toasts)))
		t.stats.settled.Add(settled)
	}
	return all, first
}

// graver reports whether err should replace than as the returned error: the first error is kept, but
// one that Redis is unavailable takes precedence.
func graver(err, than error) bool {
	return err != nil && (than == nil || errors.Is(err, notifier.ErrUnavailable) && !errors.Is(than, notifier.ErrUnavailable))
}

// parseTaken parses the reply of take_toast.lua.
func parseTaken(cmd *redis.Cmd, into *notifier.Taken) (settled int64, err error) {
	r, err := script.ParseReply(cmd)
	if err != nil {
		return 0, err
	}
	if len(r.Rest) < 2 {
		return 0, fmt.Errorf("%w: %d elements", script.ErrReply, 1+len(r.Rest))
	}
	toasts := make([]notifier.Toast, len(r.Rest)-2)
	for i := range toasts {
		if err := parseToast(r.Rest[i+2], &toasts[i]); err != nil {
			return 0, err
		}
	}
	*into = notifier.Taken{Toasts: toasts, Again: time.Duration(r.Number(0)) * time.Millisecond}
	return r.Number(1), nil
}

// parseToast parses {id, notice, key, at, raised, tries, JSON}.
func parseToast(of any, into *notifier.Toast) error {
	f, _ := of.([]any)
	if len(f) != 7 {
		return fmt.Errorf("%w: a toast of %d elements", script.ErrReply, len(f))
	}
	text := func(i int) string { s, _ := f[i].(string); return s }
	var numbers [3]int64
	for i, at := range []int{1, 3, 4} {
		n, err := strconv.ParseInt(text(at), 10, 64)
		if err != nil {
			return fmt.Errorf("%w: %w", script.ErrReply, err)
		}
		numbers[i] = n
	}
	tries, _ := f[5].(int64)
	*into = notifier.Toast{
		ID: text(0), NoticeID: numbers[0], Key: text(2), At: numbers[1], RaisedAt: time.UnixMilli(numbers[2]),
		Tries: tries, Content: []byte(text(6)),
	}
	return nil
}
