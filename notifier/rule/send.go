package rule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// batch is the number of findings saved or sent at once.
const batch = 500

// send sends the due findings. Each is saved before it is sent, and again with its notice; the next
// run retries findings that could not be sent.
func (r *Runner) send(ctx context.Context, of *Rule, list []pending, run *notifier.RuleRun) error {
	var send []pending
	var seen []notifier.Finding
	now := r.c.Now()
	for _, t := range list {
		switch {
		case t.change != ChangeNone:
			send = append(send, t)
		case now.Sub(t.row.SeenAt) >= seenEvery:
			t.row.SeenAt = now
			seen = append(seen, t.row)
		}
	}
	for some := range slices.Chunk(seen, batch) {
		if err := r.c.Store.SaveFindings(ctx, *run, some, nil); err != nil {
			return err
		}
	}
	var bad several
	for some := range slices.Chunk(send, batch) {
		if err := r.sendSome(ctx, of, some, run, &bad); err != nil {
			return joined(bad.orNil(), err)
		}
	}
	return bad.orNil()
}

func (r *Runner) sendSome(ctx context.Context, of *Rule, some []pending, run *notifier.RuleRun, bad *several) error {
	rows := make([]notifier.Finding, len(some))
	requests := make([]notifier.Request, len(some))
	for i, t := range some {
		rows[i] = t.row
		requests[i] = notifier.Request{Draft: t.draft, Once: of.once(t.row)}
	}
	if err := r.c.Store.SaveFindings(ctx, *run, rows, nil); err != nil {
		return err
	}
	var sent []notifier.Finding
	var moved []notifier.Notice
	for i, result := range r.c.Sender.SendAll(ctx, of.actor(), requests) {
		if result.Err != nil {
			bad.add(some[i].draft.Subject, result.Err)
			continue
		}
		rows[i].NoticeID, rows[i].SeenAt = result.Notice.ID, r.c.Now()
		sent = append(sent, rows[i])
		if some[i].moved {
			n := result.Notice
			n.Subject = some[i].draft.Subject
			moved = append(moved, n)
		}
	}
	run.Sent += int64(len(sent))
	// Retract the old notices before the findings are saved as sent, so that a crash in between does
	// not leave them with former recipients.
	if of.Withdraw {
		for _, n := range moved {
			if _, err := r.withdraw(ctx, of, n.Subject, n.ID); err != nil {
				return err
			}
		}
	}
	return r.c.Store.SaveFindings(ctx, *run, sent, nil)
}

// once gives a finding the same idempotency key on every attempt: its time stays the same until it
// is sent.
func (r *Rule) once(row notifier.Finding) *notifier.Once {
	key := sha256.Sum256(fmt.Appendf(nil, "%s %d %x", row.Subject, row.ToldAt.UnixMilli(), row.Digest))
	return &notifier.Once{Owner: r.sender(), Key: hex.EncodeToString(key[:]), Digest: row.Digest}
}

// forget deletes the findings that are gone, and retracts their notices if the rule is set to withdraw.
// A finding whose notice cannot be retracted now is kept.
func (r *Runner) forget(ctx context.Context, of *Rule, gone []string, run *notifier.RuleRun) error {
	var bad several
	for some := range slices.Chunk(gone, batch) {
		forgotten := make([]string, 0, len(some))
		for _, subject := range some {
			if of.Withdraw {
				if err := r.latest(ctx, run); err != nil {
					return joined(bad.orNil(), err)
				}
				n, err := r.withdraw(ctx, of, subject, 0)
				if err != nil {
					bad.add(subject, err)
					continue
				}
				run.Withdrawn += min(n, 1)
			}
			forgotten = append(forgotten, subject)
		}
		if err := r.c.Store.SaveFindings(ctx, *run, nil, forgotten); err != nil {
			return joined(bad.orNil(), err)
		}
	}
	return bad.orNil()
}

// latest returns notifier.ErrConflict if the rule was started again since this run began: a subject that this run did not find may be
// found again, and the notice about it must stay.
func (r *Runner) latest(ctx context.Context, run *notifier.RuleRun) error {
	runs, err := r.runs(ctx)
	if err == nil && !runs[run.Rule].StartedAt.Equal(run.StartedAt) {
		err = notifier.ErrConflict
	}
	return err
}

// withdraw retracts the rule's notices about a subject: all, or those before a given notice. It
// retracts all, because earlier notices may have had other recipients than the last one.
func (r *Runner) withdraw(ctx context.Context, of *Rule, subject string, before int64) (count int64, err error) {
	const page = 100
	for after := int64(0); ; {
		list, err := r.c.Store.NoticesBySubject(ctx, subject, []int64{0}, after, page)
		if err != nil {
			return count, err
		}
		for _, n := range list {
			after = n.ID
			if !n.Sender.Is(of.sender()) || before > 0 && n.ID >= before {
				continue
			}
			err := r.c.Sender.Retract(ctx, of.actor(), n.ID)
			if err != nil && !errors.Is(err, notifier.ErrNotFound) && !errors.Is(err, notifier.ErrConflict) {
				return count, err
			}
			count++
		}
		if len(list) < page {
			return count, nil
		}
	}
}
