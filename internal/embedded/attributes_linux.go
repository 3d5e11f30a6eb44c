package embedded

import "syscall"

// attributes makes the kernel end the child when this process is killed. The child's own process group
// protects it from Ctrl-C in a terminal, which reaches only this process; this process stops the child last.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
}
