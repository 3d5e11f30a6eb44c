package instance

import (
	"context"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/toast"
)

// backlogger counts notices by state, undelivered notices, dead letters, and its own failures.
type backlogger interface {
	Backlog(ctx context.Context) (map[notifier.State]int64, error)
	Waiting(ctx context.Context) (n int64, since time.Time, err error)
	CountDeadLetters(ctx context.Context) (int64, error)
	Refused() int64
}

// sources are the parts that metrics are read from.
type sources struct {
	hub    func() live.Stats
	toasts func() toast.Stats
	behind func() behind.Stats
	intake func() delivery.Stats
	redis  func() guard.State
	clock  func() (offset time.Duration, ok bool) // false: never measured
	sql    backlogger

	signIns func() session.SignInStats

	profiles bool   // Go's profiles are served, too
	addr     string // of the listener

	times *histograms
	pool  func() *redis.PoolStats
	pools []prometheus.Collector // of SQL, and of mails and pushes
}

// admin makes the handler of the admin address, which is for operators.
func admin(from sources) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&backlog{
			sql:   from.sql,
			waits: prometheus.NewDesc("carillon_intake_backlog", "Notices accepted and not delivered yet, of all instances.", nil, nil),
			since: prometheus.NewDesc("carillon_intake_oldest_seconds", "Age of the oldest of them.", nil, nil),
			state: prometheus.NewDesc("carillon_notices_unfinished", "Notices that are not delivered yet, by state.", []string{"state"}, nil),
			dead:  prometheus.NewDesc("carillon_dead_letters", "Entries that failed repeatedly and wait for an operator.", nil, nil),
		},
	)
	from.streams(meter{registry})
	from.toastMetrics(meter{registry})
	from.work(meter{registry})
	from.entered(meter{registry})
	registerPool(meter{registry}, from.pool)
	registry.MustRegister(from.pools...)
	registry.MustRegister(from.times.all...)
	registerBuild(meter{registry})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	if from.profiles {
		profile(mux, from.addr)
	}
	return mux
}

// meter registers numbers that are read at each scrape.
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
	m.counter("carillon_messages_dropped_total", "Published messages that were malformed or for users without a stream here.", func() int64 { return from.hub().Dropped })
	m.counter("carillon_resubscriptions_total", "Subscriptions made again after a lost connection.", func() int64 { return from.hub().Resubscriptions })
	m.counter("carillon_rereads_total", "Badges read from Redis.", func() int64 { return from.hub().Rereads })
}

func (from sources) work(m meter) {
	m.gauge("carillon_clock_offset_seconds", "Seconds by which the clock of Redis is ahead of the clock of this machine. Beyond 30 s either way Redis is not used.",
		func() float64 {
			if offset, ok := from.clock(); ok {
				return offset.Seconds()
			}
			return math.NaN()
		})
	m.gauge("carillon_redis_state", "0: away, 1: being restored, 2: in use.", func() float64 { return float64(from.redis()) })

	m.counter("carillon_sql_refused_total", "Calls that failed because SQL was away, full, locked or too slow.", from.sql.Refused)

	m.counter("carillon_intake_done_total", "Work done by this instance.", func() int64 { return from.intake().Done })
	m.counter("carillon_intake_failed_total", "Attempts that ended with an error, except while Redis or SQL is away.", func() int64 { return from.intake().Failed })
	m.counter("carillon_intake_reclaimed_total", "Work taken over from another instance, or from an earlier attempt.", func() int64 { return from.intake().Reclaimed })
	m.counter("carillon_intake_buried_total", "Work that this instance put aside as dead letters.", func() int64 { return from.intake().Buried })

	m.gauge("carillon_flush_lag_seconds", "Age of the oldest inbox change that this instance has yet to write to SQL.", func() float64 { return from.behind().Lag.Seconds() })
	m.gauge("carillon_flush_late_seconds", "Time since the acceptance of the oldest notice that this instance has yet to write to the inboxes in SQL.", func() float64 { return from.behind().Late.Seconds() })
	m.counter("carillon_flush_users_total", "Inboxes written to SQL.", func() int64 { return from.behind().Users })
	m.counter("carillon_flush_batches_total", "Transactions that wrote them.", func() int64 { return from.behind().Batches })
	m.counter("carillon_flush_rows_total", "Entries in the inboxes written to SQL.", func() int64 { return from.behind().Rows })
	m.counter("carillon_inboxes_evicted_total", "Inboxes that left Redis because they were idle.", func() int64 { return from.behind().Evicted })
	m.counter("carillon_drift_checked_total", "Inboxes checked for drift.", func() int64 { return from.behind().Checked })
	m.MustRegister(&drift{
		behind: from.behind,
		found:  prometheus.NewDesc("carillon_drift_total", "Inboxes whose parts disagreed and were repaired, by kind; should be 0.", []string{"kind"}, nil),
	})
}

func (from sources) entered(m meter) {
	m.counter("carillon_sign_ins_total", "Sign-ins with a correct password.", func() int64 { return from.signIns().Right })
	m.counter("carillon_sign_ins_failed_total", "Attempts with a wrong name or password.", func() int64 { return from.signIns().Wrong })
	m.counter("carillon_sign_ins_limited_total", "Attempts refused after too many failures.", func() int64 { return from.signIns().Limited })
}

// drift counts the faults that the sampler has found.
type drift struct {
	behind func() behind.Stats
	found  *prometheus.Desc
}

// Describe sends the one metric.
func (d *drift) Describe(ch chan<- *prometheus.Desc) { ch <- d.found }

// Collect sends a number for each kind, also for those at 0.
func (d *drift) Collect(ch chan<- prometheus.Metric) {
	for kind, n := range d.behind().Drift {
		ch <- prometheus.MustNewConstMetric(d.found, prometheus.CounterValue, float64(n), string(kind))
	}
}

// backlog asks SQL at each scrape.
type backlog struct {
	sql                       backlogger
	waits, since, state, dead *prometheus.Desc
}

// Describe sends the metrics.
func (b *backlog) Describe(ch chan<- *prometheus.Desc) {
	ch <- b.waits
	ch <- b.since
	ch <- b.state
	ch <- b.dead
}

// Collect sends counts, or the error of SQL.
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

// waiting sends how many notices wait, and how long the oldest has waited.
func (b *backlog) waiting(ctx context.Context, ch chan<- prometheus.Metric) {
	n, since, err := b.sql.Waiting(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(b.waits, err)
		ch <- prometheus.NewInvalidMetric(b.since, err)
		return
	}
	oldest := time.Duration(0)
	if n > 0 {
		oldest = max(0, time.Since(since))
	}
	ch <- prometheus.MustNewConstMetric(b.waits, prometheus.GaugeValue, float64(n))
	ch <- prometheus.MustNewConstMetric(b.since, prometheus.GaugeValue, oldest.Seconds())
}

// toastMetrics registers the metrics of toasts in Redis and on the streams of this instance.
func (from sources) toastMetrics(m meter) {
	m.counter("carillon_toasts_raised_total", "Toasts stored, one for each user.", func() int64 { return from.toasts().Raised })
	m.counter("carillon_toasts_taken_total", "Toasts taken to be shown, counted each time.", func() int64 { return from.toasts().Taken })
	m.counter("carillon_toasts_given_total", "Toasts sent to a browser, counted each time.", func() int64 { return from.hub().Toasts })
	m.counter("carillon_toasts_given_again_total", "Toasts sent to a browser again, because the first attempt was not acknowledged.", func() int64 { return from.hub().ToastRetries })
	m.counter("carillon_toasts_acknowledged_total", "Toasts that a browser has shown.", func() int64 { return from.toasts().Acked })
	m.counter("carillon_toasts_settled_total", "Toasts that need not be shown any more: too old, ended, or read.", func() int64 { return from.toasts().Settled })
	m.counter("carillon_toasts_cleared_total", "Toasts cleared by age without having been shown.", func() int64 { return from.toasts().Cleared })
	m.counter("carillon_toasts_failed_total", "Calls about toasts that failed, at least in part.", func() int64 { return from.toasts().Failed })
}
