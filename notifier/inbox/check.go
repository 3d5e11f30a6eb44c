package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Sample returns at most n random users of a partition whose inboxes are in Redis.
func (b *Inbox) Sample(ctx context.Context, partition, n int) (seqs []int64, err error) {
	if n <= 0 {
		return nil, nil
	}
	members, err := b.rdb.ZRandMember(ctx, b.parts[partition].idle, n+1).Result() // one more, for the fence
	if err != nil {
		return nil, fmt.Errorf("sample partition %d: %w", partition, script.MarkAway(err))
	}
	for _, m := range members {
		if seq := integer(m); seq > 0 && len(seqs) < n {
			seqs = append(seqs, seq)
		}
	}
	return seqs, nil
}

// Check verifies that the rows, the bodies and the counter of these inboxes agree, and that the current version of
// each inbox is in SQL if it should be. It repairs differences from the list in Redis or, if SQL has a newer version,
// from SQL, and returns what it repaired. Cold inboxes are skipped; inboxes of unknown users are erased.
func (b *Inbox) Check(ctx context.Context, seqs []int64) (found []notifier.Drift, err error) {
	for chunk := range slices.Chunk(seqs, perPipeline) {
		some, err := b.check(ctx, chunk)
		if found = append(found, some...); err != nil {
			return found, fmt.Errorf("check %d inboxes: %w", len(chunk), script.MarkAway(err))
		}
	}
	return found, nil
}

func (b *Inbox) check(ctx context.Context, seqs []int64) (found []notifier.Drift, err error) {
	p, now := script.NewPipe(b.rdb, 2*len(seqs)), b.millis()
	checks, reads := make([]*redis.Cmd, len(seqs)), make([]*redis.Cmd, len(seqs))
	for i, seq := range seqs {
		part := b.part(seq)
		checks[i] = p.Add(
			ctx, checkInbox, 6,
			b.k.List(seq), b.k.Hash(seq), b.k.State(seq), part.expiry, part.dirty, part.late, now, seq, b.k.LiveUser(seq),
		)
		reads[i] = b.addRead(ctx, p, seq, notifier.Snapshot{})
	}
	_ = p.Exec(ctx) // each command has its own error
	var refused error
	clean := make(map[int64]notifier.Snapshot, len(seqs))
	for i, seq := range seqs {
		r, bad := script.ParseReply(checks[i])
		if errors.Is(bad, notifier.ErrUnavailable) || ctx.Err() != nil {
			return found, bad
		}
		if bad != nil {
			refused = fmt.Errorf("user %d: %w", seq, bad)
			continue
		}
		if r.Code > 0 && r.Code&1 > 0 {
			found = append(found, notifier.Drift{Seq: seq, Kind: notifier.DriftRows})
		}
		if r.Code > 0 && r.Code&2 > 0 {
			found = append(found, notifier.Drift{Seq: seq, Kind: notifier.DriftCount})
		}
		if r.Code != 0 || r.Number(1) == 1 {
			continue // cold, or not written to SQL yet
		}
		if again, err := script.ParseReply(reads[i]); err == nil && again.Code == 0 && again.Number(1) == r.Number(0) {
			if s, err := parseSnapshot(seq, again, notifier.Snapshot{}); err == nil {
				clean[seq] = s
			}
		}
	}
	more, err := b.checkSQL(ctx, clean, now)
	return append(found, more...), errors.Join(err, refused)
}

// checkSQL compares clean inboxes, which should be in SQL, with SQL.
func (b *Inbox) checkSQL(ctx context.Context, clean map[int64]notifier.Snapshot, now int64) (found []notifier.Drift, err error) {
	if b.sql == nil || len(clean) == 0 {
		return nil, nil
	}
	seqs := make([]int64, 0, len(clean))
	for seq := range clean {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	known, err := b.sql.Snapshots(ctx, seqs)
	if err != nil {
		return nil, fmt.Errorf("read the snapshots of %d users: %w", len(seqs), err)
	}
	for _, seq := range seqs {
		is := clean[seq]
		has, user := known[seq]
		mended := false
		switch {
		case !user:
			err = b.Erase(ctx, seq)
		case has.Ver > is.Ver && !has.Damaged:
			var n int
			n, err = b.Reconcile(ctx, []notifier.Dirty{{Seq: seq, Ver: has.Ver}})
			mended = n > 0
		case !agrees(&is, &has):
			mended, err = b.renew(ctx, seq, is.Ver, max(now, has.Ver+1))
		}
		if mended {
			found = append(found, notifier.Drift{Seq: seq, Kind: notifier.DriftSQL})
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// agrees reports whether SQL has the same state of the inbox. An inbox that has always been empty
// needs no snapshot.
func agrees(is, has *notifier.Snapshot) bool {
	if has.Ver == 0 && !has.Damaged {
		return len(is.Rows)+len(is.Gone)+len(is.Archived) == 0 && is.Opened == 0
	}
	return !has.Damaged && is.Ver == has.Ver && is.Unread == has.Unread && is.Opened == has.Opened && is.Floor == has.Floor &&
		slices.Equal(is.Rows, has.Rows) && slices.Equal(is.Gone, has.Gone) && slices.Equal(is.Kept, has.Kept) && slices.Equal(is.Archived, has.Archived)
}

// renew marks the inbox to be written to SQL again, unless it has changed since this version.
func (b *Inbox) renew(ctx context.Context, seq, ver, now int64) (bool, error) {
	r, err := script.ParseReply(renewInbox.Run(ctx, b.rdb, []string{b.k.State(seq), b.part(seq).dirty}, ver, now, seq, b.k.LiveUser(seq)))
	return r.Code > 0, err
}
