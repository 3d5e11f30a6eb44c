package inbox

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// job is one run of a task: for the user seq, for the caller's item with index of.
type job struct {
	seq int64
	of  int
}

// jobsOf returns a job for each user, all for the item with index 0.
func jobsOf(seqs []int64) []job {
	jobs := make([]job, len(seqs))
	for i, seq := range seqs {
		jobs[i].seq = seq
	}
	return jobs
}

// task is a script to run on many inboxes. args appends its KEYS and ARGV for one job; nkeys is
// the number of KEYS. pass, if not nil, runs jobs in its own way instead, like Inbox.pass. key returns the entry key of an
// item; only scripts that return codeGroup need it.
type task struct {
	script *script.Script
	nkeys  int
	args   func(to []any, j job, u userArgs) []any
	key    func(of int) string
	pass   func(ctx context.Context, jobs []job, now int64, r *results) (cold []job, err error)
}

// userArgs contains the arguments that differ between users or batches.
type userArgs struct{ now, seq, channel any }

// many runs all jobs of a task, for the given number of items, in pipelines, two of which run
// concurrently. Jobs of the same user run in order. It returns the sum of the replies, and for
// each item an error unless all its jobs are done. A failed inbox does not delay the others;
// once Redis is unavailable, the remaining jobs are skipped.
func (b *Inbox) many(ctx context.Context, items int, jobs []job, t task) (sum int, errs []error) {
	r := results{errs: make([]error, items)}
	if len(jobs) <= perPipeline {
		b.lane(ctx, jobs, t, &r)
		b.regroup(ctx, t.key, &r)
		return r.sum, r.errs
	}
	var lanes [inFlight][]job
	for _, j := range jobs {
		i := keys.Partition(j.seq) * 0x61c88647 >> 16 & (inFlight - 1) // balances the lanes for any user numbers
		lanes[i] = append(lanes[i], j)
	}
	var all sync.WaitGroup
	for _, lane := range lanes {
		all.Go(func() { b.lane(ctx, lane, t, &r) })
	}
	all.Wait()
	b.regroup(ctx, t.key, &r)
	return r.sum, r.errs
}

// lane runs jobs, one pipeline after another.
func (b *Inbox) lane(ctx context.Context, jobs []job, t task, r *results) {
	for len(jobs) > 0 {
		n := min(perPipeline, len(jobs))
		err := b.chunk(ctx, jobs[:n], t, r)
		if jobs = jobs[n:]; err != nil {
			r.fail(jobs, err)
			return
		}
	}
}

// chunk runs the jobs of one pipeline, and repeats jobs whose inbox was cold. It returns an
// error if the following chunks would fail too.
func (b *Inbox) chunk(ctx context.Context, jobs []job, t task, r *results) error {
	now := b.millis()
	for range maxWarm {
		cold, err := b.pass(ctx, jobs, &t, now, r)
		if err != nil {
			r.fail(cold, err)
			return err
		}
		if len(cold) == 0 {
			return nil
		}
		if jobs, err = b.warmFor(ctx, cold, now, r); err != nil {
			r.fail(cold, err)
			return err
		}
	}
	r.fail(jobs, errCold)
	return nil
}

// warmFor restores the inboxes of these jobs and returns the jobs to run again. Jobs for unknown
// users count as done; jobs whose inbox cannot be restored fail.
func (b *Inbox) warmFor(ctx context.Context, cold []job, now int64, r *results) (again []job, err error) {
	seqs := make([]int64, len(cold))
	for i, j := range cold {
		seqs[i] = j.seq
	}
	slices.Sort(seqs)
	seqs = slices.Compact(seqs)
	answers, err := b.warm(ctx, seqs, now)
	if err != nil {
		return nil, err
	}
	for i, j := range cold {
		at, _ := slices.BinarySearch(seqs, j.seq)
		switch err := answers[at].err; {
		case err == nil:
			again = append(again, j)
		case !errors.Is(err, notifier.ErrNotFound):
			r.fail(cold[i:i+1], err)
		}
	}
	return again, nil
}

// pass runs the jobs once, and returns the jobs whose inbox is cold.
func (b *Inbox) pass(ctx context.Context, jobs []job, t *task, now int64, r *results) (cold []job, err error) {
	if t.pass != nil {
		return t.pass(ctx, jobs, now, r)
	}
	p := script.NewPipe(b.rdb, len(jobs))
	cmds := make([]*redis.Cmd, len(jobs))
	u := userArgs{now: now}
	var buf []any
	for i, j := range jobs {
		u.seq, u.channel = strconv.FormatInt(j.seq, 10), b.k.LiveUser(j.seq)
		buf = t.args(buf[:0], j, u)
		cmds[i] = p.Add(ctx, t.script, t.nkeys, buf...)
	}
	_ = p.Exec(ctx) // each command has its own error
	sum, groups := 0, []job(nil)
	for i, cmd := range cmds {
		answer, bad := script.ParseReply(cmd)
		switch {
		case bad != nil:
			r.fail(jobs[i:i+1], bad)
			if err == nil {
				err = hopeless(ctx, bad)
			}
		case answer.Code == codeCold:
			cold = append(cold, jobs[i])
		case answer.Code == codeGroup:
			groups = append(groups, jobs[i])
		default:
			sum += int(answer.Code)
		}
	}
	r.add(sum, groups...)
	return cold, err
}
