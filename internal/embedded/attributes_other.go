//go:build !linux

package embedded

import "syscall"

// attributes gives the child its own process group, as on Linux. The child does not end when this process is
// killed: it keeps the lock, and the next server reports that.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
