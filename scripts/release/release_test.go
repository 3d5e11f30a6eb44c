package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// here is the system of the tests. A release has more, but the first build for each needs minutes.
var here = []target{{"linux", runtime.GOARCH}}

// built builds a release in a new directory and returns it with the names of its files.
func built(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "dist")
	if err := run(t.Context(), dir, here, dynamic, io.Discard); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files = append(files, e.Name())
	}
	return dir, files
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// out runs a program and returns what it prints.
func out(t *testing.T, name string, args ...string) string {
	t.Helper()
	b, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, b)
	}
	return string(b)
}

// find returns the file with a suffix.
func find(t *testing.T, files []string, suffix string) string {
	t.Helper()
	i := slices.IndexFunc(files, func(f string) bool { return strings.HasSuffix(f, suffix) })
	if i < 0 {
		t.Fatalf("no %s in %v", suffix, files)
	}
	return files[i]
}

func TestARelease(t *testing.T) {
	t.Parallel()
	dir, files := built(t)
	t.Run("is the same bytes each time", func(t *testing.T) { sameBytes(t, dir, files) })
	t.Run("has checksums, parts and licences", func(t *testing.T) { complete(t, dir, files) })
	t.Run("has a package that installs, starts and leaves nothing", func(t *testing.T) { installs(t, dir, files) })
	t.Run("has an image that runs with a read-only root", func(t *testing.T) { contains(t, dir, files) })
}

func sameBytes(t *testing.T, one string, files []string) {
	t.Helper()
	two, again := built(t)
	if len(files) != 6 || fmt.Sprint(files) != fmt.Sprint(again) {
		t.Fatalf("the files are %v, then %v", files, again)
	}
	for _, f := range files {
		if !bytes.Equal(read(t, one, f), read(t, two, f)) {
			t.Errorf("%s differs", f)
		}
	}
}

func complete(t *testing.T, dir string, files []string) {
	t.Helper()
	check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = dir
	if text, err := check.Output(); err != nil || strings.Count(string(text), ": OK") != 5 {
		t.Errorf("the checksums: %v\n%s", err, text)
	}
	var parts struct {
		BomFormat  string
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(read(t, dir, find(t, files, ".cdx.json")), &parts); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range parts.Components {
		names[c.Name] = c.Version != "" && c.Purl != ""
	}
	if parts.BomFormat != "CycloneDX" || !names["std"] || !names["modernc.org/sqlite"] || !names["github.com/redis/go-redis/v9"] || names["github.com/chromedp/chromedp"] {
		t.Errorf("the %s list of parts has %v", parts.BomFormat, names)
	}
	unpacked := unpack(t, filepath.Join(dir, find(t, files, ".tar.gz")))
	version, ok := strings.CutPrefix(strings.TrimSpace(out(t, filepath.Join(unpacked, "carillon"), "version")), "carillon v")
	if archive := filepath.Base(unpacked); !ok || !strings.HasPrefix(archive, "carillon_"+version+"_linux_") {
		t.Errorf("%q is the version in %s", version, archive)
	}
	chart := out(t, "tar", "-xzOf", filepath.Join(dir, find(t, files, ".tgz")), "carillon/Chart.yaml", "carillon/alerts.yml")
	if strings.Count(chart, "ersion: \""+version+"\"\n") != 2 || !strings.Contains(chart, "CarillonDown") {
		t.Errorf("the chart is\n%.500s", chart)
	}
	if text := read(t, unpacked, "licences.txt"); !bytes.Contains(text, []byte("\nmodernc.org/sqlite\n")) {
		t.Error("the archive has no licences of its parts")
	}
}

func TestVersionsSortAsTheyWereMade(t *testing.T) {
	t.Parallel()
	last := ""
	for _, text := range []string{"v1.2.0-rc.1-0-g1a2b3c", "v1.2.0-rc.1-3-g1a2b3c", "v1.2.0-0-g1a2b3c", "v1.2.0-5-g1a2b3c", "v1.2.0-12-g1a2b3c", "v1.2.1-0-g1a2b3c"} {
		version := debianVersion(described(text))
		if last != "" {
			out(t, "dpkg", "--compare-versions", last, "lt", version)
		}
		last = version
	}
	if last != "1.2.1" {
		t.Errorf("a tag is version %s", last)
	}
}

// unpack unpacks an archive and returns its directory.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	zip, err := gzip.NewReader(bytes.NewReader(read(t, archive)))
	if err != nil {
		t.Fatal(err)
	}
	for pack := tar.NewReader(zip); ; {
		head, err := pack.Next()
		if errors.Is(err, io.EOF) {
			return filepath.Join(dir, strings.TrimSuffix(filepath.Base(archive), ".tar.gz"))
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(pack)
		if err != nil {
			t.Fatal(err)
		}
		if err := (file{head.Name, content, head.Mode}).write(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// installs installs the package in a directory that holds just what its scripts need; nothing of this machine changes.
func installs(t *testing.T, dir string, files []string) {
	t.Helper()
	deb := filepath.Join(dir, find(t, files, ".deb"))
	root := newRoot(t)
	root.libraries(t, filepath.Join(unpack(t, filepath.Join(dir, find(t, files, ".tar.gz"))), "carillon")) // a release is static
	before := root.files(t)
	root.dpkg(t, "--install", deb)
	for name, want := range map[string]string{
		"/usr/bin/carillon": "root root 755", "/etc/carillon/config": "root carillon 640", "/var/lib/carillon": "carillon carillon 700",
		"/usr/share/doc/carillon/copyright": "root root 644", "/usr/share/man/man1/carillon.1.gz": "root root 644",
		"/usr/share/bash-completion/completions/carillon": "root root 644", "/usr/share/zsh/vendor-completions/_carillon": "root root 644",
		"/usr/share/fish/vendor_completions.d/carillon.fish": "root root 644", "/usr/share/doc/carillon/examples/compose.yaml": "root root 644",
		"/usr/share/doc/carillon/examples/prometheus/alerts.yml": "root root 644", "/usr/share/doc/carillon/examples/grafana/carillon.json": "root root 644",
		"/usr/lib/systemd/system/carillon.service": "root root 644",
	} {
		if got := strings.TrimSpace(root.run(t, "stat", "-c", "%U %G %a", name)); got != want {
			t.Errorf("%s is %s; want %s", name, got, want)
		}
	}
	root.serves(t)
	root.restores(t)
	root.dpkg(t, "--install", deb) // an upgrade
	if text := root.run(t, "cat", "/etc/carillon/config"); !strings.HasSuffix(text, "# edited\n") {
		t.Errorf("an upgrade replaced the configuration:\n%s", text)
	}
	root.dpkg(t, "--remove", "carillon")
	if left := root.files(t); left["/usr/bin/carillon"] || !left["/var/lib/carillon/carillon.db"] || !left["/etc/carillon/config"] {
		t.Errorf("after the removal these are left: %v", left)
	}
	root.dpkg(t, "--purge", "carillon")
	for name := range root.files(t) {
		if !before[name] {
			t.Errorf("%s is left", name)
		}
	}
	if users := string(read(t, root.dir, "etc/passwd")); strings.Contains(users, "carillon") {
		t.Errorf("the user is left: %s", users)
	}
}

// restores restores a backup as root. The data still belong to the user of the service.
func (r root) restores(t *testing.T) {
	t.Helper()
	carillon := []string{"/usr/bin/carillon", "--config", "/etc/carillon/config"}
	r.run(t, append(carillon, "user", "add", "anna")...)
	r.run(t, append(carillon, "backup", "/tmp/backup")...)
	r.run(t, append(carillon, "restore", "--force", "/tmp/backup")...)
	if err := os.Remove(filepath.Join(r.dir, "tmp/backup")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"carillon.db", "session.keys", "lock"} {
		if got := strings.TrimSpace(r.run(t, "stat", "-c", "%U %G %a", "/var/lib/carillon/"+name)); got != "carillon carillon 600" {
			t.Errorf("after a restore by root %s is %s", name, got)
		}
	}
	listed := out(t, "chroot", append([]string{"--userspec=carillon:carillon", r.dir}, append(carillon, "user", "list")...)...)
	if !strings.HasPrefix(listed, "anna\t") {
		t.Errorf("the users are %s", listed)
	}
}

// serves starts the server as its unit does, asks it, and stops it.
func (r root) serves(t *testing.T) {
	t.Helper()
	settings := map[string]string{}
	for line := range strings.Lines(r.run(t, "cat", "/usr/lib/systemd/system/carillon.service")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		settings[name] += value
	}
	if settings["User"] != "carillon" || !strings.HasPrefix(settings["Environment"], "CARILLON_CONFIG=") {
		t.Fatalf("the unit has %v", settings)
	}
	config := filepath.Join(r.dir, "etc/carillon/config")
	edited := append(read(t, config), "addr = '127.0.0.1:0'\n# edited\n"...)
	if err := os.WriteFile(config, edited, 0o600); err != nil { // keeps its mode
		t.Fatal(err)
	}
	cmd := exec.Command("chroot", append([]string{"--userspec=carillon:carillon", r.dir}, strings.Fields(settings["ExecStart"])...)...)
	cmd.Env = []string{settings["Environment"], "PATH=/usr/bin"}
	answers(t, cmd, func(string) {})
}

// answers starts a server, sees that it is ready at its address, does something with it, and stops it.
func answers(t *testing.T, cmd *exec.Cmd, do func(address string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	var said bytes.Buffer
	cmd.Stderr = &said
	lines, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(lines).ReadString('\n')
	at, ok := strings.CutPrefix(strings.TrimSpace(line), "Carillon is at ")
	if !ok {
		_ = cmd.Wait()
		t.Fatalf("it did not start: %s%s", line, said.String())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/readyz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		t.Errorf("/readyz: %s", res.Status)
	}
	_ = res.Body.Close()
	do(strings.TrimPrefix(at, "http://"))
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, said.String())
	}
}
