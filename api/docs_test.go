package api

import (
	"bytes"
	"html"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/carillonhq/carillon/static"
)

func (w *world) docsPage(t *testing.T, headers ...string) (*goquery.Document, reply) {
	t.Helper()
	res := w.call(t, "", "GET", "/docs", nil, headers...).is(t, http.StatusOK)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(res.text))
	if err != nil {
		t.Fatal(err)
	}
	return doc, res
}

func TestThePageNamesEveryCallWithItsCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, _ := w.docsPage(t)
	for _, c := range w.calls {
		heading := doc.Find("h2#" + c.id)
		if heading.Length() != 1 || heading.Text() != c.summary || doc.Find(`nav a[href="#`+c.id+`"]`).Length() != 1 {
			t.Errorf("%s: %d headings, %q", c.id, heading.Length(), heading.Text())
		}
		section := heading.Parent()
		if got := section.Find("pre").Length(); got != len(c.examples) {
			t.Errorf("%s: %d commands, want %d", c.id, got, len(c.examples))
		}
		if address := section.Find("code.address").Text(); address != c.method+" "+prefix+c.path {
			t.Errorf("%s is at %q", c.id, address)
		}
	}
	first := doc.Find("nav h2").First().Text()
	if first != groupNotices {
		t.Errorf("it begins with %s", first)
	}
	ids := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		if id := s.AttrOr("id", ""); ids[id] {
			t.Errorf("two are %s", id)
		} else {
			ids[id] = true
		}
	})
}

func TestThePageLoadsNothingFromElsewhereAndRunsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, res := w.docsPage(t)
	if got := res.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || strings.Contains(got, "script") || strings.Contains(got, "unsafe") {
		t.Errorf("policy %q", got)
	}
	if n := doc.Find("script, iframe, [style], [onclick], style").Length(); n != 0 {
		t.Errorf("%d things that the policy forbids", n)
	}
	files, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	doc.Find("link").Each(func(_ int, s *goquery.Selection) {
		address := s.AttrOr("href", "")
		if address != prefix+"/docs.css" && address != files.Path("css/app.css") && address != files.Path("icons/bell.svg") {
			t.Errorf("it loads %s", address)
		}
	})
	if w.call(t, "", "GET", "/docs.css", nil).is(t, http.StatusOK).Header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Error("the style sheet is of another type")
	}
}

func TestTheRootLeadsToThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if res := w.call(t, "", "GET", "/", nil).is(t, http.StatusSeeOther); res.Header.Get("Location") != prefix+"/docs" {
		t.Errorf("%v", res.Header)
	}
}

func TestCommandsBeginWithWhereThePageWasAsked(t *testing.T) {
	t.Parallel()
	asked := func(w *world, host string) string {
		t.Helper()
		r := httptestRequest(t, host)
		return w.base(r)
	}
	w := newWorld(t)
	for host, want := range map[string]string{
		"shop.example:8080": "http://shop.example:8080", "[::1]:8080": "http://[::1]:8080", "localhost": "http://localhost",
		"x';rm -rf /;'": "http://localhost:8080", "<b>": "http://localhost:8080", "": "http://localhost:8080",
	} {
		if got := asked(w, host); got != want {
			t.Errorf("%q: %s, want %s", host, got, want)
		}
	}
	w = newWorld(t, func(c *Config) { c.PublicURL = "https://notices.example/" })
	if got := asked(w, "shop.example"); got != "https://notices.example" {
		t.Errorf("with a public address: %s", got)
	}
}

func httptestRequest(t *testing.T, host string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, prefix+"/docs", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	return r
}

// arguments is what a shell makes of a command: curl is a function that prints its
// arguments, each with a zero byte behind it.
func arguments(t *testing.T, command, key string) []string {
	t.Helper()
	if !strings.HasPrefix(command, "curl ") {
		t.Fatalf("the command is %s", command)
	}
	sh := exec.CommandContext(t.Context(), "sh", "-eu", "-c", `curl() { printf '%s\0' "$@"; }`+"\n"+command)
	sh.Env = []string{"CARILLON_KEY=" + key}
	var out, faults bytes.Buffer
	sh.Stdout, sh.Stderr = &out, &faults
	if err := sh.Run(); err != nil {
		t.Fatalf("%v: %s in %s", err, faults.String(), command)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00")
}

// The commands are taken from the page, read by a shell and made in the order in
// which they stand there.
func TestTheCommandsOfThePageWorkAsTheyAreCopied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.demonstrate(t)
	_, res := w.docsPage(t, "Host", "example.com")
	made := 0
	for _, m := range regexp.MustCompile(`(?s)<pre tabindex="0"><code>(curl .*?)</code></pre>`).FindAllStringSubmatch(res.text, -1) {
		method, address, body := "GET", "", any(nil)
		var headers []string
		args := arguments(t, html.UnescapeString(m[1]), w.admin)
		for i := 0; i < len(args); i++ {
			switch args[i] {
			case "-X":
				i++
				method = args[i]
			case "-d":
				i++
				body = args[i]
			case "-H":
				i++
				name, value, _ := strings.Cut(args[i], ": ")
				headers = append(headers, name, value)
			default:
				address = args[i]
			}
		}
		path, ok := strings.CutPrefix(address, "http://example.com"+prefix)
		if !ok {
			t.Fatalf("%s is elsewhere", address)
		}
		if got := w.call(t, "", method, path, body, headers...); got.StatusCode >= 300 {
			t.Errorf("%s %s: status %d: %s", method, path, got.StatusCode, got.text)
		}
		made++
	}
	examples := 0
	for _, c := range w.calls {
		examples += len(c.examples)
	}
	if made != examples {
		t.Errorf("%d commands for %d examples", made, examples)
	}
}

func TestAWordForTheShellMeansWhatItSays(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"a b", "it's", "$HOME", "`x`", `a"b\`, "two\nlines", "''", "!", "*"} {
		if got := arguments(t, "curl "+quoted(word), ""); len(got) != 1 || got[0] != word {
			t.Errorf("%q is read as %q", word, got)
		}
	}
}
