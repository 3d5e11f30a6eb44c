// Package tracing traces requests with OpenTelemetry: through the API or a page to SQL and Redis, and
// through the delivery by the same instance to the inboxes. Attributes contain routes, kinds and numbers;
// never addresses, names, texts or keys, which come from requests.
package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Traces creates spans and sends them to a collector. All methods work on a nil *Traces, and then do
// nothing.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	giveUp   context.CancelFunc // ends all sending
}

const (
	// sendWait limits the time for sending spans.
	sendWait = 10 * time.Second
	// closeWait limits how long Close waits for a collector. Spans left after that are lost.
	closeWait = 2 * time.Second
)

// Collector is the destination of traces.
type Collector struct {
	URL     string      // empty: tracing is off
	Headers http.Header // of each request
}

// Open returns traces that are sent to a collector by OTLP over HTTP, or nil if there is none. The sampler, the
// rate and the name of the service are read from the variables of OpenTelemetry's specification (OTEL_…).
func Open(ctx context.Context, to Collector, version string, log *slog.Logger) (*Traces, error) {
	if to.URL == "" {
		return nil, nil
	}
	closing, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	exporter, err := otlptrace.New(ctx, &collector{url: to.URL, headers: to.Headers, log: log, closing: closing})
	if err != nil {
		giveUp()
		return nil, fmt.Errorf("prepare the export of traces: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "carillon"), attribute.String("service.version", version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		giveUp()
		return nil, fmt.Errorf("describe this instance for traces: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return &Traces{provider, provider.Tracer("github.com/carillonhq/carillon", trace.WithInstrumentationVersion(version)), giveUp}, nil
}

// Close sends the remaining spans, for at most two seconds.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	late := time.AfterFunc(closeWait, t.giveUp)
	defer late.Stop()
	defer t.giveUp()
	err := t.provider.Shutdown(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil // the spans are lost, which was already logged
	}
	return err
}

// w3c reads and writes traceparent and tracestate.
var w3c propagation.TraceContext

// Request begins the span of a request. With follow, it belongs to the trace in the header traceparent. The
// caller ends it with the route and the status, which is 0 if the connection was hijacked.
func (t *Traces) Request(ctx context.Context, r *http.Request, follow bool) (_ context.Context, end func(route string, status int)) {
	if t == nil {
		return ctx, func(string, int) {}
	}
	if follow {
		ctx = w3c.Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	ctx, span := t.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	return ctx, func(route string, status int) {
		if route == "" {
			route = "no route"
		}
		span.SetName(route)
		span.SetAttributes(attribute.String("http.route", route))
		if status != 0 {
			span.SetAttributes(attribute.Int("http.response.status_code", status))
		}
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(status))
		}
		span.End()
	}
}

// Call adds a call that has just ended to the spans of ctx; see Work. It does nothing outside a span. n is the number
// of commands that were sent together.
func (t *Traces) Call(ctx context.Context, name string, n int, took time.Duration, err error) {
	if t == nil {
		return
	}
	now := time.Now()
	for _, parent := range parents(ctx) {
		_, span := t.tracer.Start(trace.ContextWithSpan(ctx, parent), name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(now.Add(-took)))
		if n > 1 {
			span.SetAttributes(attribute.Int("db.operation.batch.size", n))
		}
		if err != nil {
			span.SetStatus(codes.Error, "failed") // the text of an error may contain data of the request
		}
		span.End(trace.WithTimestamp(now))
	}
}

// Parent returns the traceparent of the span of ctx, for Work elsewhere; empty: not traced.
func Parent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	header := propagation.MapCarrier{}
	w3c.Inject(ctx, header)
	return header["traceparent"]
}

type joined struct{}

// Work begins a span for each of several pieces of work that are done together, as part of their original traces;
// empty ones have none. Calls in the returned context are part of all of them.
func (t *Traces) Work(ctx context.Context, name string, from ...string) (_ context.Context, end func()) {
	if t == nil {
		return ctx, func() {}
	}
	var spans []trace.Span
	for _, parent := range from {
		if parent == "" {
			continue
		}
		at := w3c.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
		_, span := t.tracer.Start(at, name, trace.WithSpanKind(trace.SpanKindConsumer))
		spans = append(spans, span)
	}
	if len(spans) == 0 {
		return ctx, func() {}
	}
	return context.WithValue(ctx, joined{}, spans), func() {
		for _, span := range spans {
			span.End()
		}
	}
}

// parents returns the recorded spans of ctx.
func parents(ctx context.Context) []trace.Span {
	if spans, ok := ctx.Value(joined{}).([]trace.Span); ok {
		return spans
	}
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return []trace.Span{span}
	}
	return nil
}
