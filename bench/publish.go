//go:build linux

package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/bench/load"
)

// callers is the number of concurrent publishers.
const callers = 64

// nextRun returns a run number for marks that no earlier measurement has used.
func (w *world) nextRun() int64 {
	w.runs++
	return w.runs
}

// markOf returns the recipient and the mark of message n in a run in which the users take
// turns.
func markOf(run int64, n, users int, due time.Time) (user int, m load.Mark) {
	user = n % users
	return user, load.Mark{Run: run, User: int64(user), N: int64(n / users), Due: due}
}

// paced publishes count messages at rate per second to the first users in turn. Each carries its due time, so that
// falling behind counts as latency.
func (w *world) paced(ctx context.Context, t *target, run int64, count int, rate float64, users int) error {
	type job struct {
		n   int
		due time.Time
	}
	jobs := make(chan job, count) // never blocks: a late caller must not delay the clock
	var wg sync.WaitGroup
	var failed firstError
	for range callers {
		wg.Go(func() {
			for j := range jobs {
				user, m := markOf(run, j.n, users, j.due)
				failed.set(t.one(ctx, user, m))
			}
		})
	}
	begin := time.Now()
	for n := range count {
		due := begin.Add(time.Duration(float64(n) / rate * float64(time.Second)))
		sleepUntil(due)
		jobs <- job{n, due}
	}
	close(jobs)
	wg.Wait()
	return errors.Join(failed.get(), ctx.Err())
}

// flatOut publishes count messages as fast as the callers can.
func (w *world) flatOut(ctx context.Context, t *target, run int64, count, users int) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	var failed firstError
	for range callers {
		wg.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(1) - 1)
				if n >= count {
					return
				}
				user, m := markOf(run, n, users, time.Now())
				failed.set(t.one(ctx, user, m))
			}
		})
	}
	wg.Wait()
	return errors.Join(failed.get(), ctx.Err())
}

// inParallel calls do for 0 to count-1 from several goroutines.
func inParallel(ctx context.Context, workers, count int, do func(i int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	var failed firstError
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil && failed.get() == nil {
				i := int(next.Add(1) - 1)
				if i >= count {
					return
				}
				failed.set(do(i))
			}
		})
	}
	wg.Wait()
	return errors.Join(failed.get(), ctx.Err())
}

// firstError keeps the first error of many goroutines.
type firstError struct{ err atomic.Pointer[error] }

func (f *firstError) set(err error) {
	if err != nil {
		f.err.CompareAndSwap(nil, &err)
	}
}

func (f *firstError) get() error {
	if p := f.err.Load(); p != nil {
		return *p
	}
	return nil
}

// sleepUntil waits for t with the precision of the kernel. The runtime's timers round to a
// millisecond, which would be most of the measured latency.
func sleepUntil(t time.Time) {
	if d := time.Until(t); d > 0 {
		ts := unix.NsecToTimespec(int64(d))
		_ = unix.Nanosleep(&ts, nil) // a signal may end it early; then this message is early
	}
}
