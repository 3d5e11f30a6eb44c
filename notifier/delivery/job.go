package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// job is a piece of work claimed by this process.
type job struct {
	notifier.Work
	revision int64              // of the notice when this work began
	whole    *notifier.Delivery // a complete small notice; nil: the job processes the recipients range by range
	began    time.Time          // when its first delivery could begin
	arrived  []notifier.Arrival // in the delivery of its batch
	advanced time.Time          // when its progress was last stored, or its first range was done; zero: before that
}

// jobOf returns the job for the work of a notice; again repeats the work because Redis lost
// data.
func jobOf(n *notifier.Notice, again bool) *job {
	j := &job{Work: notifier.Work{Kind: notifier.WorkDeliver, NoticeID: n.ID, Again: again}, revision: n.Revision, began: n.CreatedAt}
	switch {
	case n.State.TakenBack():
		j.Kind = notifier.WorkRetract
	case wasSent(n) && again:
		j.Had = true
	case wasSent(n):
		j.Kind = notifier.WorkEdit
	}
	if !again {
		j.From = n.Done
	}
	return j
}

// wasSent reports whether every recipient has already had the notice, so that only a new text is being
// sent. That must never restore a row that a recipient has deleted.
func wasSent(n *notifier.Notice) bool {
	return n.State == notifier.StateSent || n.State == notifier.StateSending && n.Revision > 0
}

// job returns the job of an accepted notice. It contains the complete notice if the notice has few
// recipients and all of them see the same content. Otherwise it starts at the notice's progress. A
// job is never whole for an edited notice, because rows may have to be changed; for a scheduled one,
// because Delivery does not contain Order; or for one already begun range by range, because only an
// accepted notice can be confirmed.
func (w *Worker) job(a *notifier.Acceptance, again bool) (*job, error) {
	n := a.Notice
	j := jobOf(n, again)
	if j.Kind != notifier.WorkDeliver || !again && n.State != notifier.StateAccepted || n.Revision > 0 || n.Order > 0 || a.To == nil || a.To.IsEmpty() || w.large(a.To) {
		return j, nil
	}
	all, err := n.Deliveries(after(a.To, 0, 0, w.c.Chunk))
	if err != nil {
		return nil, fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	if len(all) == 1 {
		j.whole = &all[0]
	}
	return j, nil
}

// jobs returns the job of each of these notices, by id. Deleted notices and announcements have none.
func (w *Worker) jobs(ctx context.Context, ids []int64, again bool) ([]*job, error) {
	known, err := w.c.Store.Contents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d notices: %w", len(ids), err)
	}
	all := make([]notifier.Acceptance, 0, len(ids))
	var small []int64
	for _, id := range ids {
		switch n, ok := known[id]; {
		case !ok, n.Announces():
		case n.Routed && n.Recipients > 0 && n.Recipients <= int64(w.c.Chunk) && !n.State.TakenBack():
			small = append(small, id)
		default:
			all = append(all, notifier.Acceptance{Notice: &n})
		}
	}
	whole, err := w.c.Store.Accepted(ctx, small)
	if err != nil {
		return nil, fmt.Errorf("read %d notices with their recipients: %w", len(small), err)
	}
	jobs := make([]*job, 0, len(ids))
	for _, a := range append(all, whole...) {
		j, err := w.job(&a, again)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	slices.SortFunc(jobs, func(a, b *job) int { return cmp.Compare(a.NoticeID, b.NoticeID) })
	return jobs, nil
}

// trace starts the spans of work on traced jobs.
func (w *Worker) trace(ctx context.Context, jobs ...*job) (context.Context, func()) {
	if w.c.Traces == nil {
		return ctx, func() {}
	}
	from := make([]string, len(jobs))
	for i, j := range jobs {
		from[i] = j.Trace
	}
	return w.c.Traces.Work(ctx, "deliver", from...)
}

// isAway reports whether an error is not caused by the work: Redis or SQL was unavailable, or Run's
// grace period has ended.
func isAway(err error) bool {
	return errors.Is(err, notifier.ErrUnavailable) || errors.Is(err, context.Canceled)
}
