package inbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Snapshots is what SQL knows of inboxes: how they were when it last saw them, and
// the notices of their rows, those too that are retracted or expired by now. What
// it does not know is missing in the answers.
type Snapshots interface {
	Snapshots(ctx context.Context, seqs []int64) (map[int64]notifier.Snapshot, error)
	Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error)
}

// maxRows is how many rows are restored at a time, with their bodies in memory.
const maxRows = 16_000

// warm brings cold inboxes into Redis, as SQL last saw them or, when it never did,
// empty, and answers the numbers of each. One that somebody else has brought
// meanwhile stays as it is. When SQL is away nothing is done: an empty inbox would
// take the place of what SQL has, and be written over it.
func (b *Inbox) warm(ctx context.Context, seqs []int64, now int64) ([]reply, error) {
	var known map[int64]notifier.Snapshot
	if b.sql != nil {
		var err error
		if known, err = b.sql.Snapshots(ctx, seqs); err != nil {
			return nil, fmt.Errorf("read the snapshots of %d users: %w", len(seqs), away(err))
		}
	}
	replies := make([]reply, 0, len(seqs))
	for len(seqs) > 0 {
		n, rows := 0, 0
		for n < len(seqs) && (n == 0 || rows+len(known[seqs[n]].Rows) <= maxRows) {
			rows += len(known[seqs[n]].Rows)
			n++
		}
		some, err := b.warmSome(ctx, seqs[:n], known, now)
		if err != nil {
			return nil, err
		}
		replies, seqs = append(replies, some...), seqs[n:]
	}
	return replies, nil
}

func (b *Inbox) warmSome(ctx context.Context, seqs []int64, known map[int64]notifier.Snapshot, now int64) ([]reply, error) {
	rows, err := b.rowsOf(ctx, seqs, known, now)
	if err != nil {
		return nil, err
	}
	p := script.NewPipe(b.rdb, len(seqs))
	cmds := make([]*redis.Cmd, len(seqs))
	for i, seq := range seqs {
		if s, ok := known[seq]; ok {
			args := b.restoreArgs(&s, rows, now)
			cmds[i] = p.Add(ctx, restoreInbox, 6, args...)
		} else {
			cmds[i] = p.Add(ctx, startInbox, 3, b.k.List(seq), b.k.Hash(seq), b.k.State(seq), now)
		}
	}
	if err := p.Exec(ctx); err != nil {
		return nil, fmt.Errorf("start %d inboxes: %w", len(seqs), away(err))
	}
	replies := make([]reply, len(seqs))
	for i, cmd := range cmds {
		if replies[i], err = parseReply(cmd); err != nil {
			return nil, fmt.Errorf("start %d inboxes: %w", len(seqs), err)
		}
	}
	return replies, nil
}

// wake restores those of these inboxes that are cold, for whoever reads them
// without a script that would say so. It answers whether any was.
func (b *Inbox) wake(ctx context.Context, seqs []int64) (bool, error) {
	if b.sql == nil || len(seqs) == 0 {
		return false, nil
	}
	pipe := b.rdb.Pipeline()
	there := make([]*redis.IntCmd, len(seqs))
	for i, seq := range seqs {
		there[i] = pipe.Exists(ctx, b.k.State(seq))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return false, away(err)
	}
	var cold []int64
	for i, seq := range seqs {
		if there[i].Val() == 0 {
			cold = append(cold, seq)
		}
	}
	if len(cold) == 0 {
		return false, nil
	}
	_, err := b.warm(ctx, cold, b.millis())
	return true, err
}

// restored is what a notice is to the rows that are restored of it.
type restored struct {
	text      []byte // as deliver writes it; nil: no row of it comes back
	retracted bool
}

// rowsOf reads the notices of all rows of these users at once.
func (b *Inbox) rowsOf(ctx context.Context, seqs []int64, known map[int64]notifier.Snapshot, now int64) (map[int64]restored, error) {
	var ids []int64
	for _, seq := range seqs {
		for _, row := range known[seq].Rows {
			ids = append(ids, row.NoticeID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	notices, err := b.sql.Contents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the contents of %d notices: %w", len(ids), away(err))
	}
	rows := make(map[int64]restored, len(notices))
	for id, n := range notices {
		var r restored
		r.retracted = n.State == notifier.StateRetracting || n.State == notifier.StateRetracted
		if due := millis(n.ExpiresAt); !r.retracted && (due == 0 || due > now) {
			if r.text, err = notifier.EncodeContent(n.Content()); err != nil {
				return nil, fmt.Errorf("encode notice %d: %w", id, err)
			}
		}
		rows[id] = r
	}
	return rows, nil
}

// restoreArgs are the KEYS and ARGV of restore_inbox. A row that does not come back
// has no value, and its notice is gone now, as a retraction or expiry would note it.
func (b *Inbox) restoreArgs(s *notifier.Snapshot, rows map[int64]restored, now int64) []any {
	p := b.part(s.Seq)
	args := make([]any, 0, 13+2*len(s.Rows)+2*len(s.Gone))
	args = append(
		args,
		b.k.List(s.Seq), b.k.Hash(s.Seq), b.k.State(s.Seq), b.k.Gone(s.Seq), p.expiry, p.dirty,
		s.Ver, s.Opened, now, s.Seq, b.k.LiveUser(s.Seq), len(s.Rows),
	)
	gone := slices.Clip(s.Gone)
	for _, row := range s.Rows {
		r := rows[row.NoticeID]
		var value []byte
		switch {
		case r.retracted:
			gone = append(gone, notifier.GoneNotice{NoticeID: row.NoticeID, Score: float64(now) + 0.5})
		case r.text == nil || row.Expires > 0 && row.Expires <= now:
			gone = append(gone, notifier.GoneNotice{NoticeID: row.NoticeID, Score: float64(now)})
		default:
			value = rowValue(row, r.text)
		}
		args = append(args, row.Field, value)
	}
	for _, g := range gone {
		args = append(args, strconv.FormatFloat(g.Score, 'f', -1, 64), g.NoticeID)
	}
	return args
}

// rowValue is ID AT EXPIRY JSON.
func rowValue(row notifier.SnapshotRow, text []byte) []byte {
	to := make([]byte, 0, len(text)+60)
	for _, n := range []int64{row.NoticeID, row.At, row.Expires} {
		to = strconv.AppendInt(to, n, 10)
		to = append(to, ' ')
	}
	return append(to, text...)
}
