package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
)

// readyWait is the time limit of the request: a server that takes longer is not healthy.
const readyWait = 4 * time.Second

// readyLength is the maximum number of bytes read from the response.
const readyLength = 4 << 10

// AskedAt returns the address at which a server listening on addr can be reached from the same
// machine.
func AskedAt(addr string) (string, error) {
	if _, ok := config.SocketOf(addr); ok {
		return addr, nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("--addr: %w", err)
	}
	if port == "0" {
		return "", errors.New("--addr has port 0, which is another at each start: give the one that the server has")
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port), nil
}

// Ask requests a path from the server at an address on this machine, host and port or a socket. It ignores a proxy in
// the environment. The caller closes the body.
func Ask(ctx context.Context, at, path string) (*http.Response, error) {
	direct := &http.Transport{DisableKeepAlives: true}
	if s, ok := config.SocketOf(at); ok {
		at = "localhost"
		direct.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", s.Path)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	return (&http.Client{Transport: direct}).Do(req)
}

// Ready returns the state that the server at an address reports, and an error if it is not ready.
func Ready(ctx context.Context, at string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	res, err := Ask(ctx, at, "/readyz")
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, readyLength))
	if err != nil {
		return "", err
	}
	state := strings.TrimSpace(string(body))
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("it answers %s: %.200q", res.Status, state)
	}
	return state, nil
}
