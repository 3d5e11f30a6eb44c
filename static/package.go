package static

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed built/embed/package embed/package/package.json embed/package/custom-elements.json embed/package/*.d.ts
var packaged embed.FS

// Package returns the files of the npm package for host applications, by their names in it.
func Package() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, dir := range []string{"built/embed/package", "embed/package"} {
		err := fs.WalkDir(packaged, dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			inside := strings.TrimPrefix(name, dir+"/")
			files[path.Clean(inside)], err = fs.ReadFile(packaged, name)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read the package: %w", err)
		}
	}
	return files, nil
}
