package embedded

import "syscall"

// attributes lets the kernel end the child when this process is killed. A process group of its own keeps
// Ctrl-C in a terminal from the child: it reaches only this process, which stops the child last.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
}
