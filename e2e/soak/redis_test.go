package soak

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
)

// redisServer is a redis-server that can be killed, and restarted with the data on its disk.
type redisServer struct {
	t      *testing.T
	socket string
	args   []string
	cmd    *exec.Cmd
	done   chan struct{}
}

// newRedis starts a redisServer. Without args it writes to its disk only on request.
func newRedis(t *testing.T, args ...string) *redisServer {
	t.Helper()
	dir, err := os.MkdirTemp("", "sk") //nolint:usetesting // t.TempDir contains the name of the test, and the path of a Unix socket may not exceed 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	r := &redisServer{t: t, socket: filepath.Join(dir, "s")}
	r.args = append([]string{
		"--port", "0", "--unixsocket", r.socket, "--dir", dir, "--daemonize", "no", "--save", "",
		"--logfile", filepath.Join(dir, "log"),
	}, args...)
	t.Cleanup(func() {
		r.kill()
		_ = os.RemoveAll(dir)
	})
	r.start()
	return r
}

func (r *redisServer) start() {
	r.t.Helper()
	_ = os.Remove(r.socket) // a killed server leaves its socket behind
	cmd, done := exec.Command("redis-server", r.args...), make(chan struct{})
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		defer close(done)
		runtime.LockOSThread() // Pdeathsig fires when this thread ends
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		r.t.Fatalf("run redis-server: %v", err)
	}
	r.cmd, r.done = cmd, done
	c := r.client()
	testkit.Eventually(r.t, "redis-server answers", func() bool { return c.Ping(r.t.Context()).Err() == nil })
}

// kill ends the server with SIGKILL.
func (r *redisServer) kill() {
	_ = r.cmd.Process.Kill() // if it is still running
	<-r.done
}

func (r *redisServer) client() *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: r.socket, MaxRetries: -1})
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

// do runs one command, which must succeed.
func (r *redisServer) do(ctx context.Context, args ...any) {
	r.t.Helper()
	if err := r.client().Do(ctx, args...).Err(); err != nil {
		r.t.Fatalf("%v: %v", args, err)
	}
}
