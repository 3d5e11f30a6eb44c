//go:build !linux

package live

import (
	"net"
	"time"
)

// setUserTimeout does nothing on systems without such a setting. There a client that has vanished keeps
// its slot until its stream reaches the end of its life, or another stream needs the slot.
func setUserTimeout(*net.TCPConn, time.Duration) {}
