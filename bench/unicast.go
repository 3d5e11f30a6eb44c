//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/bench/bound"
	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
)

const (
	pacedRate = 5_000
	quiet     = 3 * time.Second // after this time without an arrival, missing messages count as lost
)

// direct contains the results of messages to one user at a time at one server.
type direct struct {
	p50, p99  float64 // ms at pacedRate
	most      float64 // per second, with callers waiting for each
	pipelined float64 // per second, in pipelines
	wrong     float64 // lost, doubled or misrouted
}

// unicast measures single messages from the call to the browser's end of the stream.
func (w *world) unicast(ctx context.Context) ([]row, error) {
	p50, p99, most, pipelined, wrong := series{}, series{}, series{}, series{}, series{}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		for _, name := range streamServers() {
			got, err := w.unicastAt(ctx, name)
			if err != nil {
				return nil, err
			}
			p50.add(name, got.p50)
			p99.add(name, got.p99)
			most.add(name, got.most)
			pipelined.add(name, got.pipelined)
			wrong.add(name, got.wrong)
		}
	}
	return []row{
		most.row("5a", "one to one, script → Pub/Sub → socket, 64 callers", "1/s", atLeast(15_000)),
		p50.row("5a", "the same at 5,000/s, p50", "ms", shown()),
		p99.row("5a", "the same at 5,000/s, p99", "ms", atMost(3)),
		pipelined.row("5a", "the same, pipelined", "1/s", atLeast(25_000)),
		wrong.row("5a", "events lost, doubled or misrouted", "", never()),
	}, nil
}

func (w *world) unicastAt(ctx context.Context, name string) (got direct, err error) {
	t, err := w.target(ctx, name)
	if err != nil {
		return got, err
	}
	defer func() { err = stopped(t.process, err) }()
	fleet, err := allStreams(ctx, w.fleet(t))
	if err != nil {
		return got, err
	}
	defer fleet.Close()
	count := w.opt.scaled(8 * pacedRate)
	r, _, err := w.sent(ctx, fleet, int64(count), func(run int64) error {
		return w.paced(ctx, t, run, count, pacedRate, w.opt.streams)
	})
	if err != nil {
		return got, err
	}
	got.p50, got.p99 = r.Latency.Milliseconds(0.5), r.Latency.Milliseconds(0.99)
	got.wrong = wrongOf(r, count)
	count = w.opt.scaled(60_000)
	r, took, err := w.sent(ctx, fleet, int64(count), func(run int64) error { return w.flatOut(ctx, t, run, count, w.opt.streams) })
	if err != nil {
		return got, err
	}
	got.most, got.wrong = float64(r.Marks)/took.Seconds(), got.wrong+wrongOf(r, count)
	rounds := w.opt.scaled(10)
	count = rounds * w.opt.streams
	r, took, err = w.sent(ctx, fleet, int64(count), func(run int64) error { return w.inPipelines(ctx, t, name, run, rounds) })
	if err != nil {
		return got, err
	}
	got.pipelined, got.wrong = float64(r.Marks)/took.Seconds(), got.wrong+wrongOf(r, count)
	return got, nil
}

// sent calls publish and waits for the messages. It also returns the time from the first call
// to the last arrival.
func (w *world) sent(ctx context.Context, f *load.Fleet, want int64, publish func(run int64) error) (load.Result, time.Duration, error) {
	if err := pause(ctx, 500*time.Millisecond); err != nil {
		return load.Result{}, 0, err
	}
	run := w.nextRun()
	f.Begin(run)
	began := time.Now()
	if err := publish(run); err != nil {
		return load.Result{}, 0, err
	}
	r := f.Wait(ctx, want, quiet)
	return r, r.Last.Sub(began), ctx.Err()
}

func wrongOf(r load.Result, want int) float64 {
	return float64(int64(want) - r.Marks + r.Doubled + r.Astray + r.Dropped)
}

// inPipelines sends rounds messages to every user: to Carillon in its own pipelines, to the
// bounds in pipelines of the same number of PUBLISH commands.
func (w *world) inPipelines(ctx context.Context, t *target, name string, run int64, rounds int) error {
	for n := range rounds {
		m := load.Mark{Run: run, User: load.Everyone, N: int64(n), Due: time.Now()}
		if name == ours {
			if err := t.many(ctx, m); err != nil {
				return err
			}
			continue
		}
		text, err := notifier.EncodeContent(w.notice(m, 0).Content())
		if err != nil {
			return err
		}
		users := make([]int, w.opt.streams)
		for i := range users {
			users[i] = i
		}
		for chunk := range slices.Chunk(users, 256) {
			p := w.rdb.Pipeline()
			for _, user := range chunk {
				p.Publish(ctx, bound.Channel, strconv.Itoa(user)+"\n"+string(text))
			}
			if _, err := p.Exec(ctx); err != nil {
				return fmt.Errorf("publish in a pipeline: %w", err)
			}
		}
	}
	return nil
}
