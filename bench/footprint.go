//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
)

const entryBytes = 230

// footprint measures the memory of inboxes in Redis and of the server after its start. The content of an entry is
// stored as JSON: a body of 230 bytes.
func (w *world) footprint(ctx context.Context) ([]row, error) {
	perUser, keyed, wordy, rss := series{}, series{}, series{}, series{}
	bare, err := notifier.EncodeContent(w.noticeOf("", 1).Content())
	if err != nil {
		return nil, err
	}
	for range w.opt.repeat {
		if err := w.inboxMemory(ctx, entryBytes-len(bare), perUser, keyed); err != nil {
			return nil, err
		}
		if err := w.inboxMemory(ctx, entryBytes, wordy, series{}); err != nil {
			return nil, err
		}
		if _, err := w.firstPage(ctx, rss); err != nil {
			return nil, err
		}
	}
	return []row{
		perUser.row("16", "Redis per user with 30 entries, JSON bodies of 230 bytes, in total", "KB", atMost(14)),
		keyed.row("16", "of it MEMORY USAGE of the user's own keys", "KB", shown()),
		wordy.row("16", "the same where the text alone is 230 bytes", "KB", shown()),
		rss.row("16", "carillon at its start, after the first page", "MB RSS", atMost(60)),
	}, nil
}

// inboxMemory fills inboxes with texts of this number of characters and adds the memory per
// user: in Redis as a whole, and in the keys of one user.
func (w *world) inboxMemory(ctx context.Context, text int, whole, keyed series) error {
	if err := w.reset(ctx); err != nil {
		return err
	}
	before, err := w.usedMemory(ctx)
	if err != nil {
		return err
	}
	seqs := w.population()
	seqs = seqs[:min(w.opt.scaled(2_000), len(seqs))]
	for range pageRows {
		if err := w.deliver(ctx, w.noticeOf(strings.Repeat("n", text), int64(len(seqs))), seqs); err != nil {
			return err
		}
	}
	after, err := w.usedMemory(ctx)
	if err != nil {
		return err
	}
	whole.add(ours, (after-before)/float64(len(seqs))/1024)
	seq := seqs[len(seqs)/2]
	var own int64
	for _, key := range []string{w.space.List(seq), w.space.Hash(seq), w.space.State(seq)} {
		n, err := w.rdb.MemoryUsage(ctx, key, 0).Result()
		if err != nil {
			return fmt.Errorf("measure %s: %w", key, err)
		}
		own += n
	}
	keyed.add(ours, float64(own)/1024)
	return nil
}

func (w *world) usedMemory(ctx context.Context) (float64, error) {
	info, err := w.rdb.Info(ctx, "memory").Result()
	if err != nil {
		return 0, fmt.Errorf("read the memory of redis: %w", err)
	}
	_, rest, _ := strings.Cut(info, "used_memory:")
	line, _, _ := strings.Cut(rest, "\r\n")
	return strconv.ParseFloat(line, 64)
}

// coldStart measures the time to the first page of a server that starts with an empty
// directory.
func (w *world) coldStart(ctx context.Context) ([]row, error) {
	s := series{}
	for range max(10, w.opt.repeat) {
		took, err := w.firstPage(ctx, series{})
		if err != nil {
			return nil, err
		}
		s.add(ours, took.Seconds())
	}
	return []row{s.row("17", "cold start to the first page, built-in Redis, empty directory", "s", atMost(0.5))}, nil
}

// firstPage starts a separate server with the built-in Redis and requests the sign-in page
// until it is answered.
func (w *world) firstPage(ctx context.Context, rss series) (took time.Duration, err error) {
	program, err := w.program(ctx)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp(w.dir, "start-")
	if err != nil {
		return 0, fmt.Errorf("make a directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	addr, err := freeAddr(ctx)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	p, err := start(ctx, dir, "first", addr, program, "serve", "--addr", addr, "--data-dir", filepath.Join(dir, "data"), "--log-level", "warn")
	if err != nil {
		return 0, err
	}
	defer func() { err = stopped(p, err) }()
	c, err := load.DialPage(ctx, addr)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	a, err := c.Ask(fmt.Appendf(nil, "GET /login HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\n\r\n", addr))
	took = time.Since(began)
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("status %d", a.Status)
	}
	if err != nil {
		return took, fmt.Errorf("request the first page: %w", err)
	}
	kb, err := p.rss()
	rss.add(ours, kb/1024)
	return took, err
}
