//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/bench/load"
)

const (
	pageConns = 32
	pageRows  = 30
)

// pages asks for inboxes of 30 rows: changed since the last time, the same
// again, and the same with the validator of the last answer.
func (w *world) pages(ctx context.Context) ([]row, error) {
	fresh, p99, again, kept := series{}, series{}, series{}, series{}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		bytes, err := w.pagesOurs(ctx, fresh, p99, again, kept)
		if err != nil {
			return nil, err
		}
		if err := w.pagesBound(ctx, bytes, fresh); err != nil {
			return nil, err
		}
	}
	return []row{
		fresh.row("8", "GET /inbox, 30 rows, changed since", "1/s", atLeast(6_000)),
		p99.row("8", "the same, p99", "ms", atMost(20)),
		again.row("8", "GET /inbox, unchanged since", "1/s", atLeast(15_000)),
		kept.row("8", "GET /inbox, If-None-Match, 304", "1/s", atLeast(24_000)),
	}, nil
}

func (w *world) pagesOurs(ctx context.Context, fresh, p99, again, kept series) (bytes int, err error) {
	t, err := w.startCarillon(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = stopped(t.process, err) }()
	visitors := min(w.opt.scaled(4_000), len(w.members))
	seqs := w.seqs()[:visitors]
	if err := w.fillInboxes(ctx, seqs, pageRows, 0); err != nil {
		return 0, err
	}
	// An older page opens nothing and has no rows: it only brings the sessions
	// into their cache.
	if _, err := w.ask(ctx, t, "/inbox?before=1", visitors, visitors, 200, nil); err != nil {
		return 0, err
	}
	var all load.PageResult
	for range max(w.opt.scaled(60)/20, 1) {
		// One more row that is read already: the page changes, opening it does not.
		if err := w.fillInboxes(ctx, seqs, 1, 0); err != nil {
			return 0, err
		}
		r, err := w.ask(ctx, t, "/inbox", visitors, visitors, 200, nil)
		if err != nil {
			return 0, err
		}
		all.Took += r.Took
		all.Latency.Merge(&r.Latency)
		bytes = r.Bytes
	}
	fresh.add(ours, all.PerSecond())
	p99.add(ours, all.Latency.Milliseconds(0.99))

	few := min(8*pageConns, visitors)
	r, err := w.ask(ctx, t, "/inbox", w.opt.scaled(40_000), few, 200, nil)
	if err != nil {
		return 0, err
	}
	again.add(ours, r.PerSecond())
	tags, err := w.tags(ctx, t, few)
	if err != nil || tags == nil {
		return bytes, err
	}
	if r, err = w.ask(ctx, t, "/inbox", w.opt.scaled(60_000), few, 304, tags); err != nil {
		return 0, err
	}
	kept.add(ours, r.PerSecond())
	return bytes, nil
}

// ask sends count requests for a path, visitors taking turns, each with his
// validator when tags are given.
func (w *world) ask(ctx context.Context, t *target, path string, count, visitors, status int, tags []string) (*load.PageResult, error) {
	requests := make([][]byte, visitors)
	for i := range requests {
		header := "Accept: text/html\r\n"
		if tags != nil {
			header += "If-None-Match: " + tags[i] + "\r\n"
		}
		requests[i] = w.get(t.addr, path, i, header)
	}
	r, err := load.Pages(ctx, load.PageConfig{
		Addr: t.addr, Conns: pageConns, Requests: count, Status: status,
		Request: func(n int) []byte { return requests[n%visitors] },
	})
	if err != nil {
		return nil, fmt.Errorf("ask for %s: %w", path, err)
	}
	return r, nil
}

// tags asks once for each visitor's page and returns their validators, or none
// when the server sends none.
func (w *world) tags(ctx context.Context, t *target, visitors int) ([]string, error) {
	c, err := load.DialPage(ctx, t.addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	tags := make([]string, visitors)
	for i := range tags {
		a, err := c.Ask(w.get(t.addr, "/inbox", i, "Accept: text/html\r\n"))
		if err != nil {
			return nil, err
		}
		if a.ETag == "" {
			w.log.Warn("pages carry no validator, so there is no 304 to measure")
			return nil, nil
		}
		tags[i] = a.ETag
	}
	return tags, nil
}

// pagesBound asks net/http for a fixed page of the same size.
func (w *world) pagesBound(ctx context.Context, bytes int, s series) error {
	addr, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	p, err := start(ctx, w.dir, "net-http", addr, w.self, "bound", "--addr", addr, "--page-bytes", strconv.Itoa(bytes))
	if err != nil {
		return err
	}
	request := fmt.Appendf(nil, "GET /page HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\n\r\n", addr)
	r, err := load.Pages(ctx, load.PageConfig{
		Addr: addr, Conns: pageConns, Requests: w.opt.scaled(60_000), Status: 200,
		Request: func(int) []byte { return request },
	})
	if err = errors.Join(err, p.stop()); err != nil {
		return err
	}
	s.add("net/http", r.PerSecond())
	return nil
}
