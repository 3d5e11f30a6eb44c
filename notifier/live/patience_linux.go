package live

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// setUserTimeout limits how long the kernel waits for a client to acknowledge data. A heartbeat is too
// small to fill a buffer, so writes to a client that has vanished still succeed. Without this limit
// the kernel retries for about 15 minutes, and the stream keeps its slot that long.
func setUserTimeout(t *net.TCPConn, patience time.Duration) {
	raw, err := t.SyscallConn()
	if err != nil {
		return // closed: the next read or write reports that
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(patience.Milliseconds()))
	})
}
