package instance

import (
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/store"
)

// buckets are the bounds of all histograms, in seconds.
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// histograms holds durations. Each time is added where it is measured, which costs about
// 0.2 µs and no memory.
type histograms struct {
	requests *prometheus.HistogramVec

	sql                          [store.Calls]prometheus.Observer
	command, script, pipeline    prometheus.Observer // calls to Redis
	accepted, written, published prometheus.Observer // the way of a notice
	read, saved                  prometheus.Observer // the steps of write-behind

	all []prometheus.Collector
}

func newHistograms() *histograms {
	h := &histograms{}
	of := func(name, help string, labels ...string) *prometheus.HistogramVec {
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
		h.all = append(h.all, v)
		return v
	}
	h.requests = of("carillon_http_request_seconds", "Requests, until their answer was written or a stream began.", "method", "route", "code")
	delivery := of("carillon_delivery_seconds", "The way of a notice, by stage. accepted: until it was stored in SQL. "+
		"written: from there until the inboxes had it, for notices of up to 500 recipients. "+
		"published: from the change of an inbox until an instance with a stream of its user heard of it.", "stage")
	h.accepted, h.written, h.published = delivery.WithLabelValues("accepted"), delivery.WithLabelValues("written"), delivery.WithLabelValues("published")
	flush := of("carillon_flush_seconds", "Batches of write-behind, by step. read: from Redis. save: to SQL.", "step")
	h.read, h.saved = flush.WithLabelValues("read"), flush.WithLabelValues("save")
	sql := of("carillon_sql_seconds", "Calls to SQL. begin: until a transaction has begun, that is, has the writer of SQLite or a connection to PostgreSQL.", "call")
	for call := range store.CallAccept {
		h.sql[call] = sql.WithLabelValues(call.String())
	}
	h.sql[store.CallAccept] = h.accepted
	rdb := of("carillon_redis_seconds", "Calls to Redis, except those that wait for work.", "call")
	h.command, h.script, h.pipeline = rdb.WithLabelValues("command"), rdb.WithLabelValues("script"), rdb.WithLabelValues("pipeline")
	return h
}

// served is a web.Served. Its labels are bounded: clients can name neither routes nor methods.
func (h *histograms) served(method, route string, status int, took time.Duration) {
	if _, path, ok := strings.Cut(route, " "); ok {
		route = path
	}
	switch {
	case route == "":
		route, method = "none", "any"
	case method != "GET" && method != "HEAD" && method != "POST" && method != "PUT" && method != "PATCH" && method != "DELETE" && method != "OPTIONS":
		method = "other"
	}
	code := "none"
	if status != 0 {
		code = strconv.Itoa(status/100) + "xx"
	}
	h.requests.WithLabelValues(method, route, code).Observe(took.Seconds())
}

// called observes a call to SQL.
func (h *histograms) called(call store.Call, took time.Duration) { h.sql[call].Observe(took.Seconds()) }

// heard observes a published change.
func (h *histograms) heard(took time.Duration) { h.published.Observe(took.Seconds()) }

// saves is SQL, with saving of inboxes measured.
type saves struct {
	*store.Store
	h *histograms
}

// SaveSnapshots saves a batch of inboxes.
func (s saves) SaveSnapshots(ctx context.Context, all []notifier.Snapshot) error {
	defer since(s.h.saved, time.Now())
	return s.Store.SaveSnapshots(ctx, all)
}

// reads is the inboxes, with reading for write-behind measured.
type reads struct {
	*inbox.Inbox
	h *histograms
}

// Read reads a batch of inboxes.
func (r reads) Read(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error) {
	defer since(r.h.read, time.Now())
	return r.Inbox.Read(ctx, seqs)
}

// since adds the time since then.
func since(o prometheus.Observer, began time.Time) { o.Observe(time.Since(began).Seconds()) }

// redisTimes measures the calls of a client, and adds them to traces. It is added after the gate, which
// refuses calls at once.
type redisTimes struct {
	h      *histograms
	traces *tracing.Traces
}

// DialHook changes nothing: connecting is part of the call that needs the connection.
func (redisTimes) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook measures single calls.
func (t redisTimes) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		kind := t.h.command
		switch cmd.Name() {
		case "xreadgroup": // it waits for work
			return next(ctx, cmd)
		case "evalsha", "eval":
			kind = t.h.script
		}
		began := time.Now()
		err := next(ctx, cmd)
		since(kind, began)
		if t.traces != nil {
			t.traces.Call(ctx, "redis "+commandName(cmd), 1, time.Since(began), fault(err))
		}
		return err
	}
}

// ProcessPipelineHook measures pipelines as a whole.
func (t redisTimes) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		began := time.Now()
		err := next(ctx, cmds)
		since(t.h.pipeline, began)
		if t.traces != nil {
			t.traces.Call(ctx, "redis "+pipelineName(cmds), len(cmds), time.Since(began), fault(err))
		}
		return err
	}
}
