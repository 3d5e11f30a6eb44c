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
	"github.com/google/go-cmp/cmp"

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

func TestThePageDescribesEveryCallWithItsCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, _ := w.docsPage(t)
	for _, c := range w.calls {
		heading := doc.Find("h3#" + c.id)
		if heading.Length() != 1 || heading.Text() != c.summary {
			t.Errorf("%s: %d headings, %q", c.id, heading.Length(), heading.Text())
		}
		article := heading.Closest("article")
		if by := article.AttrOr("aria-labelledby", ""); by != c.id {
			t.Errorf("%s: its article is labelled by %q", c.id, by)
		}
		if anchor := article.Find("a.anchor"); anchor.AttrOr("href", "") != "#"+c.id || !strings.Contains(anchor.Text(), c.summary) {
			t.Errorf("%s: its link leads to %q and has the text %q", c.id, anchor.AttrOr("href", ""), anchor.Text())
		}
		if got := article.Find("pre").Length(); got != len(c.examples) {
			t.Errorf("%s: %d commands, want %d", c.id, got, len(c.examples))
		}
		if address := article.Find("code.address").Text(); address != c.method+" "+prefix+c.path {
			t.Errorf("%s is at %q", c.id, address)
		}
	}
}

// The page has its contents twice: beside the text on a desktop, and folded above it on a phone.
func TestBothContentsListEveryHeadingInTheOrderOfThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, _ := w.docsPage(t)
	var want []string
	doc.Find("main h2, main h3").Each(func(_ int, heading *goquery.Selection) {
		want = append(want, "#"+heading.AttrOr("id", "")+" "+heading.Text())
	})
	if first := doc.Find("main h2").Eq(1).Text(); len(want) < len(w.calls) || first != groupNotices {
		t.Errorf("%d headings; the one after the introduction is %s", len(want), first)
	}
	for sel, called := range map[string]string{"body > .frame > nav": "Contents", "details > nav": "On this page"} {
		contents, got := doc.Find(sel), []string(nil)
		contents.Find("a").Each(func(_ int, a *goquery.Selection) {
			got = append(got, a.AttrOr("href", "")+" "+a.Text())
		})
		if name := contents.AttrOr("aria-label", ""); name != called {
			t.Errorf("%s is called %q", sel, name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-headings +contents):\n%s", sel, diff)
		}
	}
}

func TestEveryLinkWithinThePageLeadsToOneElement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, _ := w.docsPage(t)
	ids := map[string]int{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) { ids[s.AttrOr("id", "")]++ })
	links := doc.Find(`a[href^="#"]`)
	links.Each(func(_ int, a *goquery.Selection) {
		if id := strings.TrimPrefix(a.AttrOr("href", ""), "#"); ids[id] != 1 {
			t.Errorf("%q leads to #%s, the id of %d elements", a.Text(), id, ids[id])
		}
	})
	if links.Length() < 3*len(w.calls) {
		t.Errorf("%d links for %d calls", links.Length(), len(w.calls))
	}
	if back := doc.Find(`header nav a[href="/staff/keys"]`).Text(); back != "Staff pages: API keys" {
		t.Errorf("the link back to the staff pages has the text %q", back)
	}
}

// On a phone each row is a card, and its values have only these labels.
func TestEveryValueOfATableIsLabelledLikeItsColumn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, _ := w.docsPage(t)
	tables := doc.Find("table")
	tables.Each(func(_ int, table *goquery.Selection) {
		heads := table.Find("thead th").Map(func(_ int, th *goquery.Selection) string { return th.Text() })
		table.Find("tbody tr").Each(func(_ int, row *goquery.Selection) {
			labels := row.Children().Map(func(_ int, cell *goquery.Selection) string { return cell.AttrOr("data-label", "") })
			if diff := cmp.Diff(heads, labels); diff != "" {
				t.Errorf("%s, %s (-heads +labels):\n%s", table.Find("caption").Text(), row.Find("th").Text(), diff)
			}
		})
	})
	if tables.Length() == 0 {
		t.Error("no table")
	}
}

func TestThePageLoadsNothingFromOtherHostsAndRunsNoScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc, res := w.docsPage(t)
	if got := res.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || strings.Contains(got, "script") || strings.Contains(got, "unsafe") {
		t.Errorf("policy %q", got)
	}
	if n := doc.Find("script, iframe, [style], [onclick], style").Length(); n != 0 {
		t.Errorf("%d elements that the policy forbids", n)
	}
	files, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	doc.Find("link").Each(func(_ int, s *goquery.Selection) {
		address := s.AttrOr("href", "")
		if address != prefix+"/docs.css" && address != files.Path("css/app.css") && address != files.Path("icons/bell.svg") {
			t.Errorf("the page loads %s", address)
		}
	})
	if w.call(t, "", "GET", "/docs.css", nil).is(t, http.StatusOK).Header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Error("the style sheet has another Content-Type")
	}
}

func TestTheRootLeadsToThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if res := w.call(t, "", "GET", "/", nil).is(t, http.StatusSeeOther); res.Header.Get("Location") != prefix+"/docs" {
		t.Errorf("%v", res.Header)
	}
}

func TestCommandsBeginWithTheAddressOfThePage(t *testing.T) {
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

// arguments returns the arguments of a command as a shell reads them: curl is a function that
// prints each of its arguments with a zero byte after it.
func arguments(t *testing.T, command, key, token string) []string {
	t.Helper()
	if !strings.HasPrefix(command, "curl ") {
		t.Fatalf("the command is %s", command)
	}
	sh := exec.CommandContext(t.Context(), "sh", "-eu", "-c", `curl() { printf '%s\0' "$@"; }`+"\n"+command)
	sh.Env = []string{"CARILLON_KEY=" + key, "CARILLON_TOKEN=" + token}
	var out, faults bytes.Buffer
	sh.Stdout, sh.Stderr = &out, &faults
	if err := sh.Run(); err != nil {
		t.Fatalf("%v: %s in %s", err, faults.String(), command)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00")
}

// The commands are taken from the page, read by a shell and sent in the order of the page.
func TestTheCommandsOfThePageWorkWhenCopied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, briefStreams)
	w.demonstrate(t)
	_, res := w.docsPage(t, "Host", "example.com")
	refused := map[string]bool{} // examples of a refusal
	for _, c := range w.calls {
		for _, e := range c.examples {
			path := c.path
			for name, value := range e.params {
				path = strings.Replace(path, "{"+name+"}", value, 1)
			}
			refused[c.method+" "+path] = e.status >= 300
		}
	}
	made := 0
	for _, m := range regexp.MustCompile(`(?s)<pre><code>(curl .*?)</code></pre>`).FindAllStringSubmatch(res.text, -1) {
		method, address, body := "GET", "", any(nil)
		var headers []string
		args := arguments(t, html.UnescapeString(m[1]), w.admin, w.bob)
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
			t.Fatalf("%s is not an address of the API", address)
		}
		if got := w.call(t, "", method, path, body, headers...); got.StatusCode >= 300 && !refused[method+" "+path] {
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

func TestQuotedWordsSurviveTheShell(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"a b", "it's", "$HOME", "`x`", `a"b\`, "two\nlines", "''", "!", "*"} {
		if got := arguments(t, "curl "+quoted(word), "", ""); len(got) != 1 || got[0] != word {
			t.Errorf("%q is read as %q", word, got)
		}
	}
}
