package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// stopWait is how long a new owner waits for the Redis of a killed one: the child also holds the lock
// until it has written its file.
const stopWait = 10 * time.Second

// ErrLocked is returned by LockDir when another process owns the directory.
var ErrLocked = errors.New("the data directory is in use")

// Lock is the ownership of a data directory.
type Lock struct {
	dir  string
	file *os.File
}

// LockDir creates the directory if it is missing (mode 0700) and takes ownership of it. If another
// server owns it, the error is an ErrLocked with the directory and the other process id.
func LockDir(dir string) (*Lock, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the data directory %s: %w", dir, err)
	}
	if err = os.MkdirAll(abs, 0o700); err != nil {
		return nil, fmt.Errorf("create the data directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(abs, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	l := &Lock{dir: abs, file: file}
	if err = l.take(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// Dir returns the absolute path of the directory.
func (l *Lock) Dir() string { return l.dir }

// Close releases the directory. It first removes our process id from the lock: a process that is just
// being started may hold a copy of the file a little longer, and the next owner must wait for that
// instead of failing.
func (l *Lock) Close() error { return errors.Join(l.file.Truncate(0), l.file.Close()) }

func (l *Lock) take() error {
	deadline := time.Now().Add(stopWait)
	for {
		err := unix.Flock(int(l.file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return l.sign()
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return fmt.Errorf("lock the data directory %s: %w", l.dir, err)
		}
		pid := l.owner()
		if alive(pid) {
			return fmt.Errorf("%w: %s belongs to process %d; stop that process, or give this one its own --data-dir", ErrLocked, l.dir, pid)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: the server of %s (process %d) is gone, but its Redis is still running", ErrLocked, l.dir, pid)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// sign writes our process id to the file, for the error message of the next process.
func (l *Lock) sign() error {
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("sign the lock of %s: %w", l.dir, err)
	}
	if _, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return fmt.Errorf("sign the lock of %s: %w", l.dir, err)
	}
	return nil
}

func (l *Lock) owner() int {
	buf := make([]byte, 32)
	n, _ := l.file.ReadAt(buf, 0)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	return pid
}

func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
