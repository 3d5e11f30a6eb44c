//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/bench/load"
)

const (
	pageConns = 32
	pageRows  = 30
)

// openAside is the number of open announcements in the second part of line 8. One of them is pinned and shown on
// every page.
const openAside = 5

// pageSeries are the results of requesting inboxes of 30 rows.
type pageSeries struct{ fresh, p99, kept series }

// pages requests inboxes of 30 rows, compressed as for a browser: changed since the last request, and unchanged with the ETag
// of the last answer; then both again while announcements are open.
func (w *world) pages(ctx context.Context) ([]row, error) {
	calm, aside := pageSeries{series{}, series{}, series{}}, pageSeries{series{}, series{}, series{}}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		bytes, err := w.pagesOurs(ctx, calm)
		if err != nil {
			return nil, err
		}
		if err := w.pagesBound(ctx, bytes, calm.fresh); err != nil {
			return nil, err
		}
		if err := w.pagesAside(ctx, aside); err != nil {
			return nil, err
		}
	}
	with := fmt.Sprintf("%d announcements open, ", openAside)
	return []row{
		calm.fresh.row("8", "GET /inbox with gzip, 30 rows, changed since", "1/s", atLeast(6_000)),
		calm.p99.row("8", "the same, p99", "ms", atMost(20)),
		calm.kept.row("8", "GET /inbox, If-None-Match, 304", "1/s", atLeast(24_000)),
		aside.fresh.row("8", with+"one pinned: 30 rows, changed since", "1/s", shown()),
		aside.p99.row("8", "the same, p99", "ms", shown()),
		aside.kept.row("8", with+"one pinned: If-None-Match, 304", "1/s", shown()),
	}, nil
}

// pagesAside requests the same pages while unread announcements are open.
func (w *world) pagesAside(ctx context.Context, s pageSeries) (err error) {
	if err := w.reset(ctx); err != nil {
		return err
	}
	p, err := w.poster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	for i := range openAside {
		if _, err := p.announce(ctx, load.Mark{}, i == 0); err != nil {
			return err
		}
	}
	_, err = w.pagesOurs(ctx, s)
	return err
}

func (w *world) pagesOurs(ctx context.Context, s pageSeries) (bytes int, err error) {
	t, err := w.target(ctx, ours)
	if err != nil {
		return 0, err
	}
	defer func() { err = stopped(t.process, err) }()
	visitors := min(w.opt.scaled(4_000), len(w.members))
	seqs := w.seqs()[:visitors]
	if err := w.fillInboxes(ctx, seqs, pageRows, 0); err != nil {
		return 0, err
	}
	// An older page does not open the inbox and has no rows: it only loads the sessions into
	// their cache.
	if _, err := w.ask(ctx, t, "/inbox?before=1", visitors, visitors, 200, nil); err != nil {
		return 0, err
	}
	var all load.PageResult
	for range max(w.opt.scaled(60)/20, 1) {
		// One more read entry: the page changes, but the cost of opening does not.
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
	s.fresh.add(ours, all.PerSecond())
	s.p99.add(ours, all.Latency.Milliseconds(0.99))

	few := min(8*pageConns, visitors)
	tags, err := w.tags(ctx, t, few)
	if err != nil || tags == nil {
		return bytes, err
	}
	r, err := w.ask(ctx, t, "/inbox", w.opt.scaled(60_000), few, 304, tags)
	if err != nil {
		return 0, err
	}
	s.kept.add(ours, r.PerSecond())
	return bytes, nil
}
