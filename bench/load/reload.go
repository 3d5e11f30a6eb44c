package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Reloads opens count streams, workers at a time, and leaves each of them immediately: every other
// one when its first event has come, the others right after the request, as a browser does when
// its user reloads the page. A stream whose first event arrives later than patience counts as
// hung.
func Reloads(ctx context.Context, cfg Config, count, workers int, patience time.Duration) (hung int64, err error) {
	var next, stuck atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= count {
					return
				}
				e := reload(ctx, cfg, i, patience)
				if e == nil {
					continue
				}
				stuck.Add(1)
				mu.Lock()
				if err == nil {
					err = fmt.Errorf("reload %d: %w", i, e)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return stuck.Load(), errors.Join(err, ctx.Err())
}

func reload(ctx context.Context, cfg Config, i int, patience time.Duration) error {
	d := net.Dialer{Timeout: patience}
	if cfg.Sources > 0 {
		ip := source(i % cfg.Sources)
		d.LocalAddr = &net.TCPAddr{IP: ip[:]}
	}
	nc, err := d.DialContext(ctx, "tcp4", cfg.Addr)
	if err != nil {
		return err
	}
	defer func() { _ = nc.Close() }()
	if err := nc.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := nc.Write(cfg.Request(i)); err != nil {
		return err
	}
	if i%2 == 1 {
		return nil
	}
	return firstEvent(nc)
}

// source returns the source address number n, counted from 127.0.0.1.
func source(n int) [4]byte {
	address := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	for range n {
		address = address.Next()
	}
	return address.As4()
}

func firstEvent(nc net.Conn) error {
	var seen []byte
	buf := make([]byte, 4<<10)
	for {
		n, err := nc.Read(buf)
		seen = append(seen, buf[:n]...)
		if bytes.Contains(seen, []byte("data:")) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("after %q: %w", seen, err)
		}
	}
}
