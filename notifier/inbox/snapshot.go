package inbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Dirty returns the dirty marks of a partition, the oldest first, at most limit of them.
func (b *Inbox) Dirty(ctx context.Context, partition, limit int) ([]notifier.Dirty, error) {
	if limit <= 0 {
		return nil, nil
	}
	marks, err := b.rdb.ZRangeWithScores(ctx, b.parts[partition].dirty, 0, int64(limit)-1).Result()
	if err != nil {
		return nil, fmt.Errorf("list dirty users of partition %d: %w", partition, script.MarkAway(err))
	}
	users := make([]notifier.Dirty, 0, len(marks))
	for _, z := range marks {
		if seq := integer(z.Member); seq > 0 {
			users = append(users, notifier.Dirty{Seq: seq, Ver: int64(z.Score)})
		}
	}
	return users, nil
}

// Read returns these inboxes in order, as they should be stored in SQL, each as of one instant. Cold
// inboxes are omitted, because SQL already has all of their data. For the others, it reads from SQL
// what is stored there, and only the rest from Redis.
func (b *Inbox) Read(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error) {
	snapshots := make([]notifier.Snapshot, 0, len(seqs))
	for chunk := range slices.Chunk(seqs, snapshotBatch) {
		var known map[int64]notifier.Snapshot
		if b.sql != nil {
			var err error
			if known, err = b.sql.Snapshots(ctx, chunk); err != nil {
				return nil, fmt.Errorf("read the snapshots of %d users: %w", len(chunk), script.MarkAway(err))
			}
		}
		found, unclear, err := b.readSince(ctx, chunk, known)
		if err == nil && len(unclear) > 0 {
			var rest map[int64]notifier.Snapshot
			rest, _, err = b.readSince(ctx, unclear, nil)
			maps.Copy(found, rest)
		}
		if err != nil {
			return nil, err
		}
		for _, seq := range chunk {
			if s, warm := found[seq]; warm {
				snapshots = append(snapshots, s)
			}
		}
	}
	return snapshots, nil
}

// readSince reads the warm ones of these inboxes: new data from Redis, and the rest from known.
// unclear contains inboxes that known cannot complete.
func (b *Inbox) readSince(ctx context.Context, seqs []int64, known map[int64]notifier.Snapshot) (found map[int64]notifier.Snapshot, unclear []int64, err error) {
	p := script.NewPipe(b.rdb, len(seqs))
	cmds := make([]*redis.Cmd, len(seqs))
	for i, seq := range seqs {
		cmds[i] = b.addRead(ctx, p, seq, known[seq])
	}
	if err := p.Exec(ctx); err != nil {
		return nil, nil, fmt.Errorf("read %d inboxes: %w", len(seqs), script.MarkAway(err))
	}
	found = make(map[int64]notifier.Snapshot, len(seqs))
	for i, cmd := range cmds {
		r, err := script.ParseReply(cmd)
		if err == nil && r.Code == codeCold {
			continue
		}
		var s notifier.Snapshot
		if err == nil {
			s, err = parseSnapshot(seqs[i], r, known[seqs[i]])
		}
		switch {
		case errors.Is(err, errUnclear):
			unclear = append(unclear, seqs[i])
		case err != nil:
			return nil, nil, fmt.Errorf("read the inbox of user %d: %w", seqs[i], err)
		default:
			found[seqs[i]] = s
		}
	}
	return found, unclear, nil
}

// addRead adds reading an inbox to a pipeline, without the data in known. A snapshot that is damaged or
// was never stored has no data.
func (b *Inbox) addRead(ctx context.Context, p *script.Pipe, seq int64, known notifier.Snapshot) *redis.Cmd {
	since := known.Ver
	if known.Damaged {
		since = 0
	}
	return p.Add(ctx, readSnapshot, 5, b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), b.k.Archive(seq), since)
}

// Clean removes the marks of users whose inbox is in SQL in this or a later version. A mark that has been renewed since
// is kept. It also records in Redis the version up to which the partition is in SQL, so that a Redis
// that comes back in an older state has a lower value.
func (b *Inbox) Clean(ctx context.Context, partition int, marks []notifier.Dirty) error {
	p := script.NewPipe(b.rdb, 1)
	for chunk := range slices.Chunk(marks, badgeBatch) {
		args := make([]any, 0, 3+3*len(chunk))
		args = append(args, b.parts[partition].dirty, b.parts[partition].flushed, b.parts[partition].late)
		for _, m := range chunk {
			args = append(args, b.k.State(m.Seq))
		}
		for _, m := range chunk {
			args = append(args, m.Seq, m.Ver)
		}
		p.Add(ctx, cleanDirty, 3+len(chunk), args...)
	}
	if err := p.Exec(ctx); err != nil {
		return fmt.Errorf("clean %d users of partition %d: %w", len(marks), partition, script.MarkAway(err))
	}
	return nil
}

// known reads the snapshots of the users at the indexes which. Without SQL every user counts as known.
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
		cmds[i] = p.Add(ctx, restoreInbox, 8, b.restoreArgs(&list[i], rows, at, now)...)
	}
	_ = p.Exec(ctx) // each command has its own error
	answers := make([]warmed, len(list))
	for i, cmd := range cmds {
		a := &answers[i]
		if a.reply, a.err = script.ParseReply(cmd); errors.Is(a.err, notifier.ErrUnavailable) {
			return nil, fmt.Errorf("restore %d inboxes: %w", len(list), a.err)
		}
	}
	return answers, nil
}
