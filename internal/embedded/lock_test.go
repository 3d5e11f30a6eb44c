package embedded

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestSecondServerIsRefusedWithDirectoryAndPID(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = LockDir(dir)
	if !errors.Is(err, ErrLocked) {
		t.Fatalf("err = %v, want ErrLocked", err)
	}
	for _, word := range []string{dir, strconv.Itoa(os.Getpid())} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not name %s", err, word)
		}
	}
	if err = first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := LockDir(dir)
	if err != nil {
		t.Fatalf("after the first released it: %v", err)
	}
	if err = again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDirectoryIsAccessibleToItsOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/deep/data"
	l, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, want 0700", info.Mode().Perm())
	}
}
