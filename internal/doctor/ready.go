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
)

// readyWait is the time limit of the request: a server that takes longer is not healthy.
const readyWait = 4 * time.Second

// readyLength is how much of the answer is read, in bytes.
const readyLength = 4 << 10

// AskedAt returns the address at which a server listening on addr can be reached from the same
// machine.
func AskedAt(addr string) (string, error) {
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

// Ready returns the state that the server at an address reports, and an error if it is not ready.
func Ready(ctx context.Context, at string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/readyz", http.NoBody)
	if err != nil {
		return "", err
	}
	// The server is on this machine, so a proxy named in the environment must not be used.
	direct := &http.Transport{DisableKeepAlives: true}
	defer direct.CloseIdleConnections()
	res, err := (&http.Client{Transport: direct}).Do(req)
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
