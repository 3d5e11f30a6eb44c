//go:build !linux

package embedded

import "syscall"

// attributes gives the child a process group of its own, as on Linux. It does not end when this process is
// killed: it keeps the lock, and the next server says so.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
