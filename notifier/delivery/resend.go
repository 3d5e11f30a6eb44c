package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// resendChunk is the number of notices that one step delivers again.
const resendChunk = 200

// Resend delivers all notices accepted or changed at or after since again, because Redis came back
// empty or outdated. Recipients who still have a notice see no change. It returns once the work is in
// SQL. The instances do the work when Redis is available.
func (w *Worker) Resend(ctx context.Context, since time.Time) error {
	if since.UnixMilli() <= 0 {
		since = time.UnixMilli(1)
	}
	if err := w.c.Store.AddWork(ctx, notifier.Work{Kind: notifier.WorkResend, Since: since}); err != nil {
		return fmt.Errorf("resend the notices since %s: %w", since.Format(time.RFC3339), err)
	}
	w.Wake()
	return nil
}

// resend delivers the next small notices again, and stores a row of work for each larger one and for
// each failed one.
func (w *Worker) resend(ctx context.Context, j *job) (more bool, err error) {
	ids, err := w.c.Store.Since(ctx, j.Since, j.From, resendChunk)
	if err != nil {
		return false, fmt.Errorf("find notices to resend: %w", err)
	}
	if len(ids) == 0 {
		return false, w.finishRow(ctx, j)
	}
	jobs, err := w.jobs(ctx, ids, true)
	if err != nil {
		return false, err
	}
	var small []*job
	var rest []notifier.Work
	for _, again := range jobs {
		if again.whole == nil {
			rest = append(rest, again.Work)
		} else {
			small = append(small, again)
		}
	}
	if len(small) > 0 {
		more, err := w.deliverAgain(ctx, small)
		if err != nil {
			return false, err
		}
		rest = append(rest, more...)
	}
	j.From = ids[len(ids)-1]
	held, err := w.c.Store.AdvanceWork(ctx, w.claimed(), j.ID, j.From, rest...)
	if err != nil {
		return false, fmt.Errorf("resend notices after %d: %w", j.From, err)
	}
	if held && len(rest) > 0 {
		w.Wake()
	}
	// Without the claim, rest was not stored and the job must end: this instance may have claimed the row again, and the job would
	// then delete it as finished.
	return held, nil
}

// deliverAgain delivers small notices again, and returns the work of those that failed, and of those that were edited meanwhile:
// the edit may have found empty inboxes, to which the resend then added rows with the old text.
func (w *Worker) deliverAgain(ctx context.Context, small []*job) (rest []notifier.Work, err error) {
	ids := make([]int64, len(small))
	for i, err := range w.deliver(ctx, small) {
		ids[i] = small[i].NoticeID
		switch {
		case err == nil:
		case isAway(err):
			return nil, err
		default:
			rest = append(rest, small[i].Work)
		}
	}
	known, err := w.c.Store.Contents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d notices again: %w", len(ids), err)
	}
	for _, j := range small {
		if n, ok := known[j.NoticeID]; ok && n.Revision != j.revision && !n.State.TakenBack() {
			rest = append(rest, jobOf(&n, true).Work)
		}
	}
	return rest, nil
}

// OnItsWay returns when the oldest notice was accepted that is not yet in its inboxes. During a
// resend that time is unknown, and it returns the zero time. some is false if all notices are
// delivered.
func (w *Worker) OnItsWay(ctx context.Context) (oldest time.Time, some bool, err error) {
	again, err := w.c.Store.Resending(ctx)
	if err != nil || again {
		return time.Time{}, again, err
	}
	unfinished, err := w.c.Store.Unfinished(ctx, 0, 1)
	if err != nil || len(unfinished) == 0 {
		return time.Time{}, false, err
	}
	return unfinished[0].CreatedAt, true, nil
}
