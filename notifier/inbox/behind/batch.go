package behind

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// maxHalved is how often one batch is halved to isolate the user for whom it fails.
const maxHalved = 32

// mark is a dirty mark with its partition.
type mark struct {
	notifier.Dirty
	partition int
}

// batch writes the inboxes with the oldest marks, and returns their number.
func (g *group) batch(ctx context.Context, r *round) (written int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	marks, err := g.gather(ctx, r)
	if err != nil {
		return 0, err
	}
	halved := 0
	if written, err = g.writeMarks(ctx, marks, &halved); err == nil && r.done() {
		g.oldest.Store(0)
	}
	return written, err
}

// writeMarks writes the inboxes of these marks, and returns their number. If that fails although
// Redis and SQL are available, it tries each half separately.
func (g *group) writeMarks(ctx context.Context, marks []mark, halved *int) (int, error) {
	if len(marks) == 0 {
		return 0, nil
	}
	err := g.step(ctx, marks)
	if err == nil {
		return len(marks), nil
	}
	if away(err) || ctx.Err() != nil || *halved >= maxHalved {
		return 0, err
	}
	if len(marks) == 1 {
		return 0, fmt.Errorf("user %d: %w", marks[0].Seq, err)
	}
	*halved++
	half := len(marks) / 2
	n, first := g.writeMarks(ctx, marks[:half], halved)
	if away(first) {
		return n, first
	}
	m, err := g.writeMarks(ctx, marks[half:], halved)
	if first == nil {
		first = err
	}
	return n + m, first
}

// step reads, saves and cleans, in this order; it can be repeated after an interruption.
func (g *group) step(ctx context.Context, marks []mark) error {
	seqs := make([]int64, len(marks))
	for i, m := range marks {
		seqs[i] = m.Seq
	}
	all, err := g.f.read(ctx, seqs)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		if err = g.f.save(ctx, all); err != nil {
			return fmt.Errorf("save %d inboxes: %w", len(all), err)
		}
		g.counts.note(all)
	}
	return g.clean(ctx, marks, all)
}

func (f *Flusher) read(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error) {
	if err := f.reads.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer f.reads.Release(1)
	all, err := f.c.Inbox.Read(ctx, seqs)
	if err != nil {
		return nil, fmt.Errorf("read %d inboxes: %w", len(seqs), err)
	}
	return all, nil
}

func (f *Flusher) save(ctx context.Context, all []notifier.Snapshot) error {
	if err := f.saves.Acquire(ctx, 1); err != nil {
		return err
	}
	defer f.saves.Release(1)
	if err := f.c.Store.SaveSnapshots(ctx, all); err != nil {
		return err
	}
	rows := 0
	for i := range all {
		rows += len(all[i].Rows)
	}
	f.users.Add(int64(len(all)))
	f.rows.Add(int64(rows))
	f.batches.Add(1)
	return nil
}

// clean removes the marks whose versions were saved. If a user's inbox changed after it was
// read, the mark has a newer version and stays. A mark without an inbox, or newer than its inbox,
// belongs to an inbox that Redis lost: there is nothing to save, so the mark is removed.
func (g *group) clean(ctx context.Context, marks []mark, saved []notifier.Snapshot) error {
	vers := make(map[int64]int64, len(saved))
	for _, s := range saved {
		vers[s.Seq] = s.Ver
	}
	var parts [groupSize][]notifier.Dirty
	for _, m := range marks {
		i := m.partition - g.first
		parts[i] = append(parts[i], notifier.Dirty{Seq: m.Seq, Ver: max(m.Ver, vers[m.Seq])})
	}
	for i, done := range parts {
		if len(done) == 0 {
			continue
		}
		if err := g.f.c.Inbox.Clean(ctx, g.first+i, done); err != nil {
			return fmt.Errorf("remove %d marks of partition %d: %w", len(done), g.first+i, err)
		}
	}
	return nil
}
