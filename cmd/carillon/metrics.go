package main

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/unread"
)

// backlogger counts notices by state.
type backlogger interface {
	Backlog(ctx context.Context) (map[notifier.State]int64, error)
}

// admin serves what is for operators, on an address of its own.
func admin(stats func() live.Stats, behind func() unread.Stats, sql backlogger) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&backlog{sql: sql, desc: prometheus.NewDesc("carillon_notices_unfinished", "Notices on their way, by state.", []string{"state"}, nil)},
	)
	gauge := func(name, help string, value func(live.Stats) int64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return float64(value(stats())) }))
	}
	counter := func(name, help string, value func(live.Stats) int64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(value(stats())) }))
	}
	gauge("carillon_streams", "Event streams open on this instance.", func(s live.Stats) int64 { return s.Streams })
	gauge("carillon_users", "Users whose badge this instance holds.", func(s live.Stats) int64 { return s.Users })
	counter("carillon_streams_cut_total", "Clients cut because they did not read.", func(s live.Stats) int64 { return s.Cut })
	counter("carillon_messages_dropped_total", "Published messages that were malformed or for nobody here.", func(s live.Stats) int64 { return s.Dropped })
	counter("carillon_resubscriptions_total", "Lost subscriptions made again.", func(s live.Stats) int64 { return s.Resubscriptions })
	counter("carillon_rereads_total", "Badges read from Redis.", func(s live.Stats) int64 { return s.Rereads })
	flushed := func(name, help string, value func(unread.Stats) int64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(value(behind())) }))
	}
	flushed("carillon_flush_users_total", "Inboxes written to SQL.", func(s unread.Stats) int64 { return s.Users })
	flushed("carillon_flush_batches_total", "Writes to SQL that these took.", func(s unread.Stats) int64 { return s.Batches })
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "carillon_flush_lag_seconds", Help: "Age of the oldest change of an inbox that this instance has to write to SQL.",
	}, func() float64 { return behind().Lag.Seconds() }))

	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	return mux
}

// backlog asks SQL when it is asked.
type backlog struct {
	sql  backlogger
	desc *prometheus.Desc
}

// Describe names the one metric.
func (b *backlog) Describe(ch chan<- *prometheus.Desc) { ch <- b.desc }

// Collect counts, or says why it cannot.
func (b *backlog) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	states, err := b.sql.Backlog(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(b.desc, err)
		return
	}
	for _, state := range []notifier.State{notifier.StateAccepted, notifier.StateSending, notifier.StateRetracting} {
		ch <- prometheus.MustNewConstMetric(b.desc, prometheus.GaugeValue, float64(states[state]), string(state))
	}
}
