package tracing

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"

	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector sends spans to a collector by OTLP over HTTP. It is an otlptrace.Client; OpenTelemetry's own one
// includes gRPC, 3 MB of memory in each instance. It logs when sending starts to fail and when it
// succeeds again. Spans that cannot be sent are lost.
type collector struct {
	url     string
	headers http.Header
	log     *slog.Logger
	client  http.Client
	failing atomic.Bool
	// closing cancels sends that a collector delays. It lives as long as the collector.
	closing context.Context //nolint:containedctx // the SDK passes no context that Close could end
}

// Start does nothing.
func (c *collector) Start(context.Context) error { return nil }

// Stop closes the connections.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans.
func (c *collector) UploadTraces(ctx context.Context, all []*spans.ResourceSpans) error {
	err := c.send(ctx, all)
	switch was := c.failing.Swap(err != nil); {
	case err != nil && !was:
		c.log.WarnContext(ctx, "traces cannot be sent", "stage", "traces", "err", err)
	case err == nil && was:
		c.log.InfoContext(ctx, "traces are sent again", "stage", "traces")
	}
	return nil
}

func (c *collector) send(ctx context.Context, all []*spans.ResourceSpans) error {
	ctx, cancel := context.WithTimeout(ctx, sendWait)
	defer cancel()
	defer context.AfterFunc(c.closing, cancel)()                      //nolint:contextcheck // Close cancels it, whatever the caller does
	body, err := proto.Marshal(&spans.TracesData{ResourceSpans: all}) // on the wire, this is an ExportTraceServiceRequest
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = c.headers.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	res, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)); err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", res.Status)
	}
	return nil
}
