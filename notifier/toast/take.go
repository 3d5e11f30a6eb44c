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

// Take takes over what waits for each of these users, to show it: what nobody has
// taken, what this instance took before and is not acknowledged, and what another took
// at least Hold ago. What need not be shown any more leaves instead: what is over, what
// has a notice and is older than MaxAge, and what was read meanwhile, or left the inbox. A
// row that was edited is taken as it reads now.
//
// One user in order is one Taken, which says so when he could not be served; the error is
// the first of these, one that Redis is away before all others. The others are taken.
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
	var consumer, now any = t.o.Consumer, t.o.Now().UnixMilli()
	var hold, age any = max(t.o.Hold.Milliseconds(), 1), t.o.MaxAge.Milliseconds()
	pipe, cmds := script.NewPipe(t.rdb, len(seqs)), make([]*redis.Cmd, len(seqs))
	for i, seq := range seqs {
		cmds[i] = pipe.Add(
			ctx, takeToast, 4, t.part(seq).stream, t.k.PendingToasts(seq), t.k.State(seq), t.k.Hash(seq),
			strconv.FormatInt(seq, 10), consumer, now, hold, age,
		)
	}
	_ = pipe.Exec(ctx) // each command holds its own error
	all = make([]notifier.Taken, len(seqs))
	for i, cmd := range cmds {
		settled, err := parseTaken(cmd, &all[i])
		if err != nil {
			t.stats.failed.Add(1)
			all[i].Err = fmt.Errorf("take the toasts of user %d: %w", seqs[i], err)
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

// graver says which error is told of several: the first, unless Redis is away.
func graver(err, than error) bool {
	return err != nil && (than == nil || errors.Is(err, notifier.ErrUnavailable) && !errors.Is(than, notifier.ErrUnavailable))
}

var errReply = errors.New("a script answered what it never answers")

// parseTaken reads what take_toast.lua answers.
func parseTaken(cmd *redis.Cmd, into *notifier.Taken) (settled int64, err error) {
	reply, err := cmd.Slice()
	if err != nil {
		return 0, away(err)
	}
	if len(reply) < 3 {
		return 0, fmt.Errorf("%w: %d elements", errReply, len(reply))
	}
	toasts := make([]notifier.Toast, len(reply)-3)
	for i := range toasts {
		if err := parseToast(reply[i+3], &toasts[i]); err != nil {
			return 0, err
		}
	}
	again, _ := reply[1].(int64)
	settled, _ = reply[2].(int64)
	*into = notifier.Taken{Toasts: toasts, Again: time.Duration(again) * time.Millisecond}
	return settled, nil
}

// parseToast reads {id, notice, key, at, raised, tries, JSON}.
func parseToast(of any, into *notifier.Toast) error {
	f, _ := of.([]any)
	if len(f) != 7 {
		return fmt.Errorf("%w: a toast of %d elements", errReply, len(f))
	}
	text := func(i int) string { s, _ := f[i].(string); return s }
	var numbers [3]int64
	for i, at := range []int{1, 3, 4} {
		n, err := strconv.ParseInt(text(at), 10, 64)
		if err != nil {
			return fmt.Errorf("%w: %w", errReply, err)
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
