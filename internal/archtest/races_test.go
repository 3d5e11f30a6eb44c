package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unraced contains the packages that start goroutines but are tested without the race detector by `make test`, with
// the reason. `make race` tests them with it.
var unraced = map[string]string{
	"api":                "one goroutine, which shares nothing but its result",
	"examples/warehouse": "has no tests",
	"internal/redistest": "a kit for tests",
	"internal/sqltest":   "a kit for tests",
}

var racesLine = regexp.MustCompile(`(?m)^RACES\s*= (.*?)\$\$$`)

// TestPackagesWithGoroutinesAreTestedForRaces reads the pattern of the Makefile.
func TestPackagesWithGoroutinesAreTestedForRaces(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root(t), "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	line := racesLine.FindSubmatch(text)
	if line == nil {
		t.Fatal("the Makefile has no RACES")
	}
	raced := regexp.MustCompile(string(line[1]) + "$")
	used := map[string]bool{}
	for _, file := range files(t, ".go") {
		pkg := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(pkg, "e2e") || strings.HasPrefix(pkg, "bench") || !startsGoroutines(t, file) {
			continue
		}
		used[pkg] = true
		if _, known := unraced[pkg]; !known && !raced.MatchString(module+"/"+pkg) {
			t.Errorf("%s starts a goroutine: add %s to RACES in the Makefile", file, pkg)
		}
	}
	for pkg := range unraced {
		if !used[pkg] {
			t.Errorf("%s starts no goroutine: remove it from the exceptions", pkg)
		}
	}
}

// startsGoroutines reports whether a file has a go statement or calls a method Go, such as WaitGroup.Go.
func startsGoroutines(t *testing.T, file string) (found bool) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), file), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.SelectorExpr:
			found = found || n.Sel.Name == "Go"
		}
		return !found
	})
	return found
}
