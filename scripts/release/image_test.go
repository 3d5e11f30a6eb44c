package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

func TestMain(m *testing.M) { sqltest.Wrap(redistest.Wrap(m)).Run() }

// imaged writes an image of two programs, and returns the path of the archive.
func imaged(t *testing.T) string {
	t.Helper()
	root, err := git(t.Context(), "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	r := release{root: root, dir: t.TempDir(), version: "1.2.0+3.g1", time: time.Unix(1e9, 0).UTC()}
	if err := r.image(t.Context(), []program{{"amd64", []byte("for amd64")}, {"arm64", []byte("for arm64")}}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(r.dir, "carillon_1.2.0+3.g1_oci.tar")
}

// configured returns what the image runs on an architecture, as skopeo reads it.
func configured(t *testing.T, archive, arch string) configuration {
	t.Helper()
	var c configuration
	text := out(t, "skopeo", "inspect", "--override-os=linux", "--override-arch="+arch, "--config", "--raw", "oci-archive:"+archive)
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// unpackImage unpacks the image for an architecture into a directory, which a container would have as its root.
func unpackImage(t *testing.T, archive, arch string) string {
	t.Helper()
	blobs, to := t.TempDir(), t.TempDir()
	if err := os.Chmod(to, 0o755); err != nil {
		t.Fatal(err)
	}
	out(t, "skopeo", "--insecure-policy", "--override-os=linux", "--override-arch="+arch, "copy", "oci-archive:"+archive, "dir:"+blobs)
	var m manifest
	if err := json.Unmarshal(read(t, blobs, "manifest.json"), &m); err != nil {
		t.Fatal(err)
	}
	diffs := configured(t, archive, arch).Root.Diffs
	for i, layer := range m.Layers {
		packed := filepath.Join(blobs, strings.TrimPrefix(layer.Digest, "sha256:"))
		if sum := strings.Fields(out(t, "sh", "-c", `gzip -dc "$0" | sha256sum`, packed))[0]; i >= len(diffs) || diffs[i] != "sha256:"+sum {
			t.Errorf("layer %d is %s; the image has %v", i, sum, diffs)
		}
		out(t, "tar", "-xzpf", packed, "--numeric-owner", "-C", to)
	}
	return to
}

func TestTheImageHasEachArchitecture(t *testing.T) {
	t.Parallel()
	archive := imaged(t)
	if !bytes.Equal(read(t, archive), read(t, imaged(t))) {
		t.Error("the image differs each time")
	}
	// skopeo compares all sums and sizes.
	out(t, "skopeo", "--insecure-policy", "copy", "--all", "oci-archive:"+archive+":1.2.0_3.g1", "oci:"+t.TempDir())
	for _, arch := range []string{"amd64", "arm64"} {
		if c := configured(t, archive, arch); c.Architecture != arch || c.Config.User != "65532:65532" || c.Config.Labels["org.opencontainers.image.version"] != "1.2.0+3.g1" {
			t.Errorf("for %s the image has %+v", arch, c)
		}
		root := unpackImage(t, archive, arch)
		if text := string(read(t, root, "carillon")); text != "for "+arch {
			t.Errorf("on %s the image runs the program %s", arch, text)
		}
		for name, want := range map[string]string{"carillon": "0 0 755", "data": "65532 65532 700", "etc/ssl/certs/ca-certificates.crt": "0 0 644", "licences/licences.txt": "0 0 644"} {
			if got := strings.TrimSpace(out(t, "stat", "-c", "%u %g %a", filepath.Join(root, name))); got != want {
				t.Errorf("%s is %s; want %s", name, got, want)
			}
		}
		if n := bytes.Count(read(t, root, "etc/ssl/certs/ca-certificates.crt"), []byte("BEGIN CERTIFICATE")); n < 100 {
			t.Errorf("the image knows %d authorities", n)
		}
	}
}

// The image of a release and the one that the Dockerfile builds can replace each other.
func TestTheDockerfileBuildsTheSameImage(t *testing.T) {
	t.Parallel()
	lines := map[string]string{}
	_, last, _ := strings.Cut(string(read(t, "../../deploy/Dockerfile")), "\nFROM gcr.io/")
	for _, line := range regexp.MustCompile(`(?m)^([A-Z]+) (.*)$`).FindAllStringSubmatch(last, -1) {
		lines[line[1]] = line[2]
	}
	quoted := func(words []string) string { return `["` + strings.Join(words, `", "`) + `"]` }
	s := configured(t, imaged(t), "amd64").Config
	check := s.Healthcheck
	_, volume := s.Volumes[lines["VOLUME"]]
	_, port := s.ExposedPorts[lines["EXPOSE"]+"/tcp"]
	for name, want := range map[string]string{
		"USER": s.User, "WORKDIR": s.WorkingDir, "ENV": strings.Join(s.Env, " "), "ENTRYPOINT": quoted(s.Entrypoint), "CMD": quoted(s.Cmd),
		"HEALTHCHECK": fmt.Sprintf("--interval=%gs --timeout=%gs --start-period=%gs CMD %s", check.Interval.Seconds(), check.Timeout.Seconds(), check.StartPeriod.Seconds(), quoted(check.Test[1:])),
	} {
		if lines[name] != want {
			t.Errorf("the Dockerfile has %s %s, the image %s", name, lines[name], want)
		}
	}
	if !volume || !port {
		t.Errorf("the Dockerfile has the volume %s and the port %s, the image %v and %v", lines["VOLUME"], lines["EXPOSE"], s.Volumes, s.ExposedPorts)
	}
}

// contained runs a command in a directory as a container would: as the user of the image, with a root that nobody can
// write to, and nothing of this machine but the network. data is the volume; empty: none.
func (r root) contained(c configuration, data string, env []string, args ...string) *exec.Cmd {
	const enter = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && { test -z "$2" || mount --bind "$2" "$1/data"; } && root=$1 && user=$3 && shift 3 && exec chroot --userspec="$user" --groups= "$root" "$@"`
	cmd := exec.Command("unshare", append([]string{"--mount", "sh", "-c", enter, "sh", r.dir, data, c.Config.User}, append(c.Config.Entrypoint, args...)...)...)
	cmd.Env = slices.Concat([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, c.Config.Env, []string{"CARILLON_ADDR=127.0.0.1:0"}, env)
	return cmd
}

// contains runs the image of a release on one machine, where it writes to its volume, and with PostgreSQL and Redis beside
// it, where it writes nothing.
func contains(t *testing.T, dir string, files []string) {
	t.Helper()
	archive := filepath.Join(dir, find(t, files, "_oci.tar"))
	c := configured(t, archive, here[0].arch)
	r := root{unpackImage(t, archive, here[0].arch)}
	r.link(t)
	r.libraries(t, filepath.Join(r.dir, "carillon")) // a release is static
	data := t.TempDir()
	if err := os.Chown(data, nonroot, nonroot); err != nil {
		t.Fatal(err)
	}
	database, err := url.Parse(sqltest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	query := database.Query() // the container has no sockets of this machine
	database.Host = faulty.Listen(t, "unix", filepath.Join(query.Get("host"), ".s.PGSQL.5432")).Addr()
	query.Del("host")
	database.RawQuery = query.Encode()
	redis := faulty.Listen(t, "unix", redistest.Own(t).Socket).URL("redis")
	outside := []string{"CARILLON_DATABASE_URL=" + database.String(), "CARILLON_REDIS_URL=" + redis, "CARILLON_SESSION_KEYS=" + strings.Repeat("ab", 32)}
	for name, run := range map[string]struct {
		data string
		env  []string
	}{"one machine": {data: data}, "several machines": {env: outside}} {
		t.Run(name, func(t *testing.T) {
			answers(t, r.contained(c, run.data, run.env, c.Config.Cmd...), func(address string) {
				health := r.contained(c, run.data, append(run.env, "CARILLON_ADDR="+address), c.Config.Healthcheck.Test[2:]...)
				if text, err := health.CombinedOutput(); err != nil || string(text) != "ok\n" {
					t.Errorf("the health check: %v: %s", err, text)
				}
			})
		})
	}
	if written, err := os.ReadDir(data); err != nil || len(written) == 0 {
		t.Errorf("%v: the volume has %v", err, written)
	}
}
