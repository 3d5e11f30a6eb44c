package behind

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// ripeMost is the maximum number of late marks that one call turns into dirty marks.
const ripeMost = 500

// writeLate writes the inboxes whose late marks are due, for at most a part of the interval between rounds, so that the
// next round finds the deeds of users.
func (g *group) writeLate(ctx context.Context) error {
	now := g.f.c.Now()
	for end := now.Add(g.f.c.Every / lateShare); ; {
		removed, err := g.lateBatch(ctx, now)
		if err != nil || removed == 0 {
			return err
		}
		if !g.f.c.Now().Before(end) {
			g.hasty = true
			return nil
		}
	}
}

// lateBatch writes some inboxes whose late marks are due. It returns the number of late marks removed; 0: none was due.
func (g *group) lateBatch(ctx context.Context, now time.Time) (removed int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	oldest, newest, err := g.lateMarks(ctx)
	if err != nil {
		return 0, err
	}
	upto := now.Add(-lateFor)
	if max(newest, g.f.delivered.Load()) <= now.Add(-quietFor).UnixMilli() { // no delivery here, and none elsewhere that made a mark
		upto = now
	}
	var marks []mark
	for _, i := range dueLate(oldest, upto) {
		if len(marks) == maxUsers {
			break
		}
		some, n, err := g.f.c.Inbox.Ripen(ctx, g.first+i, upto, maxUsers-len(marks))
		if err != nil {
			return removed, fmt.Errorf("read late marks of partition %d: %w", g.first+i, err)
		}
		removed += n
		for _, d := range some {
			marks = append(marks, mark{d, g.first + i})
		}
	}
	halved := 0
	_, err = g.writeMarks(ctx, marks, &halved)
	return removed, err
}

// dueLate returns the partitions with late marks up to a time, those with the oldest marks first.
func dueLate(oldest []int64, upto time.Time) (due []int) {
	for i, at := range oldest {
		if at > 0 && at <= upto.UnixMilli() {
			due = append(due, i)
		}
	}
	slices.SortFunc(due, func(a, b int) int { return cmp.Compare(oldest[a], oldest[b]) })
	return due
}

// lateMarks returns the oldest late mark of each partition and the newest of all, and records the age of the oldest.
func (g *group) lateMarks(ctx context.Context) (oldest []int64, newest int64, err error) {
	if oldest, newest, err = g.f.c.Inbox.Late(ctx, g.first, groupSize); err != nil {
		return nil, 0, err
	}
	first := int64(0)
	for _, at := range oldest {
		if at > 0 && (first == 0 || at < first) {
			first = at
		}
	}
	g.late.Store(first)
	return oldest, newest, nil
}

// ripenAll turns all late marks into dirty marks.
func (g *group) ripenAll(ctx context.Context) error {
	for i := range groupSize {
		for removed := ripeMost; removed == ripeMost; {
			var err error
			if _, removed, err = g.f.c.Inbox.Ripen(ctx, g.first+i, g.f.c.Now().AddDate(1, 0, 0), ripeMost); err != nil {
				return fmt.Errorf("read late marks of partition %d: %w", g.first+i, err)
			}
		}
	}
	return nil
}

// help turns overdue late marks into dirty marks from time to time, without the lease: the instance that holds it may be
// of a version that does not have late marks.
func (g *group) help(ctx context.Context) error {
	now := g.f.c.Now()
	if now.Sub(g.helped) < helpEvery {
		return nil
	}
	g.helped = now
	upto := now.Add(-lateFor - helpEvery)
	oldest, _, err := g.lateMarks(ctx)
	g.late.Store(0) // the instance with the lease reports the lag
	for _, i := range dueLate(oldest, upto) {
		if _, _, err := g.f.c.Inbox.Ripen(ctx, g.first+i, upto, ripeMost); err != nil {
			return fmt.Errorf("read late marks of partition %d: %w", g.first+i, err)
		}
	}
	return err
}
