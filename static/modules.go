package static

import (
	"path"
	"regexp"
	"slices"
)

// imports matches the modules that a built module needs before it runs. Those that
// it loads on demand, by import(…), are left out.
var imports = regexp.MustCompile(`(?:from|import) ?"(\./[a-z/.-]+)"`)

// Modules returns the addresses of all modules that a module imports, directly or
// indirectly, so that a page can request all of them together.
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
