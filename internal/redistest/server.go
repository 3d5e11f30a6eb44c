package redistest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
)

// Server is one redis-server process. It writes data to a file only for Save.
type Server struct {
	Socket string // path of its unix socket
	Addr   string // host:port, only if other servers must reach it

	dir  string
	file []string // a configuration file, which must precede all options
	args []string
	cmd  *exec.Cmd
}

// socketConfig has no port at all: no other process can reach the server.
func socketConfig(string) (addr string, args []string) { return "", []string{"--port", "0"} }

// start starts a server and returns when it responds. The calling goroutine must be locked to a
// thread that outlives the server.
func start(config func(dir string) (addr string, args []string)) (*Server, error) {
	dir, err := os.MkdirTemp("", "rt") // short: a socket's path has 108 bytes at most
	if err != nil {
		return nil, err
	}
	addr, args := config(dir)
	s := &Server{Socket: filepath.Join(dir, "s"), Addr: addr, dir: dir, args: args}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		s.file, s.args = args[:1], args[1:]
	}
	if err := s.launch(); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

func (s *Server) launch() error {
	_ = os.Remove(s.Socket) // a killed server leaves its socket behind
	args := slices.Concat(s.file, []string{
		"--save", "", "--appendonly", "no", "--dir", s.dir, "--daemonize", "no",
		"--unixsocket", s.Socket, "--unixsocketperm", "700", "--logfile", filepath.Join(s.dir, "log"),
	}, s.args)
	// It serves all tests of a package and outlives the context of each; Kill ends it.
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
	err := testkit.Try(func(ctx context.Context) error { return c.Ping(ctx).Err() })
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("redis-server does not answer: %w\n%s", err, log)
	}
	return nil
}

// Client returns a client of this server. It is closed when the test ends.
func (s *Server) Client(t testing.TB) *redis.Client {
	t.Helper()
	return client(t, "unix", s.Socket)
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
