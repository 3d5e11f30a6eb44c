package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const (
	maxSocket   = 100 // the path of a socket has at most 108 bytes
	answerWait  = 10 * time.Second
	firstPause  = 100 * time.Millisecond
	longestWait = 10 * time.Second
)

// child keeps one redis-server running.
type child struct {
	argv   []string
	lock   *os.File
	log    *slog.Logger
	output *lines
	ended  chan error    // the last unhandled exit
	done   chan struct{} // closed when keep has returned
}

func startChild(ctx context.Context, program string, lock *Lock, log *slog.Logger) (*Server, error) {
	dir := filepath.Join(lock.Dir(), "redis")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create its directory: %w", err)
	}
	socket, temp, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	c := &child{
		argv: arguments(program, dir, socket), lock: lock.file, log: log,
		output: &lines{log: log}, ended: make(chan error, 1), done: make(chan struct{}),
	}
	// The child outlives the caller's context: Close stops it last.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go c.keep(running)
	stop := func() error {
		cancel()
		<-c.done
		return os.RemoveAll(temp) // does nothing if temp is empty
	}
	if err = c.answers(ctx, socket); err != nil {
		return nil, errors.Join(err, stop())
	}
	u := url.URL{Scheme: "unix", Path: socket}
	return &Server{url: u.String(), stop: stop}, nil
}

// arguments makes the disk authoritative: every change reaches the append-only file within a second,
// and the socket is the only way in. A hash with more than 64 fields is stored as a table, because
// counting reads looks up many fields. Redis buffers up to 256 MB, or 64 MB for a minute, for an
// instance that reads a burst more slowly than it is published.
func arguments(program, dir, socket string) []string {
	return []string{
		program, "--port", "0", "--unixsocket", socket, "--unixsocketperm", "700",
		"--dir", dir, "--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
		"--maxmemory-policy", "noeviction", "--daemonize", "no", "--supervised", "no", "--logfile", "",
		"--hash-max-listpack-entries", "64", "--client-output-buffer-limit", "pubsub", "256mb", "64mb", "60",
	}
}

// socketPath puts the socket in the data directory or, if that path is too long, in a new directory
// under the system's temporary one.
func socketPath(dir string) (socket, temp string, err error) {
	if socket = filepath.Join(dir, "redis.sock"); len(socket) <= maxSocket {
		return socket, "", nil
	}
	if temp, err = os.MkdirTemp("", "carillon-"); err != nil {
		return "", "", fmt.Errorf("create a short directory for its socket: %w", err)
	}
	return filepath.Join(temp, "redis.sock"), temp, nil
}

// keep runs the child until ctx ends and restarts it when it dies. On Linux the child ends with the
// thread that started it, so this goroutine keeps its thread locked while the child runs.
func (c *child) keep(ctx context.Context) {
	defer close(c.done)
	runtime.LockOSThread()
	for pause := firstPause; ; pause = min(2*pause, longestWait) {
		began := time.Now()
		err := c.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > time.Minute {
			pause = firstPause
		}
		c.log.Error("the built-in redis exited unexpectedly; restarting it", "err", err, "wait", pause)
		select {
		case c.ended <- err:
		default:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (c *child) once(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...) //nolint:gosec // argv[0] is redis-server or valkey-server as found on PATH, and this package builds all arguments
	cmd.Stdout, cmd.Stderr = c.output, c.output
	// The child also holds the directory's lock: if this process is killed, the next server waits until
	// the child has written its file.
	cmd.ExtraFiles = []*os.File{c.lock}
	cmd.SysProcAttr = attributes()
	// Redis treats SIGTERM as SHUTDOWN: it writes and syncs the append-only file.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopWait
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, c.output.last())
	}
	return errors.New("it exited: " + c.output.last())
}

// answers waits until the child responds to PING. A child that is still loading its file may take until
// ctx ends.
func (c *child) answers(ctx context.Context, socket string) error {
	silent := time.NewTimer(answerWait)
	defer silent.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		loading, err := ping(ctx, socket)
		if err == nil {
			return nil
		}
		if loading {
			silent.Reset(answerWait)
		}
		select {
		case err = <-c.ended:
			return err
		case <-ctx.Done():
			return fmt.Errorf("wait for its reply: %w", ctx.Err())
		case <-silent.C:
			return fmt.Errorf("wait for its reply: %w", err)
		case <-tick.C:
		}
	}
}
