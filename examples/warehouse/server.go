package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// server is a demonstration of Carillon with the example's rules.
type server struct {
	url, key string
	cmd      *exec.Cmd
	env      []string
	ended    chan error // receives the result of the process; buffered
}

// startServer starts Carillon, waits until it is ready and creates a key for the application.
func startServer(ctx context.Context, o options, temp string) (*server, error) {
	others := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CARILLON_") })
	s := &server{ended: make(chan error, 1), env: append(others,
		"CARILLON_DATA_DIR="+filepath.Join(temp, "data"), "CARILLON_ADDR="+o.addr, "CARILLON_LOG_LEVEL=warn",
		"CARILLON_RULES="+filepath.Join(o.dir, "rules.toml"), "CARILLON_RULE_SOURCE_WAREHOUSE=sqlite:"+filepath.Join(temp, "warehouse.db"),
	)}
	s.cmd = s.command(context.WithoutCancel(ctx), o, "serve", "--demo", "--json")
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.carillon, err)
	}
	var line struct{ URL string }
	err = json.NewDecoder(out).Decode(&line)
	go func() { s.ended <- s.cmd.Wait() }()
	if err != nil {
		return nil, errors.Join(errors.New("carillon did not start"), s.stop())
	}
	s.url = line.URL
	key, err := s.command(ctx, o, "key", "add", "warehouse", "--scope=read", "--scope=admin").Output()
	if err != nil {
		if ended, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, ended.Stderr)
		}
		return nil, errors.Join(fmt.Errorf("make a key: %w", err), s.stop())
	}
	s.key = strings.TrimSpace(string(key))
	return s, nil
}

// command returns a command of Carillon on the same data.
func (s *server) command(ctx context.Context, o options, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, o.carillon, args...) //nolint:gosec // whoever runs the example chooses the program by a flag; arguments pass through no shell
	cmd.Env = s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches only the example, which stops Carillon in order
	return cmd
}

// stop shuts Carillon down. It returns an error if it had already ended.
func (s *server) stop() error {
	select {
	case err := <-s.ended:
		return fmt.Errorf("carillon ended: %w", err)
	default:
	}
	err := s.cmd.Process.Signal(syscall.SIGTERM)
	return errors.Join(err, <-s.ended) // nil after an orderly stop
}
