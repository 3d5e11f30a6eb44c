package sqltest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// immediateShutdown is the signal that makes postgres end without a checkpoint.
const immediateShutdown = syscall.SIGQUIT

// owner is the user who runs the server. PostgreSQL refuses to run as root, so root runs it as
// the user postgres. All other users run it themselves.
type owner struct {
	uid, gid uint32
	other    bool // not the user of the tests
}

func account() (owner, error) {
	if os.Geteuid() != 0 {
		return owner{}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return owner{}, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return owner{}, fmt.Errorf("user id of postgres: %w", err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return owner{}, fmt.Errorf("group id of postgres: %w", err)
	}
	return owner{uint32(uid), uint32(gid), true}, nil
}

// own gives a directory to the owner.
func (o owner) own(dir string) error {
	if !o.other {
		return nil
	}
	return os.Chown(dir, int(o.uid), int(o.gid))
}

// process returns the attributes of a child that runs as the owner and ends with its parent.
func (o owner) process() *syscall.SysProcAttr {
	return o.as(endWithParent())
}

// as makes a child run as the owner.
func (o owner) as(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if o.other {
		attr.Credential = &syscall.Credential{Uid: o.uid, Gid: o.gid}
	}
	return attr
}
