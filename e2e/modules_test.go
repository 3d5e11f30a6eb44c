package e2e

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/views/locale"
)

// blank is an empty page with a language and its texts.
var blank = template.Must(template.New("blank").Parse(
	`<!DOCTYPE html><html lang="{{.Lang}}"><meta charset="utf-8"><title>Carillon</title><body data-user="alice" data-texts="{{.FormsScript}}">`))

// workshop serves the modules from the source tree, their tests, blank pages in each language, and
// responses with any status that a test asks for.
func workshop(t *testing.T) *instance {
	t.Helper()
	texts, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /blank/{lang}", func(w http.ResponseWriter, r *http.Request) {
		if err := blank.Execute(w, texts.For(r.PathValue("lang"), "")); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("GET /answer/{status}", func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.PathValue("status"))
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
	})
	for _, dir := range []string{"static/js/", "static/embed/", "e2e/testdata/modules/"} {
		files := http.FileServerFS(os.DirFS(".."))
		mux.HandleFunc("GET /"+dir, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			files.ServeHTTP(w, r)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return &instance{t: t, url: server.URL}
}

// result is the result of one test of a module. Fault is empty if it passed.
type result struct{ Name, Fault string }

func TestJavaScriptModulesPassTheirTestsInTheBrowser(t *testing.T) {
	t.Parallel()
	site := workshop(t)
	files, err := filepath.Glob("testdata/modules/*.test.js")
	if err != nil || len(files) < 6 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		langs := []string{"en"}
		if filepath.Base(file) == "texts.test.js" {
			langs = []string{"en", "ja", "zh-Hans", "zh-Hant"}
		}
		for _, lang := range langs {
			t.Run(filepath.Base(file)+" "+lang, func(t *testing.T) {
				t.Parallel()
				results := open(t, &instance{t: t, url: site.url}).runModule(file, lang)
				if len(results) == 0 {
					t.Error("the file has no tests")
				}
				for _, r := range results {
					t.Run(r.Name, func(t *testing.T) {
						t.Parallel()
						if r.Fault != "" {
							t.Error(r.Fault)
						}
					})
				}
			})
		}
	}
}

func (w *window) runModule(file, lang string) []result {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	w.do(chromedp.Navigate(w.url + "/blank/" + lang))
	run := fmt.Sprintf(`import("/e2e/%s").then(() => import("/e2e/testdata/modules/check.js")).then(m => m.run())
		.then(all => all.map(({name, fault}) => ({Name: name, Fault: fault})))`, filepath.ToSlash(file))
	results, err := chromedp.Run(ctx, chromedp.Evaluate[[]result](run, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("run %s: %v", file, err)
	}
	return results
}
