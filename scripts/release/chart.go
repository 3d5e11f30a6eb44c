package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// versions are the lines of Chart.yaml that a release replaces: of the chart, and of Carillon, which is also the tag of
// its image.
var versions = []string{"version: 0.0.0", "appVersion: local"}

// chart writes the chart for Helm, under the name that helm package gives it.
func (r release) chart() error {
	tree := os.DirFS(filepath.Join(r.root, "deploy/helm/carillon"))
	var files []file
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, name) // of the file that a link leads to
		if err == nil && name == "Chart.yaml" {
			content, err = r.versioned(content)
		}
		files = append(files, file{name, content, 0o644})
		return err
	})
	if err != nil {
		return err
	}
	return r.archive(filepath.Join(r.dir, fmt.Sprintf("carillon-%s.tgz", r.version)), "carillon", files)
}

// versioned puts the version of the release into the description of the chart.
func (r release) versioned(text []byte) ([]byte, error) {
	for _, line := range versions {
		name, _, _ := strings.Cut(line, ":")
		from, to := []byte("\n"+line+"\n"), fmt.Appendf(nil, "\n%s: %q\n", name, r.version)
		if bytes.Count(text, from) != 1 {
			return nil, fmt.Errorf("not one line %q is in Chart.yaml", line)
		}
		text = bytes.Replace(text, from, to, 1)
	}
	return text, nil
}
