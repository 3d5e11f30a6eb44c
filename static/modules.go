package static

import (
	"path"
	"regexp"
	"slices"
)

// imports finds what a built module needs before it runs. What it fetches when it
// is needed, by import(…), is not among it.
var imports = regexp.MustCompile(`(?:from|import) ?"(\./[a-z/.-]+)"`)

// Modules is the addresses of all that a module imports, and what those import,
// so that a page can ask for all of them at once.
func (f *Files) Modules(name string) []string {
	var found []string
	for next := []string{name}; len(next) > 0; {
		module := next[0]
		next = next[1:]
		for _, m := range imports.FindAllSubmatch(f.files[module].plain, -1) {
			imported := path.Join(path.Dir(module), string(m[1]))
			if address := f.Path(imported); imported != name && !slices.Contains(found, address) {
				found = append(found, address)
				next = append(next, imported)
			}
		}
	}
	slices.Sort(found)
	return found
}
