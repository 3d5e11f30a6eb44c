package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nonroot is the user and the group of the image. Kubernetes compares the number, so no name would do.
const nonroot = 65532

// settings are what the image runs and how, in the form of the OCI, and of Docker for the health check, which the
// OCI has no field for. The Dockerfile has the same; a test compares them.
type settings struct {
	User         string              `json:"User"`
	ExposedPorts map[string]struct{} `json:"ExposedPorts"`
	Env          []string            `json:"Env"`
	Entrypoint   []string            `json:"Entrypoint"`
	Cmd          []string            `json:"Cmd"`
	Volumes      map[string]struct{} `json:"Volumes"`
	WorkingDir   string              `json:"WorkingDir"`
	Labels       map[string]string   `json:"Labels"`
	Healthcheck  health              `json:"Healthcheck"`
}

// health is a health check. Its times are in nanoseconds.
type health struct {
	Test        []string
	Interval    time.Duration
	Timeout     time.Duration
	StartPeriod time.Duration
}

// program is the binary for an architecture of Linux.
type program struct {
	arch   string
	binary []byte
}

// configuration is the document of an image for one architecture.
type configuration struct {
	Created      time.Time `json:"created"`
	Architecture string    `json:"architecture"`
	System       string    `json:"os"`
	Config       settings  `json:"config"`
	Root         struct {
		Type  string   `json:"type"`
		Diffs []string `json:"diff_ids"` // the sums of the layers before compression
	} `json:"rootfs"`
}

// settings returns what the image runs. SQLite puts the files of large sorts in the working directory where there is no
// other that it may write to: the root is meant to be read-only.
func (r release) settings(labels map[string]string) settings {
	return settings{
		User:         fmt.Sprintf("%d:%[1]d", nonroot),
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Env:          []string{"CARILLON_ADDR=0.0.0.0:8080", "CARILLON_DATA_DIR=/data"},
		Entrypoint:   []string{"/carillon"},
		Cmd:          []string{"serve"},
		Volumes:      map[string]struct{}{"/data": {}},
		WorkingDir:   "/data",
		Labels:       labels,
		Healthcheck:  health{[]string{"CMD", "/carillon", "health"}, 10 * time.Second, 5 * time.Second, time.Minute},
	}
}

// image writes an OCI image of these programs, as an archive that docker load, podman load and skopeo read.
func (r release) image(ctx context.Context, programs []program) error {
	commit, err := git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	labels := map[string]string{
		"org.opencontainers.image.title":    "Carillon",
		"org.opencontainers.image.version":  r.version,
		"org.opencontainers.image.revision": commit,
		"org.opencontainers.image.created":  r.time.Format(time.RFC3339),
		"org.opencontainers.image.source":   "https://github.com/carillonhq/carillon",
		"org.opencontainers.image.licenses": "Apache-2.0",
	}
	common, err := r.common()
	if err != nil {
		return err
	}
	l := newLayout()
	var manifests []descriptor
	for _, p := range programs {
		layers := []layer{{common, 0}, {[]file{{"data/", nil, 0o700}}, nonroot}, {[]file{{"carillon", p.binary, 0o755}}, 0}}
		d, err := r.manifest(l, p.arch, r.settings(labels), layers)
		if err != nil {
			return err
		}
		manifests = append(manifests, d)
	}
	list, err := l.document(indexType, index{Version: 2, Type: indexType, Manifests: manifests, Annotations: labels})
	if err != nil {
		return err
	}
	// A tag has no +, and docker load gives the image the name that containerd knows.
	tag := strings.ReplaceAll(r.version, "+", "_")
	list.Annotations = map[string]string{"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": "docker.io/library/carillon:" + tag}
	files, err := l.files(index{Version: 2, Type: indexType, Manifests: []descriptor{list}})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := r.pack(&archive, layer{files, 0}); err != nil {
		return err
	}
	to := filepath.Join(r.dir, fmt.Sprintf("carillon_%s_oci.tar", r.version))
	return os.WriteFile(to, archive.Bytes(), 0o644) //nolint:gosec // a release is public
}

// manifest adds the image for one architecture to a layout.
func (r release) manifest(l *layout, arch string, config settings, layers []layer) (descriptor, error) {
	c := configuration{Created: r.time, Architecture: arch, System: "linux", Config: config}
	c.Root.Type = "layers"
	m := manifest{Version: 2, Type: manifestType}
	for _, layer := range layers {
		var tar bytes.Buffer
		if err := r.pack(&tar, layer); err != nil {
			return descriptor{}, err
		}
		c.Root.Diffs = append(c.Root.Diffs, digest(tar.Bytes()))
		zip, err := zipped(tar.Bytes(), gzip.DefaultCompression)
		if err != nil {
			return descriptor{}, err
		}
		m.Layers = append(m.Layers, l.add(layerType, zip))
	}
	var err error
	if m.Config, err = l.document(configType, c); err != nil {
		return descriptor{}, err
	}
	d, err := l.document(manifestType, m)
	d.Platform = &platform{arch, "linux"}
	return d, err
}

// common lists what the image has beside the program and an empty directory for its data: the authorities that sign
// certificates, from a module, so that they do not depend on the machine; a name for its user; and the licences. The
// program has the time zones in itself.
func (r release) common() ([]file, error) {
	var authorities bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue // a file cannot say that it certifies some sites only
		}
		if err := pem.Encode(&authorities, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	files := []file{
		{"etc/passwd", fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%[1]d:nonroot:/data:/sbin/nologin\n", nonroot), 0o644},
		{"etc/group", fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", nonroot), 0o644},
		{"etc/ssl/certs/ca-certificates.crt", authorities.Bytes(), 0o644},
	}
	for _, name := range []string{"LICENSE", "cmd/carillon/licences.txt"} {
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"licences/" + filepath.Base(name), content, 0o644})
	}
	return files, nil
}

// digest returns the name of content in an image.
func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// document adds a document in JSON.
func (l *layout) document(kind string, of any) (descriptor, error) {
	text, err := json.Marshal(of)
	return l.add(kind, text), err
}
