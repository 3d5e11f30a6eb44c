package archtest

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// lua is one script, or a function that scripts of its package share.
type lua struct {
	path, name, src string
	shared          bool
	uses, calls     []string // files of the package, by name: those in the header, and those in the body
}

// luaFiles returns the .lua files of each package, by name.
func luaFiles(t *testing.T) map[string]map[string]*lua {
	t.Helper()
	all := map[string]map[string]*lua{}
	for _, file := range files(t, ".lua") {
		text, err := os.ReadFile(filepath.Join(root(t), file))
		if err != nil {
			t.Fatal(err)
		}
		l := &lua{path: file, name: strings.TrimSuffix(path.Base(file), ".lua"), src: string(text)}
		header, _ := cutHeader(l.src)
		l.shared = strings.Contains(header, "\n-- shared\n")
		if m := regexp.MustCompile(`(?m)^-- uses: (.*)$`).FindStringSubmatch(header); m != nil {
			l.uses = strings.Split(m[1], ", ")
		}
		if all[path.Dir(file)] == nil {
			all[path.Dir(file)] = map[string]*lua{}
		}
		all[path.Dir(file)][l.name] = l
	}
	for _, pkg := range all {
		for _, l := range pkg {
			_, body := cutHeader(l.src)
			for _, name := range slices.Sorted(maps.Keys(pkg)) {
				if other := pkg[name]; other != l && other.shared && regexp.MustCompile(`\b`+name+`\(`).MatchString(code(body)) {
					l.calls = append(l.calls, name)
				}
			}
		}
	}
	return all
}

// code returns a body without its comments.
func code(body string) string { return regexp.MustCompile(`--.*`).ReplaceAllString(body, "") }

func TestEveryScriptMatchesItsHeader(t *testing.T) {
	t.Parallel()
	for _, pkg := range luaFiles(t) {
		for _, l := range pkg {
			if err := checkHeader(l.src); err != nil {
				t.Errorf("%s:\n%v", l.path, err)
			}
			if first, _, _ := strings.Cut(l.src, ":"); first != "-- "+path.Base(l.path) {
				t.Errorf("%s: its header begins with %q", l.path, strings.TrimPrefix(first, "-- "))
			}
			if !slices.Equal(l.uses, l.calls) {
				t.Errorf("%s: the header has `uses: %s`, but the body calls %s", l.path, strings.Join(l.uses, ", "), strings.Join(l.calls, ", "))
			}
		}
	}
}

func TestASharedFileDefinesTheFunctionOfItsName(t *testing.T) {
	t.Parallel()
	for _, pkg := range luaFiles(t) {
		for _, l := range pkg {
			if defines := strings.Contains(l.src, "\nlocal function "+l.name+"("); defines != l.shared {
				t.Errorf("%s: shared is %v in the header; whether it defines %s() is %v", l.path, l.shared, l.name, defines)
			}
		}
	}
}

func TestEachScriptIsUsed(t *testing.T) {
	t.Parallel()
	for dir, pkg := range luaFiles(t) {
		text := goCode(t, dir)
		for _, l := range pkg {
			used := strings.Contains(text, `scripts.Get("`+l.name+`")`)
			if l.shared {
				used = slices.ContainsFunc(slices.Collect(maps.Values(pkg)), func(other *lua) bool { return slices.Contains(other.calls, l.name) })
			}
			if !used {
				t.Errorf("%s is not used", l.path)
			}
		}
	}
}

// goCode returns the Go files of a package, except tests, as one text.
func goCode(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, s := range sources(t) {
		if s.pkg != dir {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), s.path))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
