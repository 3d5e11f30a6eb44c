package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The owner of a data directory may put links there. A restore, above all by root, does not follow them.
func TestARestoreFollowsNoLinkThatWasPlanted(t *testing.T) {
	t.Parallel()
	c, outside := in(t.TempDir()), t.TempDir()
	must(t, c.typing(secret+"\n").run(t.Context(), "user", "add", "ann", "--password-stdin"))
	if err := os.WriteFile(filepath.Join(c.env["CARILLON_DATA_DIR"], "session.keys"), []byte("keys of the backup"), 0o600); err != nil {
		t.Fatal(err)
	}
	backup, precious := filepath.Join(outside, "backup"), filepath.Join(outside, "precious")
	must(t, c.run(t.Context(), "backup", backup))
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	plant := func(t *testing.T, name string) (dir string) {
		t.Helper()
		dir = t.TempDir()
		if err := os.Symlink(precious, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	spared := func(t *testing.T) {
		t.Helper()
		if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
			t.Errorf("the file outside is %q, %v", text, err)
		}
	}
	must(t, in(plant(t, "session.keys.new")).run(t.Context(), "restore", backup))
	spared(t)
	if os.Geteuid() != 0 {
		return // a process that is not root has no more rights than the owner
	}
	for _, name := range []string{"lock", "carillon.db", "carillon.db.restoring", "session.keys.new"} {
		dir := plant(t, name)
		for _, above := range []string{filepath.Dir(dir), outside} {
			if err := os.Chmod(above, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		// In its own process, because it assumes the rights of the owner for the whole process.
		cmd := exec.CommandContext(t.Context(), os.Args[0], "restore", "--force", backup)
		cmd.Env = append(os.Environ(), "CARILLON_TEST_MAIN=1", "CARILLON_DATA_DIR="+dir)
		out, err := cmd.CombinedOutput()
		t.Logf("%s: %v %s", name, err, out)
		spared(t)
	}
}
