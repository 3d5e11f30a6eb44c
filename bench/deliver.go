//go:build linux

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

// deliverScripts measures one worker's pipelines against redis-benchmark, which
// is written in C and does nothing but send the same script.
func (w *world) deliverScripts(ctx context.Context) ([]row, error) {
	rate, perScript := series{}, series{}
	for range w.opt.repeat {
		if err := w.deliverOurs(ctx, rate, perScript); err != nil {
			return nil, err
		}
		if err := w.deliverBound(ctx, rate, perScript); err != nil {
			return nil, err
		}
	}
	return []row{
		rate.row("6", "deliver scripts from one worker, pipelined", "1/s", atLeastOf(0.9, "redis-benchmark")),
		perScript.row("6", "time of one deliver script in Redis", "µs", shown()),
	}, nil
}

// population is how many inboxes scripts are spread over.
func (w *world) population() []int64 {
	seqs := make([]int64, w.opt.streams)
	for i := range seqs {
		seqs[i] = int64(i + 1)
	}
	return seqs
}

func (w *world) deliverOurs(ctx context.Context, rate, perScript series) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	seqs, rounds := w.population(), w.opt.scaled(20)
	if _, err := w.inbox.Badges(ctx, seqs); err != nil { // warms them
		return err
	}
	if err := w.rdb.ConfigResetStat(ctx).Err(); err != nil {
		return fmt.Errorf("reset the statistics: %w", err)
	}
	began := time.Now()
	changed := 0
	for range rounds {
		n, err := w.inbox.Deliver(ctx, w.notice(load.Mark{}, int64(len(seqs))), seqs)
		if err != nil {
			return err
		}
		changed += n
	}
	rate.add(ours, float64(changed)/time.Since(began).Seconds())
	stat, err := w.commandStat(ctx, "evalsha")
	perScript.add(ours, stat.micros)
	return err
}

// deliverBound has redis-benchmark send what one delivery sent, to users drawn
// anew for each key and argument: the keys of one call belong to several users,
// which costs Redis the same.
func (w *world) deliverBound(ctx context.Context, rate, perScript series) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	const seq = 987_654_321 // a number that stands nowhere else
	// Notices are drawn like users: with fewer of both, too many would be
	// there already.
	spread := max(w.opt.streams, 10_000)
	w.notices.Store(max(w.notices.Load(), 1_000_000_000))
	n := w.notice(load.Mark{}, int64(w.opt.streams))
	if _, err := w.inbox.Badges(ctx, []int64{seq}); err != nil {
		return err
	}
	words, err := recordScript(ctx, w.socket, func() error {
		_, err := w.inbox.Deliver(ctx, n, []int64{seq})
		return err
	})
	if err != nil {
		return err
	}
	user := strconv.FormatInt(seq, 10)
	if err := w.padded(ctx, w.space.State(seq), user, spread); err != nil {
		return err
	}
	if err := w.rdb.ConfigResetStat(ctx).Err(); err != nil {
		return fmt.Errorf("reset the statistics: %w", err)
	}
	count := w.opt.scaled(200_000)
	command := randomised(words, user, strconv.FormatInt(n.ID, 10))
	got, err := redisBenchmark(ctx, w.socket, count, 4, 256, spread, command)
	if err != nil {
		return err
	}
	published, err := w.commandStat(ctx, "publish")
	if err != nil {
		return err
	}
	if published.calls < 0.9*float64(count) {
		return fmt.Errorf("redis-benchmark delivered %v of %d: it did not run the real script", published.calls, count)
	}
	stat, err := w.commandStat(ctx, "evalsha")
	rate.add("redis-benchmark", got)
	perScript.add("redis-benchmark", stat.micros)
	return err
}

// padded warms the inboxes whose numbers redis-benchmark will write, which are
// randDigits long.
func (w *world) padded(ctx context.Context, stateKey, user string, count int) error {
	p := w.rdb.Pipeline()
	for i := range count {
		key := strings.Replace(stateKey, user, fmt.Sprintf("%0*d", randDigits, i), 1)
		p.Copy(ctx, stateKey, key, 0, true)
		if i%1000 == 999 || i == count-1 {
			if _, err := p.Exec(ctx); err != nil {
				return fmt.Errorf("warm inboxes: %w", err)
			}
		}
	}
	return nil
}
