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
	"github.com/carillonhq/carillon/notifier/epoch"
	"github.com/carillonhq/carillon/notifier/intake"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/unread"
)

// backlogger counts notices by state, what waits, dead letters, and its own failures.
type backlogger interface {
	Backlog(ctx context.Context) (map[notifier.State]int64, error)
	Waiting(ctx context.Context) (n int64, since time.Time, err error)
	CountDeadLetters(ctx context.Context) (int64, error)
	Refused() int64
}

// sources is what is measured.
type sources struct {
	hub    func() live.Stats
	toasts func() toast.Stats
	behind func() unread.Stats
	intake func() intake.Stats
	redis  func() epoch.State
	sql    backlogger
}

// admin serves what is for operators, on an address of its own.
func admin(from sources) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&backlog{
			sql: from.sql, intake: from.intake,
			waits: prometheus.NewDesc("carillon_intake_backlog", "Accepted and not delivered yet, of all instances, in the stream or in SQL alone.", nil, nil),
			since: prometheus.NewDesc("carillon_intake_oldest_seconds", "How long the oldest of them has waited.", nil, nil),
			state: prometheus.NewDesc("carillon_notices_unfinished", "Notices on their way, by state.", []string{"state"}, nil),
			dead:  prometheus.NewDesc("carillon_dead_letters", "Work that failed again and again and waits for somebody.", nil, nil),
		},
	)
	from.streams(meter{registry})
	from.popped(meter{registry})
	from.work(meter{registry})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	return mux
}

// meter registers numbers that are asked for when they are scraped.
type meter struct{ *prometheus.Registry }

func (m meter) gauge(name, help string, value func() float64) {
	m.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func (m meter) counter(name, help string, value func() int64) {
	m.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
}

func (from sources) streams(m meter) {
	m.gauge("carillon_streams", "Event streams open on this instance.", func() float64 { return float64(from.hub().Streams) })
	m.gauge("carillon_users", "Users whose badge this instance holds.", func() float64 { return float64(from.hub().Users) })
	m.counter("carillon_streams_cut_total", "Clients cut because they did not read.", func() int64 { return from.hub().Cut })
	m.counter("carillon_messages_dropped_total", "Published messages that were malformed or for nobody here.", func() int64 { return from.hub().Dropped })
	m.counter("carillon_resubscriptions_total", "Lost subscriptions made again.", func() int64 { return from.hub().Resubscriptions })
	m.counter("carillon_rereads_total", "Badges read from Redis.", func() int64 { return from.hub().Rereads })
}

func (from sources) work(m meter) {
	m.gauge("carillon_redis_state", "0: away, 1: being healed, 2: used.", func() float64 { return float64(from.redis()) })

	m.counter("carillon_sql_refused_total", "Calls that failed because SQL was away, full, locked or too slow.", from.sql.Refused)

	m.counter("carillon_intake_done_total", "Entries done by this instance.", func() int64 { return from.intake().Done })
	m.counter("carillon_intake_failed_total", "Tries that ended with an error; Redis or SQL being away is none.", func() int64 { return from.intake().Failed })
	m.counter("carillon_intake_reclaimed_total", "Entries taken over from another instance, or from an earlier try.", func() int64 { return from.intake().Reclaimed })
	m.counter("carillon_intake_buried_total", "Entries that this instance put aside as dead letters.", func() int64 { return from.intake().Buried })

	m.gauge("carillon_flush_lag_seconds", "Age of the oldest change of an inbox that this instance has to write to SQL.", func() float64 { return from.behind().Lag.Seconds() })
	m.counter("carillon_flush_users_total", "Inboxes written to SQL.", func() int64 { return from.behind().Users })
	m.counter("carillon_flush_batches_total", "Writes to SQL that these took.", func() int64 { return from.behind().Batches })
	m.counter("carillon_flush_rows_total", "Entries in the inboxes written to SQL.", func() int64 { return from.behind().Rows })
	m.counter("carillon_inboxes_evicted_total", "Inboxes that left Redis because nobody used them.", func() int64 { return from.behind().Evicted })
	m.counter("carillon_drift_checked_total", "Inboxes looked at for drift.", func() int64 { return from.behind().Checked })
	m.MustRegister(&drift{
		behind: from.behind,
		found:  prometheus.NewDesc("carillon_drift_total", "Inboxes whose parts disagreed, by kind, and were mended; its goal is 0.", []string{"kind"}, nil),
	})
}

// drift counts what the sampler has found.
type drift struct {
	behind func() unread.Stats
	found  *prometheus.Desc
}

// Describe names the one metric.
func (d *drift) Describe(ch chan<- *prometheus.Desc) { ch <- d.found }

// Collect has a number for each kind, from the start on.
func (d *drift) Collect(ch chan<- prometheus.Metric) {
	for kind, n := range d.behind().Drift {
		ch <- prometheus.MustNewConstMetric(d.found, prometheus.CounterValue, float64(n), string(kind))
	}
}
