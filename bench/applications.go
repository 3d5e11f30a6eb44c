//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
)

// application is a program that calls the API of a running server.
type application struct {
	*target
	token string
}

// application starts a server on a database with this number of users and creates a key.
func (w *world) application(ctx context.Context, d *database, users int) (*application, error) {
	if err := d.people(ctx, users); err != nil {
		return nil, err
	}
	token, err := newKey(ctx, d.st)
	if err != nil {
		return nil, err
	}
	program, err := w.program(ctx)
	if err != nil {
		return nil, err
	}
	p, admin, err := w.serve(ctx, program, d.flags...)
	if err != nil {
		return nil, err
	}
	return &application{&target{process: p, admin: admin}, token}, nil
}

// call returns a whole request. A body is JSON.
func (a *application) call(method, path string, body []byte, header string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s /api/v1%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s", method, path, a.addr, a.token, header)
	if body != nil {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// posted is a notice in a request.
type posted struct {
	Target notifier.Target `json:"target"`
	Type   string          `json:"type"`
	Title  string          `json:"title"`
	Body   string          `json:"body"`
	Link   string          `json:"link"`
}

func (w *world) posted(user int) posted {
	d := w.request(user, load.Mark{}).Draft
	return posted{d.Target, d.Type, d.Title, d.Body, d.Link}
}

// acceptingHTTP measures the rate of accepting over HTTP. The server delivers at the same
// time, and shares its processors with Redis and the load.
func (w *world) acceptingHTTP(ctx context.Context) ([]row, error) {
	var rows []row
	for _, name := range databaseNames() {
		single, batched, lasting := series{}, series{}, series{}
		for range w.opt.repeat {
			err := w.onDatabase(ctx, name, func(d *database) error { return w.acceptHTTP(ctx, d, single, batched, lasting) })
			if err != nil {
				return rows, err
			}
		}
		rows = append(rows,
			single.row("9", "accepted by POST /notices, 64 connections, durable in "+name, "1/s", atLeast(7_000)),
			batched.row("9", "accepted by POST /notices/batch of 1,000, durable in "+name, "1/s", atLeast(40_000)),
			lasting.row("9", "the same, accepted and delivered, durable in "+name, "1/s", shown()))
	}
	return rows, nil
}

func (w *world) acceptHTTP(ctx context.Context, d *database, single, batched, lasting series) (err error) {
	a, err := w.application(ctx, d, w.opt.streams)
	if err != nil {
		return err
	}
	defer func() { err = stopped(a.process, err) }()
	requests := make([][]byte, w.opt.streams)
	for user := range requests {
		body, err := json.Marshal(w.posted(user))
		if err != nil {
			return err
		}
		requests[user] = a.call("POST", "/notices", body, "")
	}
	count := w.opt.scaled(30_000)
	r, err := load.Pages(ctx, load.PageConfig{
		Addr: a.addr, Conns: callers, Requests: count, Status: 202,
		Request: func(n int) []byte { return requests[n%len(requests)] },
	})
	if err != nil {
		return fmt.Errorf("send one by one: %w", err)
	}
	single.add(ours, r.PerSecond())
	return w.batchHTTP(ctx, a, batched, lasting)
}

// batchHTTP sends no more notices than a server accepts before it has delivered them. With more, the server would
// reject some.
func (w *world) batchHTTP(ctx context.Context, a *application, batched, lasting series) error {
	const size = 1000
	var batch struct {
		Notices []posted `json:"notices"`
	}
	for n := range size {
		batch.Notices = append(batch.Notices, w.posted(n%w.opt.streams))
	}
	body, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	request := a.call("POST", "/notices/batch", body, "")
	if err := a.delivered(ctx, 0); err != nil {
		return err
	}
	before, err := a.metric(ctx, "carillon_intake_done_total")
	if err != nil {
		return err
	}
	began, count := time.Now(), w.opt.scaled(60)
	r, err := load.Pages(ctx, load.PageConfig{
		Addr: a.addr, Conns: 4, Requests: count, Status: 202,
		Request: func(int) []byte { return request },
	})
	if err != nil {
		return fmt.Errorf("send batches: %w", err)
	}
	batched.add(ours, size*r.PerSecond())
	if err := a.delivered(ctx, before+float64(size*count)); err != nil {
		return err
	}
	lasting.add(ours, float64(size*count)/time.Since(began).Seconds())
	return nil
}

// delivered waits until the server has done this much delivery work, and has none left.
func (a *application) delivered(ctx context.Context, most float64) error {
	for {
		done, err := a.metric(ctx, "carillon_intake_done_total")
		if err != nil {
			return err
		}
		waiting, err := a.metric(ctx, "carillon_intake_backlog")
		if err != nil {
			return err
		}
		if done >= most && waiting == 0 {
			return nil
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// polling polls inboxes without new notices, with and without the ETag of the last answer.
func (w *world) polling(ctx context.Context) ([]row, error) {
	again, kept := series{}, series{}
	for range w.opt.repeat {
		err := w.onDatabase(ctx, "SQLite", func(d *database) error { return w.pollOnce(ctx, d, again, kept) })
		if err != nil {
			return nil, err
		}
	}
	return []row{
		again.row("12", "polls with nothing new", "1/s", atLeast(18_000)),
		kept.row("12", "the same, If-None-Match, 304", "1/s", shown()),
	}, nil
}

func (w *world) pollOnce(ctx context.Context, d *database, again, kept series) (err error) {
	users := min(w.opt.streams, 1000)
	a, err := w.application(ctx, d, users)
	if err != nil {
		return err
	}
	defer func() { err = stopped(a.process, err) }()
	seqs := w.population()[:users]
	if err := w.deliver(ctx, w.notice(load.Mark{}, int64(users)), seqs); err != nil {
		return err
	}
	since := time.Now().Add(time.Minute).UnixMilli()
	path := func(user int) string { return fmt.Sprintf("/users/%s/notices?since=%d", userName(user+1), since) }
	requests, tagged := make([][]byte, users), make([][]byte, users)
	c, err := load.DialPage(ctx, a.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	for user := range users {
		requests[user] = a.call("GET", path(user), nil, "")
		answer, err := c.Ask(requests[user])
		if err != nil {
			return err
		}
		if answer.Status != 200 || answer.ETag == "" {
			return errors.New("a poll has no ETag")
		}
		tagged[user] = a.call("GET", path(user), nil, "If-None-Match: "+answer.ETag+"\r\n")
	}
	for status, calls := range map[int][][]byte{200: requests, 304: tagged} {
		r, err := load.Pages(ctx, load.PageConfig{
			Addr: a.addr, Conns: pageConns, Requests: w.opt.scaled(60_000), Status: status,
			Request: func(n int) []byte { return calls[n%users] },
		})
		if err != nil {
			return fmt.Errorf("poll: %w", err)
		}
		if status == 200 {
			again.add(ours, r.PerSecond())
		} else {
			kept.add(ours, r.PerSecond())
		}
	}
	return nil
}
