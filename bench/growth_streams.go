//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/carillonhq/carillon/bench/load"
)

const calmRate = 1_000 // notices a second to single users

// growStreams measures each number of streams, at one instance and at two, behind nginx.
func (w *world) growStreams(ctx context.Context, c *curves) error {
	for _, size := range c.sizes {
		if err := os.RemoveAll(w.crowdDir()); err != nil {
			return err
		}
		w.opt.streams, w.members = size, nil
		for _, instances := range []int{1, 2} {
			w.log.Info("measuring", "streams", size, "instances", instances)
			if err := w.reset(ctx); err != nil {
				return err
			}
			if err := w.streamsAt(ctx, c, size, instances); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) streamsAt(ctx context.Context, c *curves, size, instances int) (err error) {
	t, err := w.startCarillon(ctx, nil)
	if err != nil {
		return err
	}
	all := []*process{t.process}
	defer func() {
		for _, p := range all {
			err = stopped(p, err)
		}
	}()
	for len(all) < instances {
		p, _, err := w.serve(ctx, w.carillon, "--data-dir", w.dataDir())
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	proxy, err := w.nginx(ctx, all)
	if err != nil {
		return err
	}
	defer func() { err = stopped(proxy, err) }()
	memory := func() (sum float64) {
		for _, p := range all {
			kb, _ := p.rss()
			sum += kb
		}
		return sum
	}
	on := fmt.Sprintf("%d behind nginx: ", instances)
	cfg := w.fleet(t)
	cfg.Addr = proxy.addr
	before := memory()
	fleet, o, err := load.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer fleet.Close()
	c.add(on+"connects, session from SQL", "1/s", size, o.PerSecond())
	c.add(on+"streams that failed", "", size, float64(o.Failed))
	if err := errors.Join(o.FirstErr, pause(ctx, w.holding())); err != nil {
		return err
	}
	c.add(on+"memory of a stream, all instances", "KB RSS", size, (memory()-before)/float64(o.Opened))
	return w.tellStreams(ctx, c, t, fleet, on, size)
}

// tellStreams sends notices to single users, and announcements to all of them.
func (w *world) tellStreams(ctx context.Context, c *curves, t *target, fleet *load.Fleet, on string, size int) (err error) {
	count := w.opt.scaled(6 * calmRate)
	r, _, err := w.sent(ctx, fleet, int64(count), func(run int64) error { return w.paced(ctx, t, run, count, calmRate, size) })
	if err != nil {
		return err
	}
	c.add(on+"one to one at 1,000/s, p50", "ms", size, r.Latency.Milliseconds(0.5))
	c.add(on+"the same, p99", "ms", size, r.Latency.Milliseconds(0.99))
	wrong := wrongOf(r, count)
	post, err := w.poster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, post.close(ctx)) }()
	for range announced / 2 {
		r, _, err := w.sent(ctx, fleet, int64(size), func(run int64) error {
			_, err := post.announce(ctx, load.Mark{Run: run, User: load.Everyone, Due: time.Now()}, false)
			return err
		})
		if err != nil {
			return err
		}
		c.add(on+"an announcement to all, p99", "ms", size, r.Latency.Milliseconds(0.99))
		wrong += wrongOf(r, size)
	}
	c.add(on+"events lost, doubled or misrouted", "", size, wrong)
	return nil
}

// nginxConf passes streams on from several addresses, because one address has only 28,000 ports. Its workers stay
// root if the benchmark is, so that they reach its directory; otherwise nginx ignores the user.
const nginxConf = `user root; daemon off; pid %[1]s/nginx.pid; error_log stderr; worker_rlimit_nofile 200000; worker_processes auto;
events { worker_connections 200000; }
http {
	access_log off; client_body_temp_path %[1]s; proxy_temp_path %[1]s; fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
	split_clients $remote_addr$remote_port $source { 25%% 127.0.1.1; 25%% 127.0.1.2; 25%% 127.0.1.3; * 127.0.1.4; }
	upstream carillon { %[2]s }
	server {
		listen %[3]s backlog=8192;
		location / {
			proxy_pass http://carillon; proxy_bind $source; proxy_http_version 1.1; proxy_buffer_size 4k; proxy_buffers 4 4k; proxy_busy_buffers_size 4k;
			proxy_set_header Host $http_host; proxy_set_header Connection ""; proxy_read_timeout 1h;
		}
	}
}
`

// nginx starts a proxy before these servers.
func (w *world) nginx(ctx context.Context, all []*process) (*process, error) {
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(w.dir, "nginx-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	var servers strings.Builder
	for _, p := range all {
		fmt.Fprintf(&servers, "server %s max_fails=0; ", p.addr)
	}
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, servers.String(), addr), 0o600); err != nil {
		return nil, fmt.Errorf("configure nginx: %w", err)
	}
	return start(ctx, dir, "nginx", addr, "nginx", "-p", dir, "-c", conf)
}
