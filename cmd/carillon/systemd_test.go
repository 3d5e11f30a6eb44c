package main

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
)

// The environment belongs to the whole process, so this test does not run in parallel.
func TestTheServiceManagerIsToldWhetherItAnswers(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = manager.Close() }()
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "300000")
	s := serve(t, in(t.TempDir()))
	told := func() string {
		t.Helper()
		if err := manager.SetReadDeadline(time.Now().Add(testkit.Patience)); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 100)
		n, err := manager.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	for _, want := range []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1"} {
		if got := told(); got != want {
			t.Fatalf("received %q, want %q", got, want)
		}
	}
	if status := s.stop(); status != 0 {
		t.Fatalf("status %d", status)
	}
	last := told()
	for last == "WATCHDOG=1" {
		last = told()
	}
	if last != "STOPPING=1" {
		t.Errorf("received %q at the end", last)
	}
}
