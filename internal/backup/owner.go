package backup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// asOwner lets root work as the owner of a data directory until end: the owner, or an attacker who controls their
// server, may have put links there that lead to files of root. It returns the file to restore, which is a copy
// in the directory if the owner might not be able to read the original. For other users, and for root's own
// directories, it changes nothing.
func asOwner(dir, file string) (readable string, end func() error, err error) {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return file, func() error { return nil }, nil // it will belong to this user
	}
	if err != nil {
		return "", nil, fmt.Errorf("find the owner of the data directory: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || owner.Uid == 0 {
		return file, func() error { return nil }, nil
	}
	from, err := os.Open(file)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = from.Close() }()
	back, err := become(int(owner.Uid), int(owner.Gid))
	if err != nil {
		return "", nil, fmt.Errorf("work as the owner of the data directory: %w", err)
	}
	copied, err := copyInto(dir, from)
	end = func() error { return errors.Join(removed(copied), back()) }
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("copy %s into the data directory: %w", file, err), end())
	}
	return copied, end, nil
}

// become gives the whole process the identity of a user, until back is called.
func become(uid, gid int) (back func() error, err error) {
	groups, err := syscall.Getgroups()
	if err != nil {
		return nil, err
	}
	back = func() error {
		return errors.Join(syscall.Seteuid(0), syscall.Setegid(0), syscall.Setgroups(groups))
	}
	if err := errors.Join(syscall.Setgroups([]int{gid}), syscall.Setegid(gid)); err != nil {
		return nil, errors.Join(err, back())
	}
	if err := syscall.Seteuid(uid); err != nil {
		return nil, errors.Join(err, back())
	}
	return back, nil
}

// copyInto copies a file to a new file in a directory, and returns its name.
func copyInto(dir string, from io.Reader) (name string, err error) {
	to, err := os.CreateTemp(dir, "restoring-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	return to.Name(), errors.Join(err, to.Close())
}

// removed removes a file if it exists.
func removed(name string) error {
	if name == "" {
		return nil
	}
	return os.Remove(name)
}
