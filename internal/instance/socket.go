package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/carillonhq/carillon/internal/config"
)

// listenUnix listens on a Unix socket. A socket that a killed server has left behind is replaced; one on which
// somebody listens, and any other file, is not.
func listenUnix(ctx context.Context, s config.Socket) (net.Listener, error) {
	info, err := os.Lstat(s.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSocket == 0:
		return nil, fmt.Errorf("%s is no socket: remove it, or name another file", s.Path)
	default:
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", s.Path)
		if err == nil {
			_ = conn.Close()
			return nil, fmt.Errorf("another server listens on %s", s.Path)
		}
		if err := os.Remove(s.Path); err != nil {
			return nil, fmt.Errorf("remove a socket that nobody listens on: %w", err)
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", s.Path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(s.Path, s.Mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// fromThisMachine sets the address of requests that come through a Unix socket, which have none, to this machine's, so
// that --trusted-proxies and --identity-from can name it.
func fromThisMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = "127.0.0.1:0"
		next.ServeHTTP(w, r)
	})
}
