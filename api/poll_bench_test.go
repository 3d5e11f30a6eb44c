package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// pollers is the number of concurrent polls.
const pollers = 32

// BenchmarkPoll polls an inbox with 30 notices over persistent HTTP connections: with nothing
// new, with a matching ETag and for all notices. It also measures badges.
func BenchmarkPoll(b *testing.B) {
	w := newWorld(b)
	const users = 1000
	for i := range users {
		if _, _, err := w.store.PutUser(b.Context(), notifier.PutUser{Name: fmt.Sprint("u", i)}); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 30 {
		w.sent(b, notifier.Draft{Type: "like", Subject: "photo:" + strconv.Itoa(i), Body: "Only 12 units of item 40-118 are left."}, "u0")
	}
	a := w.polled(b, "u0", "")
	since := "?since=" + strconv.FormatInt(a.Newest, 10)
	tag := w.call(b, w.read, "GET", "/users/u0/notices"+since, nil).Header.Get("ETag")
	server := httptest.NewServer(w.handler)
	defer server.Close()
	var next atomic.Int64
	for _, line := range []struct {
		name   string
		path   func() string
		header string
		status int
	}{
		{"nothing new", func() string { return "/users/u0/notices" + since }, "", 200},
		{"nothing new, many users", func() string {
			return "/users/u" + strconv.FormatInt(next.Add(1)%users, 10) + "/notices?since=" + strconv.FormatInt(a.Newest, 10)
		}, "", 200},
		{"nothing new, held", func() string { return "/users/u0/notices" + since }, "If-None-Match: " + tag + "\r\n", 304},
		{"30 notices", func() string { return "/users/u0/notices" }, "", 200},
		{"30 notices as XML", func() string { return "/users/u0/notices" }, "Accept: application/xml\r\n", 200},
		{"badge", func() string { return "/users/u0/badge" }, "", 200},
	} {
		b.Run(line.name, func(b *testing.B) {
			b.SetParallelism(pollers / 2)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				conn, err := net.Dial("tcp", server.Listener.Addr().String())
				if err != nil {
					b.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				in := bufio.NewReaderSize(conn, 64<<10)
				for pb.Next() {
					if err := pollOnce(conn, in, "GET "+prefix+line.path()+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+w.read+"\r\n"+line.header+"\r\n", line.status); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "polls/s")
		})
	}
}

// pollOnce sends one request on a connection, as cheaply as possible.
func pollOnce(conn net.Conn, in *bufio.Reader, request string, status int) error {
	if _, err := io.WriteString(conn, request); err != nil {
		return err
	}
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return err
	}
	if res.StatusCode != status {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return nil
}
