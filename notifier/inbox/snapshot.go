package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// Read returns these inboxes in order, as SQL is to keep them, each as of one instant. Cold
// inboxes are left out: SQL already has all of their data.
func (b *Inbox) Read(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error) {
	snapshots := make([]notifier.Snapshot, 0, len(seqs))
	for chunk := range slices.Chunk(seqs, perPipeline) {
		p := script.NewPipe(b.rdb, len(chunk))
		cmds := make([]*redis.Cmd, len(chunk))
		for i, seq := range chunk {
			cmds[i] = p.Add(ctx, readSnapshot, 5, b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq), b.k.Archive(seq))
		}
		if err := p.Exec(ctx); err != nil {
			return nil, fmt.Errorf("read %d inboxes: %w", len(chunk), script.MarkAway(err))
		}
		for i, cmd := range cmds {
			r, err := script.ParseReply(cmd)
			switch {
			case err != nil:
				return nil, fmt.Errorf("read the inbox of user %d: %w", chunk[i], err)
			case r.Code == codeCold:
				continue
			}
			s, err := parseSnapshot(chunk[i], r)
			if err != nil {
				return nil, fmt.Errorf("read the inbox of user %d: %w", chunk[i], err)
			}
			snapshots = append(snapshots, s)
		}
	}
	return snapshots, nil
}

// Clean removes the dirty marks of users whose inbox SQL has in this version or a later one. A
// mark that was renewed since stays. It also records in Redis up to which version SQL has the
// partition, so that a Redis that comes back in an older state shows a lower value.
func (b *Inbox) Clean(ctx context.Context, partition int, marks []notifier.Dirty) error {
	p := script.NewPipe(b.rdb, 1)
	for chunk := range slices.Chunk(marks, badgeBatch) {
		args := make([]any, 0, 2+2*len(chunk))
		args = append(args, b.parts[partition].dirty, b.parts[partition].flushed)
		for _, m := range chunk {
			args = append(args, m.Seq, m.Ver)
		}
		p.Add(ctx, cleanDirty, 2, args...)
	}
	if err := p.Exec(ctx); err != nil {
		return fmt.Errorf("clean %d users of partition %d: %w", len(marks), partition, script.MarkAway(err))
	}
	return nil
}

var errSnapshot = errors.New("malformed snapshot")

// parseSnapshot parses {…, unread, ver, opened, lines, words, floor, kept, archive}.
func parseSnapshot(seq int64, r script.Reply) (notifier.Snapshot, error) {
	s := notifier.Snapshot{Seq: seq, Unread: r.Number(0), Ver: r.Number(1), Opened: r.Number(2), Floor: r.Number(5), Kept: parseIDs(r.Text(6))}
	var err error
	if s.Archived, err = parseArchive(r.List(7)); err != nil {
		return s, err
	}
	lines, words := r.Text(3), r.Text(4)
	if lines != "" {
		s.Rows = make([]notifier.SnapshotRow, 0, strings.Count(lines, "\n")+1)
		for line := range strings.SplitSeq(lines, "\n") {
			row, err := parseSnapshotRow(line)
			if err != nil {
				return s, err
			}
			s.Rows = append(s.Rows, row)
		}
	}
	if words == "" {
		return s, nil
	}
	s.Gone = make([]notifier.GoneNotice, 0, (strings.Count(words, " ")+1)/2)
	for rest, more := words, true; more; {
		var id, score string
		id, rest, _ = strings.Cut(rest, " ")
		score, rest, more = strings.Cut(rest, " ")
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return s, fmt.Errorf("%w: a notice id is not a number", errSnapshot)
		}
		at, err := strconv.ParseFloat(score, 64)
		if err != nil {
			return s, fmt.Errorf("%w: a score of gone is not a number", errSnapshot)
		}
		s.Gone = append(s.Gone, notifier.GoneNotice{NoticeID: n, Score: at})
	}
	return s, nil
}

// parseSnapshotRow parses FIELD ID AT EXPIRY.
func parseSnapshotRow(line string) (row notifier.SnapshotRow, err error) {
	rest := line
	for _, to := range []*int64{&row.Expires, &row.At, &row.NoticeID} {
		i := strings.LastIndexByte(rest, ' ')
		if i < 0 {
			return row, fmt.Errorf("%w: a row of fewer than four words", errSnapshot)
		}
		if *to, err = strconv.ParseInt(rest[i+1:], 10, 64); err != nil {
			return row, fmt.Errorf("%w: not a number", errSnapshot)
		}
		rest = rest[:i]
	}
	row.Field = rest
	return row, nil
}

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
		cmds[i] = p.Add(ctx, restoreInbox, 8, b.restoreArgs(&list[i], rows, at, now)...)
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
