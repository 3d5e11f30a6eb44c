package live

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestHijackedConnectionsHaveAUserTimeout reads the socket option of a hijacked connection.
func TestHijackedConnectionsHaveAUserTimeout(t *testing.T) {
	t.Parallel()
	seen := make(chan int, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out, ok, err := hijack(w, 45*time.Second)
		if err != nil || !ok {
			t.Errorf("hijack: %v, %v", ok, err)
			seen <- 0
			return
		}
		conn, _ := out.nc.(*net.TCPConn)
		seen <- userTimeout(t, conn)
		_ = out.nc.Close()
	}))
	t.Cleanup(srv.Close)
	res, err := srv.Client().Do(request(t, srv.URL, 7))
	if err == nil {
		_ = res.Body.Close()
	}
	if got := <-seen; got != 45_000 {
		t.Errorf("the kernel waits for %d ms, want 45000", got)
	}
}

// userTimeout returns how long the kernel waits for an acknowledgement on a connection, in ms.
func userTimeout(t *testing.T, conn *net.TCPConn) (ms int) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Error(err)
		return 0
	}
	if err := raw.Control(func(fd uintptr) {
		ms, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
	}); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Error(err)
	}
	return ms
}
