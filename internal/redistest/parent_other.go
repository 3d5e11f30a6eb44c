//go:build !linux

package redistest

import "syscall"

// endWithParent has no equivalent here: servers end by Kill in Main.
func endWithParent() *syscall.SysProcAttr { return nil }
