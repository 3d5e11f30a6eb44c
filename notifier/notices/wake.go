package notices

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	wakeEvery = 500 * time.Millisecond // so that an entry comes back within a second of its time
	wakeLease = 3 * time.Second
	wakePage  = 200
)

// wake brings back snoozed entries when their time has come, until ctx ends. The lease only avoids duplicate work: an
// inbox brings each entry back once.
func (p *Notices) wake(ctx context.Context) error {
	return lease.Work{
		Stage: "snooze", Lease: lease.New(p.c.Redis, p.c.Keys, "snooze", wakeLease),
		Every: wakeEvery, Do: p.wakeDue, Log: p.c.Log,
	}.Run(ctx)
}

// wakeDue brings back everything that is due. Each user is visited once a round, so that an inbox that fails does not delay
// the others.
func (p *Notices) wakeDue(ctx context.Context) error {
	for now, last := p.c.Now(), (notifier.Wake{}); ; {
		due, err := p.c.Store.Wakes(ctx, now, last, wakePage)
		if err != nil || len(due) == 0 {
			return err
		}
		last = due[len(due)-1]
		seqs := make([]int64, len(due))
		for i := range due {
			seqs[i] = due[i].Seq
		}
		if _, err := p.c.Inbox.WakeDue(ctx, seqs); err != nil {
			return fmt.Errorf("bring back the snoozed entries of %d users: %w", len(due), err)
		}
		if len(due) < wakePage {
			return nil
		}
	}
}
