package static

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// serve returns the response to a GET, or nil if the address is not served.
func serve(t *testing.T, f *Files, address string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, address, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	if !f.Serve(rec, r) {
		return nil
	}
	return rec
}

func files(t *testing.T) *Files {
	t.Helper()
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAddressesAreImmutableAndChangeWithTheContent(t *testing.T) {
	t.Parallel()
	load := func(text string) *Files {
		f, err := load(fstest.MapFS{"js/a.js": {Data: []byte(text)}, "js/b.js": {Data: []byte("b")}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one, two := load("one"), load("two")
	if one.Path("js/b.js") == two.Path("js/b.js") {
		t.Error("a module kept its address although an import changed")
	}
	if one.Path("js/a.js") != load("one").Path("js/a.js") {
		t.Error("the same content has two addresses")
	}
	res := serve(t, one, one.Path("js/a.js"))
	if res == nil || !strings.Contains(res.Header().Get("Cache-Control"), "immutable") || res.Header().Get("Etag") == "" {
		t.Fatalf("served as %+v", res)
	}
	res = serve(t, one, one.Path("js/a.js"), "If-None-Match", res.Header().Get("Etag"))
	if res.Code != http.StatusNotModified {
		t.Errorf("status %d for a file that the browser has, want 304", res.Code)
	}
	for _, address := range []string{two.Path("js/a.js"), one.Path("js/none.js"), "/static/js/a.js", one.Path("../static.go")} {
		if serve(t, one, address) != nil {
			t.Errorf("%s is served", address)
		}
	}
}

func TestFilesAreServedCompressedWhenAccepted(t *testing.T) {
	t.Parallel()
	f := files(t)
	plain := serve(t, f, f.Path("css/app.css"))
	zipped := serve(t, f, f.Path("css/app.css"), "Accept-Encoding", "br, gzip;q=0.8")
	refused := serve(t, f, f.Path("css/app.css"), "Accept-Encoding", "gzip;q=0")
	if zipped.Header().Get("Content-Encoding") != "gzip" || plain.Header().Get("Content-Encoding") != "" || refused.Header().Get("Content-Encoding") != "" {
		t.Fatal("compression does not follow Accept-Encoding")
	}
	z, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	a, err1 := io.ReadAll(z)
	b, err2 := io.ReadAll(plain.Body)
	if err1 != nil || err2 != nil || string(a) != string(b) || len(a) == 0 {
		t.Errorf("%d bytes compressed, %d plain, %v %v", len(a), len(b), err1, err2)
	}
}

func TestBuiltModulesImportOnlyServedFilesByLiteralPaths(t *testing.T) {
	t.Parallel()
	f := files(t)

	seen := 0
	for name, file := range f.files {
		if !strings.HasPrefix(name, "built/") {
			continue
		}
		if file.kind != "text/javascript; charset=utf-8" {
			t.Errorf("%s is served as %q", name, file.kind)
		}
		found := imports.FindAllStringSubmatch(string(file.plain), -1)
		if n := strings.Count(string(file.plain), `from"./`); n != len(found) {
			t.Errorf("%s has %d imports, of which %d have a literal path", name, n, len(found))
		}
		for _, m := range found {
			seen++
			if _, ok := f.files[path.Join("built", m[1])]; !ok {
				t.Errorf("%s imports %s, which does not exist", name, m[1])
			}
		}
	}
	if seen == 0 {
		t.Error("no imports seen")
	}
}

func TestModulesAreShort(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("js/*.js")
	if err != nil || len(names) < 10 {
		t.Fatalf("found %v, %v", names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > 150 {
			t.Errorf("%s has %d lines", name, n)
		}
	}
}

func TestAllImportsOfAModuleArePreloaded(t *testing.T) {
	t.Parallel()
	f, err := load(fstest.MapFS{
		"js/app.js":    {Data: []byte("import { a } from \"./a.js\";\nimport { b } from \"./b.js\";\n")},
		"js/a.js":      {Data: []byte("import \"./b.js\";\nimport { app } from \"./app.js\";\n")},
		"js/b.js":      {Data: []byte("export { c } from \"./deep/c.js\";\n")},
		"js/deep/c.js": {Data: []byte("import(\"./other.js\");\n")},
		"js/other.js":  {Data: []byte("")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{f.Path("js/a.js"), f.Path("js/b.js"), f.Path("js/deep/c.js")}
	if got := f.Modules("js/app.js"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNoFileNamesAForeignHost(t *testing.T) {
	t.Parallel()
	host := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]+`)
	for name, file := range files(t).files {
		for _, found := range host.FindAllString(string(file.plain), -1) {
			known := strings.Contains(found, "www.w3.org") || strings.Contains(found, "tailwindcss.com")
			if !known && !strings.HasPrefix(name, "js/vendor/") {
				t.Errorf("%s names %s", name, found)
			}
		}
	}
}

// The style sheets of some pages omit the variables that the style sheet of all pages defines.
func TestTheStylesOfSomePagesUseOnlyDefinedVariables(t *testing.T) {
	t.Parallel()
	f := files(t)
	app := string(f.files["css/app.css"].plain)
	for _, sheet := range []string{"css/staff.css", "css/settings.css", "css/prose.css", "css/board.css"} {
		own := string(f.files[sheet].plain)
		uses := regexp.MustCompile(`var\((--[a-z0-9-]+)[,)]`).FindAllStringSubmatch(own, -1)
		if len(uses) == 0 {
			t.Errorf("%s uses no variables", sheet)
		}
		for _, use := range uses {
			if name := use[1]; name != "--tw-leading" && !strings.Contains(app+own, name+":") {
				t.Errorf("%s: %s is not defined", sheet, name)
			}
		}
	}
}
