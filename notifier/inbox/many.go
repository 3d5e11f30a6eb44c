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
)

// job is one run of a task: for a user, on behalf of one of the things at hand.
type job struct {
	seq int64
	of  int
}

// jobsOf are the jobs of one thing for these users.
func jobsOf(seqs []int64) []job {
	jobs := make([]job, len(seqs))
	for i, seq := range seqs {
		jobs[i].seq = seq
	}
	return jobs
}

// task is one script for many inboxes. args appends its KEYS and ARGV for one
// job; nkeys says how many of these are KEYS.
type task struct {
	script *script.Script
	nkeys  int
	args   func(to []any, j job, u userArgs) []any
}

// userArgs are the arguments that differ from user to user, or batch to batch.
type userArgs struct{ now, seq, channel any }

// many runs all jobs of a task on behalf of so many things, in pipelines of which
// two are under way at a time; those of one user in their order. It sums up the
// answers, and answers an error for each thing that is not wholly done. An inbox
// that refuses keeps nothing else from its inboxes; when Redis is away the rest is
// left out.
func (b *Inbox) many(ctx context.Context, things int, jobs []job, t task) (sum int, errs []error) {
	r := results{errs: make([]error, things)}
	if len(jobs) <= batch {
		b.lane(ctx, jobs, t, &r)
		return r.sum, r.errs
	}
	var lanes [inFlight][]job
	for _, j := range jobs {
		i := j.seq * 0x61c88647 >> 16 & (inFlight - 1) // whichever users there are, about as many in each
		lanes[i] = append(lanes[i], j)
	}
	var all sync.WaitGroup
	for _, lane := range lanes {
		all.Go(func() { b.lane(ctx, lane, t, &r) })
	}
	all.Wait()
	return r.sum, r.errs
}

// lane runs jobs one pipeline after the other.
func (b *Inbox) lane(ctx context.Context, jobs []job, t task, r *results) {
	for len(jobs) > 0 {
		n := min(batch, len(jobs))
		err := b.chunk(ctx, jobs[:n], t, r)
		if jobs = jobs[n:]; err != nil {
			r.fail(jobs, err)
			return
		}
	}
}

// chunk runs the jobs of one pipeline, and again those whose inbox was cold. It
// answers an error when the next ones would not fare better.
func (b *Inbox) chunk(ctx context.Context, jobs []job, t task, r *results) error {
	now := b.millis()
	for range maxWarm {
		cold, err := b.pass(ctx, jobs, t, now, r)
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

// warmFor brings the inboxes of these jobs into Redis, and answers the jobs that
// can go on: what goes to nobody is done, and who has no inbox to be read fails.
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

// pass runs jobs once, and answers those whose inbox is cold.
func (b *Inbox) pass(ctx context.Context, jobs []job, t task, now int64, r *results) (cold []job, err error) {
	p := script.NewPipe(b.rdb, len(jobs))
	cmds := make([]*redis.Cmd, len(jobs))
	u := userArgs{now: now}
	var buf []any
	for i, j := range jobs {
		u.seq, u.channel = strconv.FormatInt(j.seq, 10), b.k.LiveUser(j.seq)
		buf = t.args(buf[:0], j, u)
		cmds[i] = p.Add(ctx, t.script, t.nkeys, buf...)
	}
	_ = p.Exec(ctx) // each command holds its own error
	sum := 0
	for i, cmd := range cmds {
		answer, bad := parseReply(cmd)
		switch {
		case bad != nil:
			r.fail(jobs[i:i+1], bad)
			if err == nil {
				err = hopeless(ctx, bad)
			}
		case answer.code == codeCold:
			cold = append(cold, jobs[i])
		default:
			sum += int(answer.code)
		}
	}
	r.add(sum)
	return cold, err
}
