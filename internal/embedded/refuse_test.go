package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOldRedisIsRejected(t *testing.T) {
	t.Parallel()
	old := script(t, "echo 'Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64'")
	err := startFails(t, old)
	for _, word := range []string{"6.2.14", "7.0", "--redis-url"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not mention %s", err, word)
		}
	}
}

func TestFailedStartReportsTheChildsOutput(t *testing.T) {
	t.Parallel()
	broken := script(t, `[ "$1" = --version ] && { echo 'Valkey server v=8.0.1'; exit; }; echo 'Bad file format reading the append only file'; exit 1`)
	if err := startFails(t, broken); !strings.Contains(err.Error(), "Bad file format") {
		t.Errorf("%q does not contain the child's output", err)
	}
}

func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "redis-server")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func startFails(t *testing.T, program string) error {
	t.Helper()
	lock, err := LockDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	s, err := Start(t.Context(), lock, Options{Programs: []string{program}})
	if err == nil {
		_ = s.Close()
		t.Fatal("it started")
	}
	return err
}
