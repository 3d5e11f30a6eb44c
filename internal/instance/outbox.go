package instance

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/outbox"
	"github.com/carillonhq/carillon/notifier/rule"
	"github.com/carillonhq/carillon/store"
)

// boxesOf returns the outboxes of a rules file that have no fault.
func boxesOf(set *rule.Set) (boxes []outbox.Box) {
	for _, b := range set.Outboxes() {
		if b.Fault == "" {
			boxes = append(boxes, outbox.Box{Name: b.Name, Source: b.Source, Table: b.Table, App: b.App})
		}
	}
	return boxes
}

// newOutboxes makes the reader of the outboxes.
func (i *instance) newOutboxes(boxes []outbox.Box) *outbox.Outboxes {
	payloads := api.NewPayloads(i.cfg.Audiences)
	return outbox.New(outbox.Config{
		Boxes: boxes, Log: i.log,
		App: func(ctx context.Context, name string) (notifier.App, error) { return validApp(ctx, i.db, name) },
		Decode: func(raw []byte, from outbox.From) (outbox.Decoded, error) {
			p, err := payloads.Read(raw, from.Sender, from.App, from.Once)
			return outbox.Decoded(p), err
		},
		Send: func(ctx context.Context, by notifier.Actor, app int64, all []notifier.Request) []notifier.Result {
			if app == 0 {
				return i.notices.SendAll(ctx, by, all)
			}
			return i.notices.SendAllBringing(ctx, by, all, func(ctx context.Context, names []string) error {
				return i.people.Bring(ctx, by, app, names)
			})
		},
	})
}

// validApp returns the app with a name.
func validApp(ctx context.Context, db *store.Store, name string) (notifier.App, error) {
	a, err := db.AppNamed(ctx, name)
	if err == nil && !a.RevokedAt.IsZero() {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return a, fmt.Errorf("find the app %q, which app = … in the rules file names: %w", name, err)
	}
	return a, nil
}

// CheckOutbox returns what is in an outbox, or why it cannot be read. It changes nothing.
func CheckOutbox(ctx context.Context, db *store.Store, b rule.Outbox) (outbox.State, error) {
	s, err := outbox.Check(ctx, outbox.Box{Name: b.Name, Source: b.Source, Table: b.Table})
	if err == nil && b.App != "" {
		_, err = validApp(ctx, db, b.App)
	}
	return s, err
}

// outboxMetrics reports the outboxes as this instance sees them.
type outboxMetrics struct {
	stats func() map[string]outbox.Stats

	sent, faulty, reading, away, waiting *prometheus.Desc
}

func newOutboxMetrics(stats func() map[string]outbox.Stats) *outboxMetrics {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("carillon_outbox_"+name, help, []string{"outbox"}, nil)
	}
	return &outboxMetrics{
		stats:   stats,
		sent:    desc("sent_total", "Rows that this instance sent as notices."),
		faulty:  desc("faulty_total", "Rows that this instance gave an error."),
		reading: desc("reading", "1 on the instance that reads the outbox."),
		away:    desc("away", "1 while this instance cannot use the database of the outbox."),
		waiting: desc("waiting", "1 while its rows wait because Carillon accepts nothing, or its app does not exist."),
	}
}

// Describe sends the metrics.
func (m *outboxMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.sent, m.faulty, m.reading, m.away, m.waiting} {
		ch <- d
	}
}

// Collect sends the numbers of each outbox.
func (m *outboxMetrics) Collect(ch chan<- prometheus.Metric) {
	for name, s := range m.stats() {
		send := func(d *prometheus.Desc, of prometheus.ValueType, n float64) {
			ch <- prometheus.MustNewConstMetric(d, of, n, name)
		}
		send(m.sent, prometheus.CounterValue, float64(s.Sent))
		send(m.faulty, prometheus.CounterValue, float64(s.Faulty))
		for d, is := range map[*prometheus.Desc]bool{m.reading: s.Reading, m.away: s.Away, m.waiting: s.Waiting} {
			n := 0.0
			if is {
				n = 1
			}
			send(d, prometheus.GaugeValue, n)
		}
	}
}
