package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxDirect = 1000 // maximum number of small notices that wait in this process
	maxHeld   = 64   // maximum number of jobs that wait here for a range
	// slack is room for claims that were granted but not queued yet: the store accepts at most as many
	// notices at a time.
	slack = 11_000
	// silentFactor: work is buried after silentFactor × Config.Tries claims without a result.
	silentFactor = 4
)

// errSilent buries work whose attempts never have a result; it may have crashed the processes.
var errSilent = errors.New("attempted repeatedly without any result")

// Grant returns the claim with which this instance accepts a notice in order to deliver it. The claim
// is zero, so that any instance delivers the notice, if too many notices wait here, if Redis is
// unavailable, or while Run does not run; and while notices accepted here without a claim wait, so
// that later ones do not overtake them. Notices of one call share one claim, for the same reason.
func (w *Worker) Grant() notifier.Claim {
	if !w.running.Load() || w.passing.Load() > 0 || len(w.small) >= maxDirect || len(w.ranges) >= maxHeld || w.Unavailable() {
		return notifier.Claim{}
	}
	return w.claimed()
}

// claimed returns a claim that begins now.
func (w *Worker) claimed() notifier.Claim {
	return notifier.Claim{Owner: w.owner, Until: w.c.Now().Add(w.c.Claim)}
}

// Queue starts the delivery of notices accepted with the result of Grant. It never blocks: notices
// without room here wait in SQL.
func (w *Worker) Queue(accepted []*notifier.Acceptance) {
	left := false
	for _, a := range accepted {
		if a.Claim.Owner == 0 {
			w.leave(a.Notice.ID)
			left = true
			continue
		}
		j, err := w.job(a, false)
		if err != nil {
			w.c.Log.Error("notice waits in sql", "stage", "intake", "notice_id", a.Notice.ID, "err", err)
			continue
		}
		j.Trace, j.began = a.Trace, w.c.Now()
		w.enqueue(j)
	}
	if left {
		w.Wake()
	}
}

// leave records that a notice waits in SQL for any instance, and that later notices must not overtake it.
func (w *Worker) leave(id int64) {
	for {
		last := w.passing.Load()
		if id <= last || w.passing.CompareAndSwap(last, id) {
			return
		}
	}
}

// enqueue queues a job in its lane. If there is no room, it releases the claim on the job.
func (w *Worker) enqueue(j *job) {
	lane := w.ranges
	if j.whole != nil && j.ID == 0 {
		lane = w.small
	}
	w.hand.take(j, w.c.Now())
	select {
	case lane <- j:
	default:
		w.hand.drop(j)
	}
}

// Wake makes this instance check SQL for work now.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default: // already woken since the last check
	}
}

// claimAll claims due work until ctx ends.
func (w *Worker) claimAll(ctx context.Context) {
	tick := time.NewTicker(w.c.Poll)
	defer tick.Stop()
	failing := false
	for {
		more, err := w.claim(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			w.c.Log.WarnContext(ctx, "could not claim work; notices wait in sql", "stage", "intake", "err", err)
		case err == nil && failing:
			w.c.Log.InfoContext(ctx, "work is claimed again", "stage", "intake")
		}
		if failing = err != nil; more {
			continue
		}
		select {
		case <-tick.C:
		case <-w.wake:
		case <-ctx.Done():
			return
		}
	}
}

// claim claims due work as far as there is room. more reports whether more may be due.
func (w *Worker) claim(ctx context.Context) (more bool, err error) {
	n, err := w.c.Store.CountWork(ctx, w.c.MaxBacklog+1)
	if err != nil {
		w.backlog.Store(0) // an unknown backlog must not block senders
		return false, err
	}
	w.backlog.Store(n)
	if n == 0 {
		w.passing.Store(0)
		return false, nil
	}
	if w.Unavailable() {
		return false, nil
	}
	if len(w.small) >= maxBatch || len(w.ranges) >= maxHeld {
		w.waiting.Store(true)
		if len(w.small) >= maxBatch || len(w.ranges) >= maxHeld {
			return false, nil // the lanes wake this instance when they have room
		}
	}
	passing := w.passing.Load()
	notices, err := w.claimNotices(ctx)
	if err != nil {
		return false, err
	}
	rows, err := w.claimRows(ctx)
	if err != nil {
		return false, err
	}
	if passing > 0 && notices == 0 {
		var passed bool
		if passed, err = w.c.Store.Passed(ctx, w.owner, passing); passed {
			w.passing.CompareAndSwap(passing, 0)
		}
	}
	return notices == maxBatch || rows == maxHeld, err
}

// claimNotices queues the jobs of due notices, and returns their number.
func (w *Worker) claimNotices(ctx context.Context) (int, error) {
	due, err := w.c.Store.ClaimNotices(ctx, w.claimed(), maxBatch)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	ids := make([]int64, len(due))
	before := make(map[int64]notifier.Work, len(due))
	for i, d := range due {
		ids[i], before[d.NoticeID] = d.NoticeID, d
	}
	jobs, err := w.jobs(ctx, ids, false)
	if err != nil {
		return 0, errors.Join(err, w.c.Store.GiveBack(ctx, w.owner, ids, nil))
	}
	for _, j := range jobs {
		was := before[j.NoticeID]
		j.Tries, j.Owner, j.Trace = was.Tries, was.Owner, was.Trace
		w.begin(ctx, j)
	}
	return len(due), nil
}

// claimRows queues the due rows of work, and returns their number.
func (w *Worker) claimRows(ctx context.Context) (int, error) {
	due, err := w.c.Store.ClaimWork(ctx, w.claimed(), maxHeld)
	for _, d := range due {
		w.begin(ctx, &job{Work: d})
	}
	return len(due), err
}

// begin queues a claimed job, or buries it.
func (w *Worker) begin(ctx context.Context, j *job) {
	if j.Owner != 0 || j.Tries > 0 {
		w.reclaimed.Add(1)
	}
	if j.Tries >= silentFactor*maxTries {
		w.bury(ctx, j, errSilent)
		return
	}
	w.enqueue(j)
}
