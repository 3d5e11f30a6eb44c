package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/carillonhq/carillon"

// unkept contains the directories that are not part of the repository, or contain no sources.
var unkept = []string{"node_modules", "data", "bin", "testdata"}

// source is one Go file other than a test.
type source struct {
	path    string // relative to the root, with slashes
	pkg     string // its directory; "." is the root
	doc     bool   // whether it has a package comment
	imports []string
}

// root returns the directory of go.mod. Tests run in the directory of their package.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err = os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the tests")
		}
		dir = filepath.Dir(dir)
	}
}

// files lists the files with a suffix, relative to the root.
func files(t *testing.T, suffix string) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(root(t)), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(unkept, d.Name())):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, suffix):
			all = append(all, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("no file ends in %s: this test searches the wrong directory", suffix)
	}
	return all
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	for _, name := range files(t, ".go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), name), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		s := source{path: name, pkg: path.Dir(name), doc: f.Doc != nil}
		for _, i := range f.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			s.imports = append(s.imports, imported)
		}
		all = append(all, s)
	}
	return all
}
