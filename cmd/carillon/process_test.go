package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestSIGTERMEndsTheProcessWithStatusZero(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "serve", "--demo", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir())
	cmd.Env = append(os.Environ(), "CARILLON_TEST_MAIN=1")
	var errors buffer
	cmd.Stderr = &errors
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it did not start: %v\n%s", err, &errors)
	}
	address := strings.TrimSpace(strings.TrimPrefix(line, "Carillon is at "))
	if status, body := text(t, address+"/readyz"); status != 200 || body != "ok" {
		t.Errorf("/readyz: %d %q", status, body)
	}
	if err = cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err = cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &errors)
	}
}
