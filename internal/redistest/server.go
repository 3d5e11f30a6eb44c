package redistest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const startLimit = 15 * time.Second

// Server is one redis-server process without persistence.
type Server struct {
	Socket string // path of its unix socket
	Addr   string // host:port, for members of a cluster only

	dir  string
	args []string
	cmd  *exec.Cmd
}

// socketConfig has no port at all: no other process can reach the server.
func socketConfig(string) (addr string, args []string) { return "", []string{"--port", "0"} }

// start runs a server and returns when it answers. The calling goroutine must
// be locked to a thread that outlives the server.
func start(config func(dir string) (addr string, args []string)) (*Server, error) {
	dir, err := os.MkdirTemp("", "rt") // short: a socket's path has 108 bytes at most
	if err != nil {
		return nil, err
	}
	addr, args := config(dir)
	s := &Server{Socket: filepath.Join(dir, "s"), Addr: addr, dir: dir, args: args}
	if err := s.launch(); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

func (s *Server) launch() error {
	_ = os.Remove(s.Socket) // a killed server leaves its socket behind
	args := append([]string{
		"--save", "", "--appendonly", "no", "--dir", s.dir, "--daemonize", "no",
		"--unixsocket", s.Socket, "--unixsocketperm", "700", "--logfile", filepath.Join(s.dir, "log"),
	}, s.args...)
	// It serves all tests of a package, and outlives the context of each; Kill ends it.
	s.cmd = exec.CommandContext(context.Background(), "redis-server", args...)
	s.cmd.SysProcAttr = endWithParent()
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return fmt.Errorf("run redis-server: %w", err)
	}
	return s.awaitPing()
}

func (s *Server) awaitPing() error {
	c := redis.NewClient(&redis.Options{
		Network: "unix", Addr: s.Socket, MaxRetries: -1, DisableIdentity: true, MaintNotificationsConfig: noMaintenance(),
	})
	defer func() { _ = c.Close() }()
	err := poll(func(ctx context.Context) error { return c.Ping(ctx).Err() })
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("redis-server does not answer: %w\n%s", err, log)
	}
	return nil
}

// Client is a client of this server, closed when the test ends.
func (s *Server) Client(t testing.TB) *redis.Client {
	t.Helper()
	return client(t, "unix", s.Socket)
}

// Crash ends the server as SIGKILL does. What it held is lost.
func (s *Server) Crash(t testing.TB) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatalf("kill redis-server: %v", err)
	}
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Restart starts a crashed server again, empty, on the same socket.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	var err error
	shared.keeper.do(func() { err = s.launch() })
	if err != nil {
		t.Fatalf("restart redis-server: %v", err)
	}
}

// Kill ends the server and removes its directory. It may be called twice.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
	_ = os.RemoveAll(s.dir)
}

// poll calls try until it succeeds or the limit is reached.
func poll(try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}
