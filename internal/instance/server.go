package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/carillonhq/carillon/internal/config"
)

// stopWait bounds each wait for clients when the instance stops.
const stopWait = 10 * time.Second

// server makes an HTTP server that lets go of a client that stops in the middle of a form or of a
// page. A stream is not bound by its times: live takes the connection over, which lifts both, and
// sets a deadline of its own for each write.
func server(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      75 * time.Second, // a caller of the API may wait for the end of a question for 60 s
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

func (i *instance) listenWeb(ctx context.Context) (func() error, error) {
	at, err := i.listenOn(ctx, i.web, i.cfg.Addr)
	if err != nil {
		return nil, err
	}
	i.at.Addr, i.at.URL = at, "http://"+at
	if i.cfg.PublicURL != nil {
		i.at.URL = i.cfg.PublicURL.String()
	}
	return i.web.Close, nil
}

func (i *instance) listenAdmin(ctx context.Context) (func() error, error) {
	if i.cfg.AdminAddr == "" {
		return nil, nil
	}
	var pools []prometheus.Collector
	for name, db := range i.db.Pools() {
		pools = append(pools, collectors.NewDBStatsCollector(db, name))
	}
	if i.outboxes != nil {
		pools = append(pools, newOutboxMetrics(i.outboxes.Stats))
	}
	i.admin = server(admin(sources{
		profiles: i.cfg.AdminPprof, addr: i.cfg.AdminAddr,
		hub: i.hub.Stats, toasts: i.toasts.Stats, behind: i.unread.Stats, intake: i.notices.Stats,
		redis: i.guard.State, clock: i.guard.Measured, sql: i.db, signIns: i.signIns.Stats, times: i.times, pool: i.rdb.PoolStats, pools: append(pools, newReachMetrics(i.db, i.reach.Stats, time.Now), newHookMetrics(i.db, i.hookStage.Stats, time.Now)),
	}), i.log)
	at, err := i.listenOn(ctx, i.admin, i.cfg.AdminAddr)
	if err != nil {
		return nil, err
	}
	i.at.Admin = "http://" + at
	return i.admin.Close, nil
}

func (i *instance) listenOn(ctx context.Context, server *http.Server, addr string) (string, error) {
	if _, ok := config.SocketOf(addr); ok {
		server.Handler = fromThisMachine(server.Handler)
	}
	l := i.early // the listener of the pages, which are the first to listen
	if i.early = nil; l == nil {
		var err error
		if l, err = listen(ctx, addr); err != nil {
			return "", err
		}
	}
	i.listeners[server] = l
	return shown(l.Addr()), nil
}

func listen(ctx context.Context, addr string) (l net.Listener, err error) {
	if s, ok := config.SocketOf(addr); ok {
		l, err = listenUnix(ctx, s)
	} else {
		l, err = (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return l, nil
}

// shown returns an address that a browser on this machine can use.
func shown(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	if addr.Network() == "unix" {
		return "unix:" + addr.String()
	}
	return addr.String()
}

func (i *instance) serveWeb(ctx context.Context) (func() error, error) { return i.serve(ctx, i.web) }

func (i *instance) serveAdmin(ctx context.Context) (func() error, error) {
	if i.admin == nil {
		return nil, nil
	}
	return i.serve(ctx, i.admin)
}

func (i *instance) serve(ctx context.Context, server *http.Server) (func() error, error) {
	l := i.listeners[server]
	i.work.Go(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve on %s: %w", l.Addr(), err)
		}
		return nil
	})
	return func() error {
		if err := within(ctx, server.Shutdown); err != nil {
			i.log.WarnContext(ctx, "requests were cut", "err", err)
		}
		return nil
	}, nil
}

// within calls stop with a context that ends after stopWait, even if ctx has ended already.
func within(ctx context.Context, stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	return stop(ctx)
}
