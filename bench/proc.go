//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// process is a server of this run. It is started from the main thread, so that the kernel ends
// it with this program.
type process struct {
	name string
	addr string
	cmd  *exec.Cmd
	log  *os.File // its output, to explain failures
}

const stopWait = 10 * time.Second

// start starts a server and returns when addr accepts connections. The output of the server
// goes to a file in dir.
func start(ctx context.Context, dir, name, addr string, argv ...string) (*process, error) {
	out, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, fmt.Errorf("store the output of %s: %w", name, err)
	}
	// The server must not end with ctx: stop ends it in order.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...) //nolint:gosec // a program of the benchmark, nginx, or the -peer that its user names; arguments pass through no shell
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	p := &process{name: name, addr: addr, cmd: cmd, log: out}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), out.Close())
	}
	if err := p.answers(ctx); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// stop shuts the server down, and kills it after stopWait.
func (p *process) stop() error {
	defer func() { _ = p.log.Close() }()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	kill := time.AfterFunc(stopWait, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	var exit *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("wait for %s: %w", p.name, err)
	}
	return nil
}

func (p *process) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp4", p.addr)
		if err == nil {
			return c.Close()
		}
		if pause(ctx, 2*time.Millisecond) != nil {
			return fmt.Errorf("%s does not answer at %s: %w\n%s", p.name, p.addr, err, p.lastLines())
		}
		if p.gone() {
			return fmt.Errorf("%s ended at once:\n%s", p.name, p.lastLines())
		}
	}
}

// gone reports whether the process is a zombie: it has ended and waits for Wait.
func (p *process) gone() bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid()))
	_, state, _ := strings.Cut(string(b), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}

func (p *process) lastLines() string {
	b, err := os.ReadFile(p.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-2000):])
}

// rss returns the resident memory of the process in KB.
func (p *process) rss() (float64, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.pid()))
	if err != nil {
		return 0, fmt.Errorf("read the memory of %s: %w", p.name, err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if v, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			return strconv.ParseFloat(strings.Fields(v)[0], 64)
		}
	}
	return 0, fmt.Errorf("no VmRSS of %s", p.name)
}

// cpu returns the processor time that the process has used, in ms.
func (p *process) cpu() (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid()))
	if err != nil {
		return 0, fmt.Errorf("read the processor time of %s: %w", p.name, err)
	}
	_, rest, _ := strings.Cut(string(b), ") ") // the part before it may contain spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("no processor time of %s", p.name)
	}
	user, err := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	const perTick = 10 // ms, on every Linux that Go runs on
	return perTick * (user + system), errors.Join(err, err2)
}

// files returns the number of open descriptors of the process.
func (p *process) files() (int, error) {
	d, err := os.Open(fmt.Sprintf("/proc/%d/fd", p.pid()))
	if err != nil {
		return 0, fmt.Errorf("count the files of %s: %w", p.name, err)
	}
	defer func() { _ = d.Close() }()
	names, err := d.Readdirnames(-1)
	return len(names), err
}

// raiseFiles raises the limit on open files, which children inherit.
func raiseFiles(files int) error {
	want := uint64(max(files, 0))
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("read the limit on open files: %w", err)
	}
	if l.Cur >= want && l.Max >= want {
		return nil
	}
	raised := unix.Rlimit{Cur: want, Max: max(want, l.Max)}
	if unix.Setrlimit(unix.RLIMIT_NOFILE, &raised) == nil {
		return nil
	}
	if raised = (unix.Rlimit{Cur: l.Max, Max: l.Max}); l.Max < want {
		return fmt.Errorf("%d open files are needed and %d allowed: raise `ulimit -n` or use fewer --streams", want, l.Max)
	}
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &raised)
}

// pause waits for d or until ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// freeAddr returns a loopback address with a port that is free at the moment.
func freeAddr(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}
