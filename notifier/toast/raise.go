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

// RaiseAll has each of these toasts wait for its users, and tells them; of one user in
// their order. Who was raised the same before is left out, whatever has become of it:
// the same notice, or alone the same Token. At most notifier.MaxToastIDs wait for one
// user; the oldest leave.
//
// It answers an error for each, in order: nil when it waits for all of its users. One
// user who cannot be served keeps nothing from the others. After an error some may
// have it already: raise it again for all.
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
	ctx       context.Context //nolint:containedctx // of the one call that this is
	all       []notifier.ToastRaise
	errs      []error
	retention any
	lost      error // what whatever comes next would meet, too

	pipe *script.Pipe
	runs []raiseRun // in the pipe
}

// raiseRun is a script for some users of a partition, on behalf of one of the raises.
type raiseRun struct {
	of  int
	cmd *redis.Cmd
}

var errToken = errors.New("a toast that stands alone has no token")

// add puts the scripts of one raise into the pipe, and sends it whenever it is full.
func (r *raising) add(i int) {
	d := &r.all[i]
	// Alone they cannot be taken for the notice with a number that is their token.
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

// script adds one run, for users of one partition.
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

var errUser = errors.New("what is stored for him is of a wrong type")

// flush sends what is in the pipe.
func (r *raising) flush() {
	if len(r.runs) == 0 {
		return
	}
	if r.lost == nil {
		_ = r.pipe.Exec(r.ctx) // each command holds its own error
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

// outcome reads what a script answered.
func (r *raising) outcome(cmd *redis.Cmd) error {
	n, err := cmd.Int64Slice()
	switch {
	case err != nil:
		if script.Away(err) || r.ctx.Err() != nil {
			r.lost = away(err)
		}
		return away(err)
	case len(n) != 2:
		return fmt.Errorf("%w: %d numbers", errReply, len(n))
	}
	r.stats.raised.Add(n[0])
	if n[1] > 0 {
		return fmt.Errorf("%d of the users: %w", n[1], errUser)
	}
	return nil
}
