//go:build linux

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
)

// deliverScripts compares the pipelines of one worker with redis-benchmark, which is written in C and only sends the
// same script.
func (w *world) deliverScripts(ctx context.Context) ([]row, error) {
	rate, cost := series{}, series{}
	for range w.opt.repeat {
		if err := w.deliverOurs(ctx, rate, cost); err != nil {
			return nil, err
		}
		if err := w.deliverBound(ctx, rate, cost); err != nil {
			return nil, err
		}
	}
	return []row{
		rate.row("6", "deliver scripts from one worker, pipelined", "1/s", atLeastOf(0.9, "redis-benchmark")),
		cost.row("6", "processor time of Redis per delivery", "µs", shown()),
	}, nil
}

// population returns the users over whose inboxes the scripts are spread, with warm inboxes.
func (w *world) population() []int64 {
	seqs := make([]int64, w.opt.streams)
	for i := range seqs {
		seqs[i] = int64(i + 1)
	}
	return seqs
}

func (w *world) deliverOurs(ctx context.Context, rate, cost series) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	seqs, rounds := w.population(), w.opt.scaled(20)
	if _, err := w.inbox.Badges(ctx, seqs); err != nil { // warms them
		return err
	}
	before, err := w.redisCPU(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	for range rounds {
		if err := w.deliver(ctx, w.notice(load.Mark{}, int64(len(seqs))), seqs); err != nil {
			return err
		}
	}
	rate.add(ours, float64(rounds*len(seqs))/time.Since(began).Seconds())
	after, err := w.redisCPU(ctx)
	cost.add(ours, 1e6*(after-before)/float64(rounds*len(seqs)))
	return err
}

// deliver delivers a notice to users.
func (w *world) deliver(ctx context.Context, n *notifier.Notice, seqs []int64) error {
	d, err := n.Delivery(seqs)
	if err != nil {
		return err
	}
	_, errs := w.inbox.DeliverAll(ctx, []notifier.Delivery{d})
	return errs[0]
}

const (
	boundRound = 10_000 // deliveries in one run of redis-benchmark
	boundUsers = 500    // inboxes in such a run: 20 entries each, as for Carillon
)

// deliverBound makes redis-benchmark repeat the script call of one delivery. It draws the user
// and the notice at random for each key and argument, so the keys of one call belong to several
// users, which costs Redis the same. Each run has its own inboxes and partition: in total as
// many inboxes as Carillon filled.
func (w *world) deliverBound(ctx context.Context, rate, cost series) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	if err := w.resetStats(ctx); err != nil {
		return err
	}
	rounds := w.opt.scaled(20)
	var seconds, cpu float64
	for i := range rounds {
		perSecond, used, err := w.deliverRound(ctx, firstBound+int64(i))
		if err != nil {
			return err
		}
		seconds += boundRound / perSecond
		cpu += used
	}
	total := float64(rounds * boundRound)
	published, err := w.commandStat(ctx, "publish")
	if err != nil {
		return err
	}
	if published.calls < 0.9*total { // the others drew a user and notice again
		return fmt.Errorf("redis-benchmark delivered %v of %v: it did not run the real script", published.calls, total)
	}
	rate.add("redis-benchmark", total/seconds)
	cost.add("redis-benchmark", 1e6*cpu/total)
	return nil
}

// Numbers that can be recognized in a recorded script.
const (
	firstBound  = 987_654_321
	firstNotice = 1_000_000_000
)

func (w *world) deliverRound(ctx context.Context, seq int64) (perSecond, cpu float64, err error) {
	w.notices.Store(max(w.notices.Load(), firstNotice))
	n := w.notice(load.Mark{}, 2)
	if _, err := w.inbox.Badges(ctx, []int64{seq}); err != nil {
		return 0, 0, err
	}
	words, err := recordScript(ctx, w.socket, func() error {
		return w.deliver(ctx, n, []int64{seq})
	})
	if err != nil {
		return 0, 0, err
	}
	user := strconv.FormatInt(seq, 10)
	if err := w.warmDrawn(ctx, w.space.State(seq), user); err != nil {
		return 0, 0, err
	}
	before, err := w.redisCPU(ctx)
	if err != nil {
		return 0, 0, err
	}
	command := randomised(words, user, strconv.FormatInt(n.ID, 10))
	if perSecond, err = redisBenchmark(ctx, w.socket, boundRound, 4, 256, boundUsers, command); err != nil {
		return 0, 0, err
	}
	after, err := w.redisCPU(ctx)
	return perSecond, after - before, err
}

// warmDrawn warms the inboxes of the users that redis-benchmark will draw.
func (w *world) warmDrawn(ctx context.Context, stateKey, user string) error {
	p := w.rdb.Pipeline()
	for i := range boundUsers {
		p.Copy(ctx, stateKey, strings.Replace(stateKey, user, fmt.Sprintf("%0*d", randDigits, i), 1), 0, true)
	}
	if _, err := p.Exec(ctx); err != nil {
		return fmt.Errorf("warm inboxes: %w", err)
	}
	return nil
}
