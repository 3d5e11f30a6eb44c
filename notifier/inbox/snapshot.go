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

// Dirty answers which users of a partition SQL has not seen as they are now, those
// first who have waited longest, at most limit of them.
func (b *Inbox) Dirty(ctx context.Context, partition, limit int) ([]notifier.Dirty, error) {
	if limit <= 0 {
		return nil, nil
	}
	marks, err := b.rdb.ZRangeWithScores(ctx, b.parts[partition].dirty, 0, int64(limit)-1).Result()
	if err != nil {
		return nil, fmt.Errorf("list dirty users of partition %d: %w", partition, away(err))
	}
	users := make([]notifier.Dirty, 0, len(marks))
	for _, z := range marks {
		if seq := integer(z.Member); seq > 0 {
			users = append(users, notifier.Dirty{Seq: seq, Ver: int64(z.Score)})
		}
	}
	return users, nil
}

// Read answers each of these inboxes as SQL is to keep it, in order. Each is from
// one instant. A cold one is left out: SQL has all there is of it.
func (b *Inbox) Read(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error) {
	snapshots := make([]notifier.Snapshot, 0, len(seqs))
	for chunk := range slices.Chunk(seqs, batch) {
		p := script.NewPipe(b.rdb, len(chunk))
		cmds := make([]*redis.Cmd, len(chunk))
		for i, seq := range chunk {
			cmds[i] = p.Add(ctx, readSnapshot, 4, b.k.List(seq), b.k.Hash(seq), b.k.State(seq), b.k.Gone(seq))
		}
		if err := p.Exec(ctx); err != nil {
			return nil, fmt.Errorf("read %d inboxes: %w", len(chunk), away(err))
		}
		for i, cmd := range cmds {
			r, err := parseReply(cmd)
			switch {
			case err != nil:
				return nil, fmt.Errorf("read the inbox of user %d: %w", chunk[i], err)
			case r.code == codeCold:
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

// Clean takes the marks of users away that SQL has seen with this version or a later
// one. A mark that was set anew since stays. How far SQL has seen the partition is
// noted in Redis itself: one that comes back older says less.
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
		return fmt.Errorf("clean %d users of partition %d: %w", len(marks), partition, away(err))
	}
	return nil
}

var errSnapshot = errors.New("malformed snapshot")

// parseSnapshot reads {…, unread, ver, opened, lines, words, floor}.
func parseSnapshot(seq int64, r reply) (notifier.Snapshot, error) {
	s := notifier.Snapshot{Seq: seq, Unread: r.number(0), Ver: r.number(1), Opened: r.number(2), Floor: r.number(5)}
	lines, words := r.text(3), r.text(4)
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
			return s, fmt.Errorf("%w: a notice without a number", errSnapshot)
		}
		at, err := strconv.ParseFloat(score, 64)
		if err != nil {
			return s, fmt.Errorf("%w: a notice left at no time", errSnapshot)
		}
		s.Gone = append(s.Gone, notifier.GoneNotice{NoticeID: n, Score: at})
	}
	return s, nil
}

// parseSnapshotRow reads FIELD ID AT EXPIRY.
func parseSnapshotRow(line string) (row notifier.SnapshotRow, err error) {
	rest := line
	for _, to := range []*int64{&row.Expires, &row.At, &row.NoticeID} {
		i := strings.LastIndexByte(rest, ' ')
		if i < 0 {
			return row, fmt.Errorf("%w: a row of fewer than four words", errSnapshot)
		}
		if *to, err = strconv.ParseInt(rest[i+1:], 10, 64); err != nil {
			return row, fmt.Errorf("%w: a number that is none", errSnapshot)
		}
		rest = rest[:i]
	}
	row.Field = rest
	return row, nil
}
