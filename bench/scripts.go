//go:build linux

package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

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
	if err := w.padded(ctx, w.space.State(seq), user); err != nil {
		return err
	}
	if err := w.rdb.ConfigResetStat(ctx).Err(); err != nil {
		return fmt.Errorf("reset the statistics: %w", err)
	}
	count := w.opt.scaled(200_000)
	command := randomised(words, user, strconv.FormatInt(n.ID, 10))
	got, err := redisBenchmark(ctx, w.socket, count, 4, 256, w.opt.streams, command)
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
func (w *world) padded(ctx context.Context, stateKey, user string) error {
	p := w.rdb.Pipeline()
	for i := range w.opt.streams {
		key := strings.Replace(stateKey, user, fmt.Sprintf("%0*d", randDigits, i), 1)
		p.Copy(ctx, stateKey, key, 0, true)
		if i%1000 == 999 || i == w.opt.streams-1 {
			if _, err := p.Exec(ctx); err != nil {
				return fmt.Errorf("warm inboxes: %w", err)
			}
		}
	}
	return nil
}

// openCase is how many rows were unread and what their opening shall reach: a
// rate is judged by the time that Redis itself counts for one script.
type openCase struct {
	unread, users int
	goal          goal
}

// openScripts measures the opening of inboxes with more and more unread rows.
func (w *world) openScripts(ctx context.Context) (rows []row, err error) {
	for _, c := range []openCase{
		{0, 4000, everyMicros(12_000)},
		{5, 4000, everyMicros(8_000)},
		{30, 4000, everyMicros(5_000)},
		{200, 1000, atMost(1000)},
	} {
		rate, micros := series{}, series{}
		for range w.opt.repeat {
			if err := w.openOnce(ctx, c, rate, micros); err != nil {
				return rows, err
			}
		}
		what := fmt.Sprintf("open an inbox, %d unread", c.unread)
		rows = append(rows,
			micros.row("8b", what+", one script", "µs", c.goal),
			rate.row("8b", "the same from 64 callers, page decoded", "1/s", shown()))
	}
	return rows, nil
}

// everyMicros is the time per script that allows perSecond of them.
func everyMicros(perSecond float64) goal {
	g := atMost(1e6 / perSecond)
	g.text += " (" + short(perSecond) + "/s)"
	return g
}

func (w *world) openOnce(ctx context.Context, c openCase, rate, micros series) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	seqs := w.population()
	seqs = seqs[:min(w.opt.scaled(c.users), len(seqs))]
	if err := w.fillInboxes(ctx, seqs, max(30-c.unread, 0), c.unread); err != nil {
		return err
	}
	opens := len(seqs)
	if c.unread == 0 {
		opens *= 5 // opening changes nothing and can be repeated
	}
	if err := w.rdb.ConfigResetStat(ctx).Err(); err != nil {
		return fmt.Errorf("reset the statistics: %w", err)
	}
	began := time.Now()
	err := inParallel(ctx, callers, opens, func(i int) error {
		_, err := w.inbox.Open(ctx, seqs[i%len(seqs)])
		return err
	})
	if err != nil {
		return err
	}
	rate.add(ours, float64(opens)/time.Since(began).Seconds())
	stat, err := w.commandStat(ctx, "evalsha")
	if err != nil {
		return err
	}
	micros.add(ours, stat.micros)
	if c.unread > 0 {
		return nil
	}
	words, err := recordScript(ctx, w.socket, func() error {
		_, err := w.inbox.Open(ctx, seqs[0])
		return err
	})
	if err != nil {
		return err
	}
	got, err := redisBenchmark(ctx, w.socket, w.opt.scaled(100_000), callers, 1, 1, words)
	rate.add("redis-benchmark", got)
	return err
}

// fillInboxes delivers read rows, opens, and delivers unread ones.
func (w *world) fillInboxes(ctx context.Context, seqs []int64, read, unread int) error {
	for i := range read + unread {
		if i == read {
			if err := w.openAll(ctx, seqs); err != nil {
				return err
			}
		}
		if _, err := w.inbox.Deliver(ctx, w.notice(load.Mark{}, int64(len(seqs))), seqs); err != nil {
			return err
		}
	}
	if unread == 0 {
		return w.openAll(ctx, seqs)
	}
	return nil
}

func (w *world) openAll(ctx context.Context, seqs []int64) error {
	return inParallel(ctx, callers, len(seqs), func(i int) error {
		_, err := w.inbox.Open(ctx, seqs[i])
		return err
	})
}

// commandStat is what Redis counted of one command since the last reset.
type commandStat struct {
	calls  float64
	micros float64 // per call
}

var statPattern = regexp.MustCompile(`calls=(\d+),usec=\d+,usec_per_call=([0-9.]+)`)

func (w *world) commandStat(ctx context.Context, command string) (s commandStat, err error) {
	info, err := w.rdb.Info(ctx, "commandstats").Result()
	if err != nil {
		return s, fmt.Errorf("read the statistics: %w", err)
	}
	_, line, _ := strings.Cut(info, "cmdstat_"+command+":")
	m := statPattern.FindStringSubmatch(line)
	if m == nil {
		return s, fmt.Errorf("no statistics of %s: %w", command, redis.Nil)
	}
	if s.calls, err = strconv.ParseFloat(m[1], 64); err != nil {
		return s, err
	}
	s.micros, err = strconv.ParseFloat(m[2], 64)
	return s, err
}
