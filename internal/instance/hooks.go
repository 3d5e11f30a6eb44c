package instance

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/hook"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

// NewHooks makes the changes of webhooks, for a server or a command. wake is called when there is an event to send; a command has none.
func NewHooks(cfg config.Config, db *store.Store, wake func()) (*hook.Hooks, error) {
	signing, err := cfg.SigningKeys()
	if err != nil {
		return nil, err
	}
	return hook.New(hook.Config{Store: db, SessionKeys: signing, Allow: cfg.OutboundAllow, Proxied: cfg.OutboundProxy != nil, Wake: wake})
}

// makeHooks makes the stage that sends events to webhooks, and the changes of webhooks.
func (i *instance) makeHooks(space keys.Space) (err error) {
	wake := make(chan struct{}, 1)
	i.hooks, err = NewHooks(i.cfg, i.db, func() {
		select {
		case wake <- struct{}{}:
		default: // a round is about to begin
		}
	})
	if err != nil {
		return fmt.Errorf("prepare webhooks: %w", err)
	}
	i.hookStage = hook.NewStage(hook.StageConfig{
		Store: i.db, Hooks: i.hooks, Client: hook.NewClient(outboundTransport(&i.cfg)), Plain: plainClient(&i.cfg),
		Leases: lease.On(i.rdb, space), Wake: wake, Alarm: i.hookAlarm, Log: i.log,
	})
	return nil
}

// plainClient sends without encryption: only to addresses that the operator allows, and never by a proxy.
func plainClient(cfg *config.Config) *http.Client {
	return hook.NewClient(outbound.Dialer{Allow: cfg.OutboundAllow, Only: true, Timeout: dialWait}.Transport(nil))
}

// hookAlarm sends a notice to staff. It is sent once for each time that a hook fails.
func (i *instance) hookAlarm(ctx context.Context, h *notifier.Hook, why notifier.HookOff) error {
	reason := "Its receiver answered 410: it wants no more events."
	if why == notifier.HookFailing {
		reason = fmt.Sprintf("It has failed since %s. The last try: %s.", h.FailingSince.UTC().Format("2006-01-02 15:04 UTC"), h.Error)
	}
	draft := notifier.Draft{
		Target: notifier.Target{Role: notifier.RoleStaff}, Type: "webhook", Subject: fmt.Sprintf("webhook:%d", h.ID),
		Title: "A webhook was switched off: " + excerptOf(h.Name), Body: reason + " Once the receiver works, switch it on again.", Link: "/staff/hooks",
	}
	digest := sha256.Sum256([]byte(draft.Title))
	once := &notifier.Once{Owner: notifier.HookRef(h.Name), Key: fmt.Sprintf("off %d %d", h.ID, h.FailingSince.UnixMilli()), Digest: digest[:]}
	confirmed, err := i.notices.Confirm(ctx, draft)
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) { // there is no role staff
		i.log.WarnContext(ctx, "staff could not be notified about a webhook", "stage", "hook", "hook", h.Name, "err", err)
		return nil
	}
	if err == nil {
		_, err = i.notices.Send(ctx, notifier.Actor{Ref: notifier.HookRef(h.Name)}, confirmed, once)
	}
	return err
}

// excerptOf shortens a name for a title.
func excerptOf(name string) string {
	const most = 100
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}

// hookMetrics reports webhooks: those of all instances, from SQL at each scrape, and what this instance has sent.
type hookMetrics struct {
	sql  *store.Store
	sent func() hook.Stats
	now  func() time.Time

	waiting, oldest, failing, off, delivered, failed, dropped *prometheus.Desc
}

func newHookMetrics(sql *store.Store, sent func() hook.Stats, now func() time.Time) *hookMetrics {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("carillon_hook"+name, help, nil, nil)
	}
	return &hookMetrics{
		sql: sql, sent: sent, now: now,
		waiting:   desc("_events_waiting", "Events that wait for webhooks that are on."),
		oldest:    desc("_events_oldest_seconds", "Age of the oldest of them."),
		failing:   desc("s_failing", "Webhooks whose last event was not accepted."),
		off:       desc("s_off", "Webhooks that were switched off because they failed for days, or answered 410."),
		delivered: desc("_events_delivered_total", "Events that were accepted."),
		failed:    desc("_events_failed_total", "Tries that failed."),
		dropped:   desc("_events_dropped_total", "Events that were dropped because too many waited for one webhook."),
	}
}

// Describe sends the metrics.
func (m *hookMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.waiting, m.oldest, m.failing, m.off, m.delivered, m.failed, m.dropped} {
		ch <- d
	}
}

// Collect sends counts, or the error of SQL.
func (m *hookMetrics) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	sent := m.sent()
	for d, n := range map[*prometheus.Desc]int64{m.delivered: sent.Delivered, m.failed: sent.Failed, m.dropped: sent.Dropped} {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n))
	}
	stored, err := m.sql.HookStats(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(m.waiting, err)
		return
	}
	var oldest time.Duration
	if !stored.Oldest.IsZero() {
		oldest = max(0, m.now().Sub(stored.Oldest))
	}
	for d, n := range map[*prometheus.Desc]float64{
		m.waiting: float64(stored.Waiting), m.oldest: oldest.Seconds(), m.failing: float64(stored.Failing), m.off: float64(stored.Off),
	} {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, n)
	}
}
