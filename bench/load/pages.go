package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// PageConfig says what pages are asked for.
type PageConfig struct {
	Addr     string
	Conns    int                // keep-alive connections, each with one request at a time
	Requests int                // over all connections
	Request  func(n int) []byte // the whole request number n
	Status   int                // the status every answer must have
}

// PageResult is how the pages came.
type PageResult struct {
	Took    time.Duration
	Latency Histogram
	Bytes   int // body length of the last page
}

// PerSecond is the rate of answers.
func (r *PageResult) PerSecond() float64 { return float64(r.Latency.Total()) / r.Took.Seconds() }

// Pages asks for pages over Conns connections and stops at the first answer
// that is not as wanted.
func Pages(ctx context.Context, cfg PageConfig) (*PageResult, error) {
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	total := &PageResult{}
	start := time.Now()
	for range cfg.Conns {
		wg.Go(func() {
			r, err := pageConn(ctx, cfg, &next)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
			total.Latency.Merge(&r.Latency)
			total.Bytes = max(total.Bytes, r.Bytes)
		})
	}
	wg.Wait()
	total.Took = time.Since(start)
	return total, failed
}

func pageConn(ctx context.Context, cfg PageConfig, next *atomic.Int64) (r PageResult, err error) {
	c, err := DialPage(ctx, cfg.Addr)
	if err != nil {
		return r, err
	}
	defer c.Close()
	for ctx.Err() == nil {
		n := int(next.Add(1) - 1)
		if n >= cfg.Requests {
			return r, nil
		}
		asked := time.Now()
		a, err := c.Ask(cfg.Request(n))
		if err != nil {
			return r, fmt.Errorf("page %d: %w", n, err)
		}
		if a.Status != cfg.Status {
			return r, fmt.Errorf("page %d: answered %d, want %d", n, a.Status, cfg.Status)
		}
		r.Latency.Add(time.Since(asked))
		r.Bytes = a.Bytes
	}
	return r, ctx.Err()
}

// PageConn is one keep-alive connection. It costs a fraction of net/http's
// client, which would otherwise be half of what is measured.
type PageConn struct {
	nc net.Conn
	in *bufio.Reader
}

// Answer is what a page client looks at of an answer.
type Answer struct {
	Status int
	Bytes  int
	ETag   string
	Close  bool // the server ends the connection after it
}

// DialPage connects within 5 s.
func DialPage(ctx context.Context, addr string) (*PageConn, error) {
	d := net.Dialer{Timeout: 5 * time.Second}
	nc, err := d.DialContext(ctx, "tcp4", addr)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return &PageConn{nc: nc, in: bufio.NewReaderSize(nc, 64<<10)}, nil
}

// Close ends the connection.
func (c *PageConn) Close() { _ = c.nc.Close() }

// Ask sends one request and reads the whole answer within 10 s.
func (c *PageConn) Ask(request []byte) (a Answer, err error) {
	if err := c.nc.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return a, err
	}
	if _, err := c.nc.Write(request); err != nil {
		return a, fmt.Errorf("send the request: %w", err)
	}
	length, chunked, err := c.header(&a)
	if err != nil {
		return a, fmt.Errorf("read the header: %w", err)
	}
	switch {
	case a.Status == 304 || a.Status == 204:
	case chunked:
		a.Bytes, err = c.chunks()
	default:
		a.Bytes, err = c.in.Discard(length)
	}
	return a, err
}

func (c *PageConn) header(a *Answer) (length int, chunked bool, err error) {
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if first {
			_, code, _ := bytes.Cut(line, []byte{' '})
			if len(code) < 3 {
				return 0, false, fmt.Errorf("status line %q", line)
			}
			if a.Status, err = strconv.Atoi(string(code[:3])); err != nil {
				return 0, false, fmt.Errorf("status line %q: %w", line, err)
			}
			continue
		}
		if len(line) == 0 {
			return length, chunked, nil
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			length, err = strconv.Atoi(string(value))
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			chunked = true
		case bytes.EqualFold(name, []byte("etag")):
			a.ETag = string(value)
		case bytes.EqualFold(name, []byte("connection")):
			a.Close = bytes.EqualFold(value, []byte("close"))
		}
		if err != nil {
			return 0, false, fmt.Errorf("header line %q: %w", line, err)
		}
	}
}

func (c *PageConn) chunks() (total int, err error) {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return total, err
		}
		size, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 32)
		if err != nil {
			return total, fmt.Errorf("chunk size %q: %w", line, err)
		}
		n, err := c.in.Discard(int(size) + 2) // and its line end
		if err != nil || size == 0 {
			return total, err
		}
		total += n - 2
	}
}
