package load

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
)

// PageConn is one keep-alive connection. It costs a fraction of net/http's client, which would
// otherwise make up half of the measurement.
type PageConn struct {
	nc net.Conn
	in *bufio.Reader
}

// Answer contains the parts of a response that a page client reads.
type Answer struct {
	Status int
	Bytes  int
	ETag   string
	Close  bool // the server closes the connection after it
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

// Ask sends one request and reads the whole response within 10 s.
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
