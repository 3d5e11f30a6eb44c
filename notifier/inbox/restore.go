package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// known reads the snapshots of the users at the indexes which. Without SQL every user is known.
func (b *Inbox) known(ctx context.Context, seqs []int64, which []int) (map[int64]notifier.Snapshot, error) {
	some := make([]int64, len(which))
	for i, j := range which {
		some[i] = seqs[j]
	}
	if b.sql != nil {
		known, err := b.sql.Snapshots(ctx, some)
		if err != nil {
			return nil, fmt.Errorf("read the snapshots of %d users: %w", len(some), script.MarkAway(err))
		}
		return known, nil
	}
	known := make(map[int64]notifier.Snapshot, len(some))
	for _, seq := range some {
		known[seq] = notifier.Snapshot{Seq: seq}
	}
	return known, nil
}

// refusal returns the reason why a user's inbox cannot be restored, if there is one.
func (b *Inbox) refusal(seq int64, known map[int64]notifier.Snapshot) warmed {
	switch s, ok := known[seq]; {
	case !ok:
		return warmed{err: notifier.ErrNotFound}
	case s.Damaged:
		b.log.Error("could not restore an inbox: its snapshot is damaged", "user_id", seq)
		return warmed{err: fmt.Errorf("restore the inbox of user %d: %w", seq, errSnapshot)}
	default:
		return warmed{}
	}
}

// restore runs restore_inbox for each of these. With fences it fills cold inboxes; without, it
// replaces warm ones that are older.
func (b *Inbox) restore(ctx context.Context, list []notifier.Snapshot, at fences, now int64) ([]warmed, error) {
	rows, err := b.rowsOf(ctx, list, now)
	if err != nil {
		return nil, err
	}
	p := script.NewPipe(b.rdb, len(list))
	cmds := make([]*redis.Cmd, len(list))
	for i := range list {
		cmds[i] = p.Add(ctx, restoreInbox, 7, b.restoreArgs(&list[i], rows, at, now)...)
	}
	_ = p.Exec(ctx) // each command holds its own error
	answers := make([]warmed, len(list))
	for i, cmd := range cmds {
		a := &answers[i]
		if a.reply, a.err = script.ParseReply(cmd); errors.Is(a.err, notifier.ErrUnavailable) {
			return nil, fmt.Errorf("restore %d inboxes: %w", len(list), a.err)
		}
	}
	return answers, nil
}
