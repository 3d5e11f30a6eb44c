package main

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
)

// process starts carillon as a separate process, which can receive signals.
func process(t *testing.T) (cmd *exec.Cmd, address string, errors *testkit.Buffer) {
	t.Helper()
	return processOf(t, exec.CommandContext(t.Context(), os.Args[0], "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir()))
}

// processOf is process with another command.
func processOf(t *testing.T, cmd *exec.Cmd) (_ *exec.Cmd, address string, errors *testkit.Buffer) {
	t.Helper()
	cmd.Env = append(os.Environ(), "CARILLON_TEST_MAIN=1")
	errors = &testkit.Buffer{}
	cmd.Stderr = errors
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it did not start: %v\n%s", err, errors)
	}
	return cmd, strings.TrimSpace(strings.TrimPrefix(line, "Carillon is at ")), errors
}

func TestSIGTERMEndsTheProcessWithStatusZero(t *testing.T) {
	t.Parallel()
	cmd, address, errors := process(t)
	if status, body := text(t, address+"/readyz"); status != 200 || body != "ok" {
		t.Errorf("/readyz: %d %q", status, body)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, errors)
	}
}

func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel()
	cmd, address, errors := process(t)
	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	// The server waits for a request that it has begun to read; this one never ends.
	_, err = io.WriteString(client, "POST /login HTTP/1.1\r\nHost: here\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(client).ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("%q, %v", line, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // an error, because a signal ended it
	}()
	// Signals are repeated: two that arrive before the first is handled count as one.
	testkit.Eventually(t, "the process ends", func() bool {
		_ = cmd.Process.Signal(syscall.SIGTERM) // if it is still running
		select {
		case <-ended:
			return true
		case <-time.After(100 * time.Millisecond):
			return false
		}
	})
	// A server that waited for the request would end without a signal.
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Errorf("it ended with %v\n%s", cmd.ProcessState, errors)
	}
}
