package soak

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// noTag is the commit that is built while there is no tag.
const noTag = "f3d6e03"

var before = flag.String("before", "", `the commit or tag of the program that is upgraded; "last": the last tag; empty: the program itself`)

// formerProgram builds the program that is upgraded. A clone without its history fetches it, or fails.
func formerProgram(t *testing.T) string {
	t.Helper()
	commit := *before
	switch commit {
	case "":
		return program
	case "last":
		commit = lastTag()
	}
	if _, err := git("cat-file", "-e", commit+"^{commit}"); err != nil {
		if out, err := git("fetch", "--depth", "1", "origin", commit); err != nil {
			t.Fatalf("this clone does not have %s and cannot fetch it; fetch the whole history (git fetch --unshallow --tags), or name another by BEFORE=: %s", commit, out)
		}
		if _, err := git("cat-file", "-e", commit+"^{commit}"); err != nil {
			commit = "FETCH_HEAD"
		}
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "source.tar")
	if out, err := git("archive", "-o", archive, commit); err != nil {
		t.Fatalf("read %s: %s", commit, out)
	}
	built := filepath.Join(dir, "carillon")
	for _, command := range [][]string{
		{"tar", "-xf", archive, "-C", dir},
		{"go", "build", "-buildvcs=false", "-o", built, "./cmd/carillon"},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", commit, err, out)
		}
	}
	t.Logf("the program before is %s", commit)
	return built
}

// lastTag returns the newest tag before this commit; in a clone without tags, the newest of its origin.
func lastTag() string {
	if tag, err := git("describe", "--tags", "--abbrev=0", "HEAD^"); err == nil {
		return tag
	}
	if list, err := git("ls-remote", "--tags", "--refs", "--sort=-version:refname", "origin", "v*"); err == nil {
		first, _, _ := strings.Cut(list, "\n")
		if _, tag, found := strings.Cut(first, "refs/tags/"); found {
			return "refs/tags/" + tag
		}
	}
	return noTag
}

// git runs git in this clone, and returns its output.
func git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}
