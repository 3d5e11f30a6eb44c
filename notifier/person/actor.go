package person

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// rowsAtOnce is the number of rows of inboxes that forgetActor changes at a time.
const rowsAtOnce = 500

// forgetActor changes the rows of these notices, from which SQL has removed their actor, in the inboxes of all recipients.
// Cold inboxes are restored without the actor, and notices that were not delivered yet are delivered without.
func (p *People) forgetActor(ctx context.Context, ids []int64) error {
	notices, err := p.Store.Contents(ctx, ids)
	if err != nil {
		return err
	}
	var rows []notifier.Delivery
	room := rowsAtOnce
	for _, id := range ids {
		n, found := notices[id]
		if !found || n.State.TakenBack() {
			continue
		}
		to, err := p.Store.Recipients(ctx, id)
		if errors.Is(err, notifier.ErrNotFound) {
			continue // it has no recipients yet, or was deleted meanwhile
		}
		if err != nil {
			return err
		}
		for page := to.ManyIterator(); ; {
			seqs := make([]uint32, room)
			seqs = seqs[:page.NextMany(seqs)]
			if len(seqs) == 0 {
				break
			}
			all, err := n.Deliveries(widen(seqs))
			if err != nil {
				return fmt.Errorf("encode notice %d: %w", id, err)
			}
			if rows, room = append(rows, all...), room-len(seqs); room > 0 {
				continue
			}
			if err := p.editRows(ctx, rows); err != nil {
				return err
			}
			rows, room = nil, rowsAtOnce
		}
	}
	return p.editRows(ctx, rows)
}

func widen(seqs []uint32) []int64 {
	wide := make([]int64, len(seqs))
	for i, seq := range seqs {
		wide[i] = int64(seq)
	}
	return wide
}

// editRows gives rows the present content of their notices. A failure of single inboxes is only logged, so that it does not
// prevent the deletion.
func (p *People) editRows(ctx context.Context, rows []notifier.Delivery) error {
	var seqs []int64
	for i := range rows {
		seqs = append(seqs, rows[i].Seqs...)
	}
	if len(seqs) == 0 {
		return nil
	}
	slices.Sort(seqs)
	if err := p.Inbox.Outdate(ctx, slices.Compact(seqs)); err != nil {
		return err
	}
	err := errors.Join(p.Inbox.EditAll(ctx, rows)...)
	if errors.Is(err, notifier.ErrUnavailable) || ctx.Err() != nil {
		return err
	}
	if err != nil {
		p.Log.WarnContext(ctx, "some rows still show the name of a deleted actor", "err", err)
	}
	return nil
}
