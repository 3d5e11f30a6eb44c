package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// file is a file of an archive or a package.
type file struct {
	name    string // with slashes, relative
	content []byte
	mode    int64
}

// documents are the files that accompany the binary everywhere, by their names in the repository.
var documents = []string{"LICENSE", "CHANGELOG.md", "cmd/carillon/licences.txt"}

// recipes are the parts of deploy that an administrator copies.
var recipes = []string{"nginx*.conf", "Caddyfile*", "apache*.conf", "traefik*.yaml", "carillon.service", "compose.yaml", "prometheus/alerts.yml", "grafana/*.json"}

// contents lists the files of an archive.
func (r release) contents(program []byte) ([]file, error) {
	files := []file{{"carillon", program, 0o755}}
	for _, name := range documents {
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{path.Base(name), content, 0o644})
	}
	examples, err := r.recipes("deploy")
	return append(files, examples...), err
}

// recipes reads the recipes, as files below a directory.
func (r release) recipes(dir string) ([]file, error) {
	var files []file
	for _, pattern := range recipes {
		names, err := filepath.Glob(filepath.Join(r.root, "deploy", pattern))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, errors.New("deploy has no " + pattern)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files = append(files, file{path.Join(dir, strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(name, r.root)), "/deploy/")), content, 0o644})
		}
	}
	return files, nil
}

// layer is files that have one owner.
type layer struct {
	files []file
	owner int
}

// archive writes files below a directory of their own, compressed.
func (r release) archive(to, dir string, files []file) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	zip, err := gzip.NewWriterLevel(out, gzip.DefaultCompression)
	if err != nil {
		return err
	}
	below := slices.Clone(files)
	for i := range below {
		below[i].name = path.Join(dir, below[i].name)
	}
	err = r.pack(zip, layer{below, 0})
	return errors.Join(err, zip.Close(), out.Close())
}

// pack writes files in the format of tar, with the time of the commit. A name that ends in / is a directory.
func (r release) pack(to io.Writer, of layer) error {
	pack := tar.NewWriter(to)
	for _, f := range of.files {
		head := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: r.time, Uid: of.owner, Gid: of.owner, Format: tar.FormatUSTAR}
		if err := pack.WriteHeader(head); err != nil {
			return err
		}
		if _, err := pack.Write(f.content); err != nil {
			return err
		}
	}
	return pack.Close()
}
