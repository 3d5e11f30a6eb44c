package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// stopWait bounds each of the two waits for clients at the stop.
const stopWait = 10 * time.Second

// listen takes the addresses, so that a port in use is told before anything is
// said to be there.
func (i *instance) listen(ctx context.Context) error {
	at, err := i.listenOn(ctx, i.web, i.cfg.Addr)
	if err != nil {
		return err
	}
	i.addr, i.url = at, "http://"+at
	if i.cfg.PublicURL != nil {
		i.url = i.cfg.PublicURL.String()
	}
	if i.cfg.AdminAddr == "" {
		return nil
	}
	i.admin = i.server(admin(sources{hub: i.hub.Stats, toasts: i.toasts.Stats, behind: i.unread.Stats, intake: i.pipe.Stats, redis: i.guard.State, sql: i.db}))
	if at, err = i.listenOn(ctx, i.admin, i.cfg.AdminAddr); err == nil {
		i.adminURL = "http://" + at
	}
	return err
}

func (i *instance) listenOn(ctx context.Context, server *http.Server, addr string) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return "", fmt.Errorf("listen on %s: %w", addr, err)
	}
	i.listeners[server] = l
	i.opened(server.Close)
	return shown(l.Addr()), nil
}

// shown is an address as a browser on this machine can be given it.
func shown(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// run works until ctx ends or a part fails, then stops everything in order.
func (i *instance) run(ctx context.Context, announce func() error) error {
	// The parts outlive ctx: they are stopped one after the other.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	unguard := i.watchRedis(ctx)
	parts, failed := errgroup.WithContext(background)
	parts.Go(func() error { return i.pipe.Run(failed) })
	parts.Go(func() error { return i.sessions.Run(failed) })
	parts.Go(func() error { return i.topics.Run(failed) })
	parts.Go(func() error { return i.toasts.Run(failed) })
	parts.Go(func() error { return newCollections().run(failed) })
	if i.rules != nil {
		parts.Go(func() error { return i.rules.Run(failed) })
	}
	for server, l := range i.listeners {
		parts.Go(func() error {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve on %s: %w", l.Addr(), err)
			}
			return nil
		})
	}
	err := announce()
	if err == nil {
		select {
		case <-ctx.Done():
			i.log.Info("stopping")
		case <-failed.Done(): // Wait below says why
		}
	}
	i.stopServing(failed)
	stop()
	err = errors.Join(err, parts.Wait())
	i.pipe.Close()
	if e := within(failed, i.unread.Flush); e != nil {
		i.log.WarnContext(failed, "the last changes of inboxes are not in sql yet", "err", e)
	}
	return errors.Join(err, unguard(), i.close())
}

// watchRedis runs the guard until it is told to end: all others work behind its
// gate, to the last.
func (i *instance) watchRedis(ctx context.Context) (end func() error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- i.guard.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// stopServing ends the front of the house while all behind it still works:
//
//  1. /readyz says no, so that a proxy sends nobody new.
//  2. Every stream is told bye and when to come back, and ends. They come first
//     because http.Server does not know the streams that left it.
//  3. Requests that run are answered, and no more are taken.
//
// Then run ends the pipeline: the intake reads no more, finishes what it has in
// hand and leaves the rest to others, and leases are given back. Then, as no inbox
// changes here any more, what SQL has not seen of them is written there. Only then
// nobody watches Redis any more, and what all worked with is closed: Redis, which
// writes its file, and SQL. A second signal ends all of this at once: what is left
// then is as it is after SIGKILL, and the others do it.
func (i *instance) stopServing(ctx context.Context) {
	i.stopping.Store(true)
	if err := within(ctx, i.hub.Shutdown); err != nil {
		i.log.WarnContext(ctx, "streams were cut", "err", err)
	}
	for server := range i.listeners {
		if err := within(ctx, server.Shutdown); err != nil {
			i.log.WarnContext(ctx, "requests were cut", "err", err)
		}
	}
}

// within gives clients their time, also when ctx has ended.
func within(ctx context.Context, stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	return stop(ctx)
}
