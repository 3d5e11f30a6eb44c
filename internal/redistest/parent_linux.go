package redistest

import "syscall"

// endWithParent makes the kernel kill the server when the tests are killed.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
