package testkit

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

// Ports are below the range from which the kernel assigns ports to clients, and so are the ports of a Redis cluster's bus,
// which are 10,000 higher.
const (
	firstPort = 12_000
	ports     = 10_000
	busOffset = 10_000
)

// taken contains the locks of the ports of this process. They end with it.
var taken struct {
	sync.Mutex
	locks []*os.File
}

// Port returns a port of 127.0.0.1 without a listener, for a server that does not accept port 0, or for an
// unused address. No other test of this user on this machine gets it before this process ends.
func Port() int {
	dir := filepath.Join(os.TempDir(), "carillon-ports-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		panic(err)
	}
	for n := range ports {
		port := firstPort + (os.Getpid()*100+n)%ports // concurrent processes start at different ports
		lock, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			panic(err)
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && free(port) && free(port+busOffset) {
			taken.Lock()
			defer taken.Unlock()
			taken.locks = append(taken.locks, lock)
			return port
		}
		_ = lock.Close()
	}
	panic(fmt.Sprintf("no port from %d to %d is free", firstPort, firstPort+ports-1))
}

// Address returns 127.0.0.1 with a Port.
func Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(Port())) }

func free(port int) bool {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	return err == nil && l.Close() == nil
}
