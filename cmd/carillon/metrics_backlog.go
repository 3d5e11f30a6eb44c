package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// backlog asks SQL when it is asked.
type backlog struct {
	sql                       backlogger
	intake                    func() intake.Stats
	waits, since, state, dead *prometheus.Desc
}

// Describe names the metrics.
func (b *backlog) Describe(ch chan<- *prometheus.Desc) {
	ch <- b.waits
	ch <- b.since
	ch <- b.state
	ch <- b.dead
}

// Collect counts, or says why it cannot.
func (b *backlog) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	b.waiting(ctx, ch)
	if n, err := b.sql.CountDeadLetters(ctx); err != nil {
		ch <- prometheus.NewInvalidMetric(b.dead, err)
	} else {
		ch <- prometheus.MustNewConstMetric(b.dead, prometheus.GaugeValue, float64(n))
	}
	states, err := b.sql.Backlog(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(b.state, err)
		return
	}
	for _, state := range []notifier.State{notifier.StateAccepted, notifier.StateSending, notifier.StateRetracting} {
		ch <- prometheus.MustNewConstMetric(b.state, prometheus.GaugeValue, float64(states[state]), string(state))
	}
}

// waiting tells the larger of what the stream and SQL know: what Redis had no room for, or
// could not be given, is in SQL alone; what is sent again, and entries of a notice that
// SQL has as one, are in the stream alone. While SQL is away it is what the stream knows.
func (b *backlog) waiting(ctx context.Context, ch chan<- prometheus.Metric) {
	stats := b.intake()
	n, oldest := stats.Backlog, stats.Oldest
	if stored, since, err := b.sql.Waiting(ctx); err == nil && stored > 0 {
		n, oldest = max(n, stored), max(oldest, time.Since(since))
	}
	ch <- prometheus.MustNewConstMetric(b.waits, prometheus.GaugeValue, float64(n))
	ch <- prometheus.MustNewConstMetric(b.since, prometheus.GaugeValue, oldest.Seconds())
}
