//go:build !linux

package sqltest

import "syscall"

// endWithParent has no equivalent here: the server ends with Run.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
