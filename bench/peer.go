//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"

	"github.com/carillonhq/carillon/bench/bound"
	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

// peer is a target whose messages are sent over HTTP.
type peer struct {
	*target
	calls *calls
	token string // of Carillon
}

// dial connects. A server ends connections that are idle for long.
func (p *peer) dial(ctx context.Context) (err error) {
	p.calls, err = newCalls(ctx, p.addr)
	return err
}

// peer starts a server. The caller stops it.
func (w *world) peer(ctx context.Context, name string) (p *peer, err error) {
	switch name {
	case ours:
		return w.ourPeer(ctx, func(st *store.Store) error { return members(ctx, st, w.opt.scaled(crowdSize)) })
	case durablePeer:
		return w.durablePeer(ctx)
	}
	p = &peer{}
	if p.target, err = w.target(ctx, name); err != nil {
		return nil, err
	}
	p.one = func(_ context.Context, user int, m load.Mark) error { return w.publish(p, strconv.Itoa(user), m) }
	p.many = func(_ context.Context, m load.Mark) error { return w.publish(p, bound.Everyone, m) }
	return p, nil
}

// publish sends a message that the server does not store.
func (w *world) publish(p *peer, user string, m load.Mark) error {
	text, err := notifier.EncodeContent(w.notice(m, 0).Content())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /publish?to=%s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", user, p.addr, len(text), text)
	return p.calls.ask(b.Bytes())
}

// durablePeer is the name of the server that keeps the same promise for one notice; see bench/durable.
const durablePeer = "durable"

// durablePeer starts the durable peer on an empty database with as many users and role members as Carillon has.
func (w *world) durablePeer(ctx context.Context) (p *peer, err error) {
	dir, err := os.MkdirTemp(w.dir, durablePeer)
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	p = &peer{token: "secret"}
	server, err := start(ctx, w.dir, durablePeer, addr, w.self, durablePeer, "--addr", addr, "--redis", w.socket, "--dir", dir, "--key", p.token,
		"--users", strconv.Itoa(w.opt.streams), "--members", strconv.Itoa(w.opt.scaled(crowdSize)))
	if err != nil {
		return nil, err
	}
	p.target = &target{process: server, request: func(i int) []byte {
		return fmt.Appendf(nil, "GET /events?stream=%d HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", i, addr)
	}}
	p.one = w.postOne(p)
	p.many = func(_ context.Context, m load.Mark) error { return w.publish(p, bound.Everyone, m) }
	return p, nil
}

// post calls the API for notices.
func (p *peer) post(body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	a := &application{p.target, p.token}
	return p.calls.ask(a.call(http.MethodPost, "/notices", text, ""))
}

// postOne sends notices to single users through the API.
func (w *world) postOne(p *peer) func(ctx context.Context, user int, m load.Mark) error {
	return func(_ context.Context, user int, m load.Mark) error {
		d := w.notice(m, 1).Draft
		return p.post(posted{notifier.Target{Users: []string{userName(user + 1)}}, d.Type, d.Title, d.Body, d.Link})
	}
}

// ourPeer starts Carillon with an API key. prepare may change its database first.
func (w *world) ourPeer(ctx context.Context, prepare func(*store.Store) error) (p *peer, err error) {
	p = &peer{}
	if p.target, err = w.startCarillon(ctx, func(st *store.Store) (err error) {
		if prepare != nil {
			if err := prepare(st); err != nil {
				return err
			}
		}
		p.token, err = newKey(ctx, st)
		return err
	}); err != nil {
		return nil, err
	}
	p.one = w.postOne(p)
	p.many = func(_ context.Context, m load.Mark) error { // the API accepts names of audiences, and announcements have no type
		d := w.notice(m, 1).Draft
		return p.post(map[string]any{"target": map[string]any{"audiences": []string{"customer"}}, "title": d.Title, "body": d.Body})
	}
	return p, nil
}

// newKey creates an API key with all scopes, and returns its token.
func newKey(ctx context.Context, st *store.Store) (string, error) {
	token, hash := app.NewAPIKey()
	_, err := st.AddKey(ctx, notifier.Actor{}, notifier.APIKey{Name: "bench", Scopes: notifier.KeyScopes()}, hash)
	return token, err
}

// calls are keep-alive connections for requests from many goroutines.
type calls struct{ free chan *load.PageConn }

func newCalls(ctx context.Context, addr string) (*calls, error) {
	c := &calls{free: make(chan *load.PageConn, callers)}
	for range callers {
		conn, err := load.DialPage(ctx, addr)
		if err != nil {
			c.close()
			return nil, err
		}
		c.free <- conn
	}
	return c, nil
}

func (c *calls) ask(request []byte) error {
	conn := <-c.free
	defer func() { c.free <- conn }()
	a, err := conn.Ask(request)
	if err == nil && a.Status/100 != 2 {
		err = fmt.Errorf("answered %d", a.Status)
	}
	return err
}

// close disconnects. No request may be in progress.
func (c *calls) close() {
	for len(c.free) > 0 {
		(<-c.free).Close()
	}
}
