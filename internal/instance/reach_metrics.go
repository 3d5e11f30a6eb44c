package instance

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
)

// targetCounter counts targets in SQL; see store.
type targetCounter interface {
	ReachStats(ctx context.Context, kind notifier.ReachKind) (notifier.ReachStats, error)
}

// reachMetrics reports the mails and pushes: targets of all instances, from SQL at each
// scrape, and what this instance has sent.
type reachMetrics struct {
	sql  targetCounter
	sent func() map[notifier.ReachKind]channels.Stats
	now  func() time.Time

	due, oldest, failing, dead, away, told, failed, ended *prometheus.Desc
}

func newReachMetrics(sql targetCounter, sent func() map[notifier.ReachKind]channels.Stats, now func() time.Time) *reachMetrics {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("carillon_reach_"+name, help, []string{"kind"}, nil)
	}
	return &reachMetrics{
		sql: sql, sent: sent, now: now,
		due:     desc("due", "Addresses and devices whose time to be told has come."),
		oldest:  desc("oldest_seconds", "For how long the one that has waited longest has been due."),
		failing: desc("failing", "Addresses and devices whose last message could not be sent and is tried again."),
		dead:    desc("dead", "Addresses that were refused on three days; each is tried again after four weeks."),
		away:    desc("away", "1 while the mail server, or a push service, is held to be at fault and its messages wait."),
		told:    desc("told_total", "Messages sent."),
		failed:  desc("failed_total", "Attempts that failed because of the address or the message."),
		ended:   desc("ended_total", "Addresses and devices that were given up."),
	}
}

// Describe sends the metrics.
func (m *reachMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.due, m.oldest, m.failing, m.dead, m.away, m.told, m.failed, m.ended} {
		ch <- d
	}
}

// Collect sends counts, or the error of SQL.
func (m *reachMetrics) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	sent := m.sent()
	for _, kind := range []notifier.ReachKind{notifier.ReachMail, notifier.ReachPush} {
		send := func(d *prometheus.Desc, of prometheus.ValueType, n float64) {
			ch <- prometheus.MustNewConstMetric(d, of, n, string(kind))
		}
		s := sent[kind]
		send(m.told, prometheus.CounterValue, float64(s.Sent))
		send(m.failed, prometheus.CounterValue, float64(s.Failed))
		send(m.ended, prometheus.CounterValue, float64(s.Dead))
		away := 0.0
		if s.Away {
			away = 1
		}
		send(m.away, prometheus.GaugeValue, away)
		stored, err := m.sql.ReachStats(ctx, kind)
		if err != nil {
			ch <- prometheus.NewInvalidMetric(m.due, err)
			continue
		}
		var oldest time.Duration
		if !stored.Oldest.IsZero() {
			oldest = max(0, m.now().Sub(stored.Oldest))
		}
		send(m.due, prometheus.GaugeValue, float64(stored.Due))
		send(m.oldest, prometheus.GaugeValue, oldest.Seconds())
		send(m.failing, prometheus.GaugeValue, float64(stored.Failing))
		send(m.dead, prometheus.GaugeValue, float64(stored.Dead))
	}
}
