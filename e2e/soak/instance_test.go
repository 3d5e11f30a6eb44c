package soak

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// instance is one running server.
type instance struct {
	url  string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has exited
	err  error         // the result of Wait, valid once done is closed

	mu  sync.Mutex
	log bytes.Buffer
}

// start starts a server and returns when it responds.
func start(t *testing.T, program string, flags ...string) *instance {
	t.Helper()
	out, in := io.Pipe()
	i := &instance{
		cmd:  exec.Command(program, append([]string{"serve", "--json", "--addr", "127.0.0.1:0"}, flags...)...),
		done: make(chan struct{}),
	}
	i.cmd.Stdout, i.cmd.Stderr = in, i
	i.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	go func() {
		runtime.LockOSThread() // Pdeathsig fires when this thread ends
		i.err = i.cmd.Run()
		_ = in.Close()
		close(i.done)
	}()
	t.Cleanup(func() { i.stop(t) })
	var told struct {
		URL string `json:"url"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &told)
	}
	if err != nil {
		t.Fatalf("the server did not start: %v\n%s", err, i.logs())
	}
	i.url = told.URL
	return i
}

// kill ends the instance with SIGKILL, as abruptly as a power failure.
func (i *instance) kill() {
	_ = i.cmd.Process.Kill() // if it is still running
	<-i.done
}

// stop ends the instance with SIGTERM, and checks that its exit status is 0 unless it was killed.
func (i *instance) stop(t *testing.T) {
	t.Helper()
	_ = i.cmd.Process.Signal(syscall.SIGTERM) // if it is still running
	select {
	case <-i.done:
		if i.cmd.ProcessState.ExitCode() > 0 {
			t.Errorf("the server ended with %v\n%s", i.err, i.logs())
		}
	case <-time.After(patience):
		i.kill()
		t.Errorf("the server did not end on SIGTERM\n%s", i.logs())
	}
	if t.Failed() {
		t.Logf("the log of %s:\n%s", i.url, i.logs())
	}
}

// Write receives the log of the instance.
func (i *instance) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.log.Write(p)
}

// logs returns the end of the log.
func (i *instance) logs() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	const most = 6000
	text := i.log.Bytes()
	return string(text[max(0, len(text)-most):])
}
