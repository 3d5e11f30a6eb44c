package toast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// RaiseAll queues each toast for its users and publishes a signal to each of them. One user's
// toasts keep their order. Users for whom the same toast was raised before are skipped, whether or not
// it was shown: the same toast has the same notice, or the same Token if it has no notice. At most
// notifier.MaxToastIDs toasts wait for one user; the oldest are dropped.
//
// It returns one error per toast, in order: nil if the toast waits for all of its users. A user
// that fails does not affect the others. After an error some users may already have the toast; raise
// it again for all of them.
func (t *Toasts) RaiseAll(ctx context.Context, all []notifier.ToastRaise) []error {
	r := raising{Toasts: t, ctx: ctx, all: all, errs: make([]error, len(all)), retention: t.o.Retention.Milliseconds()}
	r.pipe = script.NewPipe(t.rdb, min(batch, len(all)))
	for i := range all {
		r.add(i)
	}
	r.flush()
	for i, err := range r.errs {
		if err != nil {
			t.stats.failed.Add(1)
			r.errs[i] = fmt.Errorf("raise a toast of notice %d for %d users: %w", all[i].NoticeID, len(all[i].Seqs), err)
		}
	}
	return r.errs
}

// raising is one call of RaiseAll.
type raising struct {
	*Toasts
	ctx       context.Context //nolint:containedctx // lives for one call of RaiseAll
	all       []notifier.ToastRaise
	errs      []error
	retention any
	lost      error // set if every further call would fail the same way

	pipe *script.Pipe
	runs []raiseRun // queued in the pipe
}

// raiseRun is one script call: some users of one partition, for the toast all[of].
type raiseRun struct {
	of  int
	cmd *redis.Cmd
}

var errToken = errors.New("a toast without a notice needs a token")

// add queues the script calls of one toast and flushes the pipe whenever it is full.
func (r *raising) add(i int) {
	d := &r.all[i]
	// The plus sign distinguishes a token that is a number from the notice with that id.
	what := "+" + d.Token
	if d.NoticeID != 0 {
		what = strconv.FormatInt(d.NoticeID, 10)
	} else if d.Token == "" {
		r.errs[i] = errToken
		return
	}
	head := []any{what, d.NoticeID, d.Key, d.EndsAt, d.Content, r.retention, r.most}
	seqs := slices.Clone(d.Seqs)
	slices.SortFunc(seqs, func(a, b int64) int { return keys.Partition(a) - keys.Partition(b) })
	for len(seqs) > 0 {
		n := 1
		for n < min(crowd, len(seqs)) && keys.Partition(seqs[n]) == keys.Partition(seqs[0]) {
			n++
		}
		r.runs = append(r.runs, raiseRun{i, r.script(seqs[:n], head)})
		if seqs = seqs[n:]; len(r.runs) == batch {
			r.flush()
		}
	}
}

// script queues one script call for users of one partition.
func (r *raising) script(seqs []int64, head []any) *redis.Cmd {
	p := r.part(seqs[0])
	args := make([]any, 0, 2+len(head)+3*len(seqs))
	args = append(args, p.stream, p.raised)
	for _, seq := range seqs {
		args = append(args, r.k.PendingToasts(seq))
	}
	args = append(args, head...)
	for _, seq := range seqs {
		args = append(args, strconv.FormatInt(seq, 10), r.k.LiveUser(seq))
	}
	return r.pipe.Add(r.ctx, raiseToast, 2+len(seqs), args...)
}

var errUser = errors.New("the key of the pending toasts has the wrong type")

// flush sends the queued script calls and records their errors.
func (r *raising) flush() {
	if len(r.runs) == 0 {
		return
	}
	if r.lost == nil {
		_ = r.pipe.Exec(r.ctx) // each command has its own error
	}
	for _, run := range r.runs {
		err := r.lost
		if err == nil {
			err = r.outcome(run.cmd)
		}
		if err != nil && r.errs[run.of] == nil {
			r.errs[run.of] = err
		}
	}
	r.runs = r.runs[:0]
}

// outcome reads the reply of one script call.
func (r *raising) outcome(cmd *redis.Cmd) error {
	got, err := script.ParseReply(cmd)
	switch {
	case err != nil:
		if errors.Is(err, notifier.ErrUnavailable) || r.ctx.Err() != nil {
			r.lost = err
		}
		return err
	case len(got.Rest) != 1:
		return fmt.Errorf("%w: %d numbers", script.ErrReply, 1+len(got.Rest))
	}
	r.stats.raised.Add(got.Code)
	if skipped := got.Number(0); skipped > 0 {
		return fmt.Errorf("%d of the users: %w", skipped, errUser)
	}
	return nil
}
