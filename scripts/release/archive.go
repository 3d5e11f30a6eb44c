package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"os"
	"path"
	"path/filepath"
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
var recipes = []string{"nginx*.conf", "Caddyfile*", "carillon.service", "compose.yaml", "prometheus/alerts.yml", "grafana/*.json"}

// contents lists the files of an archive.
func (r release) contents(binary string) ([]file, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
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

// archive writes files below a directory of their own, with the time of the commit.
func (r release) archive(to, dir string, files []file) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	zip, err := gzip.NewWriterLevel(out, gzip.DefaultCompression)
	if err != nil {
		return err
	}
	pack := tar.NewWriter(zip)
	for _, f := range files {
		head := &tar.Header{Name: path.Join(dir, f.name), Mode: f.mode, Size: int64(len(f.content)), ModTime: r.time, Format: tar.FormatUSTAR}
		if err := pack.WriteHeader(head); err != nil {
			return err
		}
		if _, err := pack.Write(f.content); err != nil {
			return err
		}
	}
	return errors.Join(pack.Close(), zip.Close(), out.Close())
}
