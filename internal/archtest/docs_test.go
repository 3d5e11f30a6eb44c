package archtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A row of the table in docs/architecture.md: | `package` | responsibility | `import`, `import` |
var packageRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\| ([^|]*) \\|$")

// untabled contains the trees that the table omits: nothing imports them.
var untabled = []string{".", "bench", "clients", "e2e", "examples", "scripts", "deploy"}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// importGraph maps each package in the table to its imports from this module.
func importGraph(t *testing.T) map[string][]string {
	t.Helper()
	graph := map[string][]string{}
	for _, s := range sources(t) {
		if slices.ContainsFunc(untabled, func(tree string) bool { return within(s.pkg, tree) }) {
			continue
		}
		if _, ok := graph[s.pkg]; !ok {
			graph[s.pkg] = nil
		}
		for _, imported := range s.imports {
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				graph[s.pkg] = append(graph[s.pkg], own)
			}
		}
	}
	for pkg, imports := range graph {
		slices.Sort(imports)
		graph[pkg] = slices.Compact(imports)
	}
	return graph
}

// importCell returns the last cell of a package's row.
func importCell(imports []string) string {
	if len(imports) == 0 {
		return "–"
	}
	return "`" + strings.Join(imports, "`, `") + "`"
}

func TestArchitectureTableMatchesTheImportGraph(t *testing.T) {
	t.Parallel()
	graph, seen := importGraph(t), map[string]bool{}
	for _, row := range packageRow.FindAllStringSubmatch(document(t, "docs/architecture.md"), -1) {
		pkg, responsibility, cell := row[1], row[2], row[3]
		imports, ok := graph[pkg]
		switch {
		case !ok:
			t.Errorf("docs/architecture.md: the table lists %s, which does not exist: delete its row", pkg)
		case seen[pkg]:
			t.Errorf("docs/architecture.md: the table lists %s twice: delete one row", pkg)
		case cell != importCell(imports):
			t.Errorf("docs/architecture.md: the imports of %s have changed. Replace its row with:\n| `%s` | %s | %s |", pkg, pkg, responsibility, importCell(imports))
		}
		seen[pkg] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(graph)) {
		if !seen[pkg] {
			t.Errorf("docs/architecture.md: the table lacks %s. Add this row with the responsibility of the package:\n| `%s` | … | %s |", pkg, pkg, importCell(graph[pkg]))
		}
	}
}

// documentedTree returns the lines of the first fenced block after the heading "The tree": each directory
// with its description.
func documentedTree(t *testing.T) map[string]string {
	t.Helper()
	_, after, ok := strings.Cut(document(t, "CONTRIBUTING.md"), "\n## The tree\n")
	_, block, fenced := strings.Cut(after, "```\n")
	block, _, closed := strings.Cut(block, "```")
	if !ok || !fenced || !closed {
		t.Fatal("CONTRIBUTING.md: no fenced block below the heading `## The tree`")
	}
	tree := map[string]string{}
	for line := range strings.Lines(block) {
		dir, description, _ := strings.Cut(strings.TrimSpace(line), " ")
		if dir = strings.TrimSuffix(dir, "/"); tree[dir] != "" {
			t.Errorf("CONTRIBUTING.md: the tree lists %s/ twice", dir)
		}
		tree[dir] = strings.TrimSpace(description)
	}
	return tree
}

func TestTheTreeNamesEveryDirectory(t *testing.T) {
	t.Parallel()
	wanted := map[string]bool{}
	for _, d := range topDirectories(t) {
		wanted[d] = true
	}
	for pkg := range importGraph(t) {
		if within(pkg, "internal") || within(pkg, "notifier") {
			wanted[pkg] = true
		}
	}
	delete(wanted, "internal") // its packages have separate lines
	delete(wanted, "cmd")
	wanted["cmd/carillon"] = true
	tree := documentedTree(t)
	for _, dir := range slices.Sorted(maps.Keys(wanted)) {
		if tree[dir] == "" {
			t.Errorf("CONTRIBUTING.md: the tree lacks %s/. Add a line to the block below `## The tree`:\n%s", dir, fmt.Sprintf("%-25s(what it is)", dir+"/"))
		}
	}
	for dir := range tree {
		if info, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(dir))); err != nil || !info.IsDir() {
			t.Errorf("CONTRIBUTING.md: the tree lists %s/, which does not exist: delete its line", dir)
		}
	}
}

// topDirectories lists the directories next to go.mod that are part of the repository.
func topDirectories(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(unkept, e.Name()) {
			dirs = append(dirs, e.Name())
		}
	}
	return dirs
}
