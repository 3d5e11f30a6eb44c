package sqltest

import "syscall"

// endWithParent makes the kernel end the server when the tests are killed.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: immediateShutdown}
}
