package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// setUp runs setup.sh on a machine with nothing installed and with aptGet as the body of apt-get.
// It returns the first arguments of all calls of apt-get, and the output of the script.
func setUp(t *testing.T, aptGet string) (asked, said string, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"bash", "env"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	notes := filepath.Join(dir, "notes")
	for name, does := range map[string]string{
		"id": "echo 0", "apt-get": `echo "$1" >>` + notes + "\n" + aptGet,
		// The other commands that the script runs as root do nothing.
		"tee": "while read -r _; do :; done", "chmod": ":", "rm": ":", "systemctl": ":",
	} {
		bash := "#!" + filepath.Join(dir, "bash") + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(bash+does+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile("setup.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "bash"), "-c", string(script), "setup.sh", "test")
	cmd.Env = []string{"PATH=" + dir}
	out, err := cmd.CombinedOutput()
	noted, readErr := os.ReadFile(notes)
	if readErr != nil {
		t.Fatalf("apt-get was not called: %v: %s", readErr, out)
	}
	return strings.Join(strings.Fields(string(noted)), " "), string(out), err
}

// The list of a machine that was set up a while ago offers an old browser.
func TestTheListOfPackagesIsUpdatedBeforeInstalling(t *testing.T) {
	t.Parallel()
	asked, said, err := setUp(t, `:`)
	if err != nil || asked != "update install" {
		t.Errorf("%v: asked for %q: %s", err, asked, said)
	}
}

func TestTheOldListIsUsedIfItCannotBeUpdated(t *testing.T) {
	t.Parallel()
	asked, said, err := setUp(t, `[ "$1" != update ]`)
	if err != nil || asked != "update install" || !strings.Contains(said, "could not update the list of packages") {
		t.Errorf("%v: asked for %q: %s", err, asked, said)
	}
}

func TestPackagesThatCannotBeInstalledAreNamed(t *testing.T) {
	t.Parallel()
	_, said, err := setUp(t, `[ "$1" != install ]`)
	if err == nil || !strings.Contains(said, "cannot install redis-server") || !strings.Contains(said, "chromium") {
		t.Errorf("%v: %s", err, said)
	}
}
