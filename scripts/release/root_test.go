package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// programs are what the scripts of the package call, and the test.
var programs = []string{"sh", "rm", "install", "chgrp", "getent", "useradd", "userdel", "stat", "cat"}

// root is the root directory of a small system of its own, with an empty database of packages.
type root struct{ dir string }

func newRoot(t *testing.T) root {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("installing a package, even into a directory, needs root: run this test with sudo")
	}
	r := root{t.TempDir()}
	if err := os.Chmod(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.link(t)
	for _, name := range programs {
		r.copyProgram(t, name)
	}
	for name, text := range map[string]string{
		"etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "etc/group": "root:x:0:\n", "etc/shadow": "root:*:1::::::\n", "etc/gshadow": "root:*::\n",
		"etc/nsswitch.conf": "passwd: files\ngroup: files\n", "etc/login.defs": "SYS_UID_MIN 100\nSYS_UID_MAX 999\nSYS_GID_MIN 100\nSYS_GID_MAX 999\n",
		"var/lib/dpkg/status": "Package: passwd\nStatus: install ok installed\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: users\n",
	} {
		r.write(t, name, text)
	}
	if err := (file{"dev/null", nil, 0o666}).write(r.dir); err != nil { // a file does for scripts
		t.Fatal(err)
	}
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "tmp", "var/log"} {
		if err := os.MkdirAll(filepath.Join(r.dir, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// link gives programs and libraries the places where Debian has them.
func (r root) link(t *testing.T) {
	t.Helper()
	for _, link := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.MkdirAll(filepath.Join(r.dir, "usr", link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("usr/"+link, filepath.Join(r.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
}

func (r root) write(t *testing.T, name, text string) {
	t.Helper()
	if err := (file{name, []byte(text), 0o644}).write(r.dir); err != nil {
		t.Fatal(err)
	}
}

// library matches the files that a program is linked with, in the output of ldd.
var library = regexp.MustCompile(`(?m)(/\S+) \(0x`)

// copyProgram copies a program of this machine.
func (r root) copyProgram(t *testing.T, name string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/" + name); err != nil {
			t.Fatal(err)
		}
	}
	r.copy(t, path, "usr/bin/"+name)
	r.libraries(t, path)
}

// libraries copies the libraries that a program is linked with.
func (r root) libraries(t *testing.T, path string) {
	t.Helper()
	for _, match := range library.FindAllStringSubmatch(out(t, "ldd", path), -1) {
		r.copy(t, match[1], strings.TrimPrefix(match[1], "/"))
	}
}

func (r root) copy(t *testing.T, from, to string) {
	t.Helper()
	if !strings.HasPrefix(to, "usr/") {
		to = "usr/" + to
	}
	if err := (file{to, read(t, from), 0o755}).write(r.dir); err != nil {
		t.Fatal(err)
	}
}

// run runs a program inside and returns what it prints.
func (r root) run(t *testing.T, args ...string) string {
	t.Helper()
	return out(t, "chroot", append([]string{r.dir}, args...)...)
}

// dpkg runs dpkg with this root, in which it also runs the scripts of the package.
func (r root) dpkg(t *testing.T, args ...string) {
	t.Helper()
	out(t, "dpkg", append([]string{"--root=" + r.dir, "--log=" + filepath.Join(r.dir, "var/log/dpkg.log"), "--force-confold"}, args...)...)
}

// files lists all files, except those in which dpkg and useradd write what they did.
func (r root) files(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(r.dir, func(path string, _ fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, r.dir)
		if strings.HasPrefix(name, "/var/lib/dpkg/") || strings.HasPrefix(name, "/var/log/") || name == "/etc/.pwd.lock" || filepath.Dir(name) == "/etc" && strings.HasSuffix(name, "-") {
			return nil
		}
		all[name] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
