package embedded

import (
	"bufio"
	"context"
	"errors"
	"net"
	"strings"
	"time"
)

// ping sends one PING without a client: the pool of a client that cannot connect logs the failure and
// waits a second before a retry.
func ping(ctx context.Context, socket string) (loading bool, err error) {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	if err = conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return false, err
	}
	if _, err = conn.Write([]byte("PING\r\n")); err != nil {
		return false, err
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && answer != "+PONG\r\n" {
		err = errors.New("it replied " + strings.TrimSpace(answer))
	}
	return strings.HasPrefix(answer, "-LOADING"), err
}
