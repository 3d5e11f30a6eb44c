//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/bench/bound"
	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// target is a running server together with the ways to open streams and to publish to it.
type target struct {
	*process
	admin   string // Carillon only: the address of /metrics
	request func(i int) []byte
	// one sends a message to the inbox or stream of one user, and many to all users.
	one  func(ctx context.Context, user int, m load.Mark) error
	many func(ctx context.Context, m load.Mark) error
}

// streamServers returns the names of the servers whose streams are compared.
func streamServers() []string { return []string{ours, bound.Stdlib, bound.R3Lean} }

// target starts one of the stream servers. The caller stops it.
func (w *world) target(ctx context.Context, name string) (*target, error) {
	if name == ours {
		if err := w.crowd(ctx); err != nil {
			return nil, err
		}
		if _, err := w.inbox.Badges(ctx, w.seqs()); err != nil { // warm, like the inboxes of daily users
			return nil, err
		}
		return w.startCarillon(ctx, nil)
	}
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	argv := []string{w.self, "bound", "--kind", name}
	if name == "peer" {
		argv = []string{w.opt.peer, "--kind", bound.Stdlib}
	}
	p, err := start(ctx, w.dir, name, addr, append(argv, "--addr", addr, "--redis", w.socket)...)
	if err != nil {
		return nil, err
	}
	publish := func(ctx context.Context, user string, m load.Mark) error {
		text, err := notifier.EncodeContent(w.notice(m, 0).Content())
		if err != nil {
			return err
		}
		return w.rdb.Publish(ctx, bound.Channel, user+"\n"+string(text)).Err()
	}
	return &target{
		process: p,
		request: func(i int) []byte {
			return fmt.Appendf(nil, "GET /events?stream=%d HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", i, addr)
		},
		one:  func(ctx context.Context, user int, m load.Mark) error { return publish(ctx, strconv.Itoa(user), m) },
		many: func(ctx context.Context, m load.Mark) error { return publish(ctx, bound.Everyone, m) },
	}, nil
}

// startCarillon starts a server with the crowd as its users. prepare may change its database first.
func (w *world) startCarillon(ctx context.Context, prepare func(*store.Store) error) (*target, error) {
	program, err := w.program(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.crowd(ctx); err != nil {
		return nil, err
	}
	if err := w.freshData(); err != nil {
		return nil, err
	}
	if prepare != nil {
		st, err := store.Open(ctx, store.Config{DataDir: w.dataDir()})
		if err != nil {
			return nil, err
		}
		if err = errors.Join(prepare(st), st.Close()); err != nil {
			return nil, err
		}
	}
	seqs := w.seqs()
	p, admin, err := w.serve(ctx, program, "--data-dir", w.dataDir())
	if err != nil {
		return nil, err
	}
	addr := p.addr
	return &target{
		process: p,
		admin:   admin,
		request: func(i int) []byte { return w.get(addr, "/events", i%len(seqs), "Accept: text/event-stream\r\n") },
		one: func(ctx context.Context, user int, m load.Mark) error {
			return w.deliver(ctx, w.notice(m, 1), seqs[user:user+1])
		},
		many: func(ctx context.Context, m load.Mark) error {
			return w.deliver(ctx, w.notice(m, int64(len(seqs))), seqs)
		},
	}, nil
}

// serve starts carillon on the existing data.
func (w *world) serve(ctx context.Context, program string, more ...string) (p *process, admin string, err error) {
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, "", err
	}
	if admin, err = freeAddr(ctx); err != nil {
		return nil, "", err
	}
	args := []string{
		program, "serve", "--addr", addr, "--admin-addr", admin, "--redis-url", "unix://" + w.socket,
		"--session-keys", w.sessionKeys, "--api-rate", "0", "--log-level", "warn",
	}
	p, err = start(ctx, w.dir, ours, addr, append(args, more...)...)
	return p, admin, err
}

// get returns a signed-in user's request for a path of Carillon.
func (w *world) get(addr, path string, user int, header string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n%s\r\n", path, addr, w.members[user].cookie, header)
}

const bodyBytes = 120

// notice returns the next notice, with the mark in its body.
func (w *world) notice(m load.Mark, recipients int64) *notifier.Notice {
	body := m.Append(make([]byte, 0, bodyBytes))
	body = append(body, bytes.Repeat([]byte{'.'}, bodyBytes-len(body))...)
	return w.noticeOf(string(body), recipients)
}

func (w *world) noticeOf(body string, recipients int64) *notifier.Notice {
	now := time.Now()
	return &notifier.Notice{
		Draft: notifier.Draft{
			Target: notifier.Target{Users: []string{"user1"}}, Type: "parcel",
			Title: "Your parcel is on its way", Body: body, Link: "/parcels/1",
		},
		ID: w.notices.Add(1), State: notifier.StateSending, CreatedAt: now, ExpiresAt: now.Add(notifier.DefaultKeep),
		Recipients: recipients, Routed: true,
	}
}

// fleet returns the configuration for opening streams at a target.
func (w *world) fleet(t *target) load.Config {
	return load.Config{
		Addr: t.addr, Streams: w.opt.streams, Users: w.opt.streams, Request: t.request,
		Sources: 100, Loops: 2, InFlight: 256, Patience: time.Minute,
	}
}

// allStreams opens a fleet and returns an error unless all of its streams are open.
func allStreams(ctx context.Context, cfg load.Config) (*load.Fleet, error) {
	f, o, err := load.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if o.Failed > 0 {
		f.Close()
		return nil, fmt.Errorf("%d streams did not open: %w", o.Failed, o.FirstErr)
	}
	return f, nil
}
