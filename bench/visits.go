//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/bench/load"
)

// asBrowser contains the headers that all browsers send with a request for a page.
const asBrowser = "Accept: text/html\r\nAccept-Encoding: gzip, deflate, br\r\n"

// ask sends count requests for a path, by the visitors in turn, each with their own ETag if tags are given.
func (w *world) ask(ctx context.Context, t *target, path string, count, visitors, status int, tags []string) (*load.PageResult, error) {
	requests := make([][]byte, visitors)
	for i := range requests {
		header := asBrowser
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
		return nil, fmt.Errorf("request %s: %w", path, err)
	}
	return r, nil
}

// tags requests each visitor's page once and returns the ETags, or nil if the server sends
// none.
func (w *world) tags(ctx context.Context, t *target, visitors int) ([]string, error) {
	c, err := load.DialPage(ctx, t.addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	tags := make([]string, visitors)
	for i := range tags {
		a, err := c.Ask(w.get(t.addr, "/inbox", i, asBrowser))
		if err != nil {
			return nil, err
		}
		if a.ETag == "" {
			w.log.Warn("pages have no ETag, so there is no 304 to measure")
			return nil, nil
		}
		tags[i] = a.ETag
	}
	return tags, nil
}

// pagesBound requests a fixed page from net/http, of our page's size on the wire.
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
