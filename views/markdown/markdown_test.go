package markdown_test

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/markdown"
)

var hosts, pictures = []string{"shop.example"}, []string{"cdn.example"}

func render(tb testing.TB, body string) string {
	tb.Helper()
	var b strings.Builder
	if err := markdown.New(hosts, pictures, "").Render(body, notifier.App{}).Render(tb.Context(), &b); err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func TestSubsetIsRendered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"nothing", "", ""},
		{"paragraphs", "One\n\nTwo", "<p>One</p>\n<p>Two</p>"},
		{"a line break is one", "One\nTwo", "<p>One<br>\nTwo</p>"},
		{"emphasis", "*a* **b** `c < d`", "<p><em>a</em> <strong>b</strong> <code>c &lt; d</code></p>"},
		{"fenced code without its language", "```go\na < b\n```", "<pre><code>a &lt; b\n</code></pre>"},
		{"code that is indented", "One\n\n    two", "<p>One</p>\n<pre><code>two\n</code></pre>"},
		{"a list", "- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"},
		{"a numbered list", "3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"the last short number", "998. a\n1. b", "<ol start=\"998\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"long numbers", "999. a\n1. b", "<ol start=\"999\" class=\"long\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"a quote", "> a", "<blockquote>\n<p>a</p>\n</blockquote>"},
		{"a rule", "a\n\n***", "<p>a</p>\n<hr>"},
		{"headings below the title", "# a\n## b\n### c\n#### d\n# e", "<h2>a</h2>\n<h3>b</h3>\n<h4>c</h4>\n<h4>d</h4>\n<h2>e</h2>"},
		{"headings leave no level out", "### a\n###### b\n# c\n### d", "<h2>a</h2>\n<h3>b</h3>\n<h2>c</h2>\n<h3>d</h3>"},
		{"a heading of nothing", "# ![](a)\nb", "<p>b</p>"},
		{"a path", "[x](/a?b=1&c=2 \"title\")", `<p><a href="/a?b=1&amp;c=2" rel="nofollow noopener">x</a></p>`},
		{"an allowed host", "[x](https://shop.example/a)", `<p><a href="https://shop.example/a" rel="nofollow noopener">x</a></p>`},
		{"a reference", "[x][1]\n\n[1]: /a", `<p><a href="/a" rel="nofollow noopener">x</a></p>`},
		{"an address", "<https://shop.example/a>", `<p><a href="https://shop.example/a" rel="nofollow noopener">https://shop.example/a</a></p>`},
		{"marks in a link", "[*x* `y`](/a)", `<p><a href="/a" rel="nofollow noopener"><em>x</em> <code>y</code></a></p>`},
		{"three languages", "**営業時間**の変更：营业时间", "<p><strong>営業時間</strong>の変更：营业时间</p>"},
	} {
		if got := render(t, test.body); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestLinksOfAnAppsTextLeadToItsPages(t *testing.T) {
	t.Parallel()
	shop := notifier.App{Origins: []string{"https://shop.example.com", "http://localhost:3000"}}
	crm := notifier.App{Origins: []string{"https://crm.example.com"}, AppPlaces: notifier.AppPlaces{Base: "https://crm.example.com/app"}}
	m := markdown.New(hosts, pictures, "https://bell.example")
	link := func(to string) string { return `<p><a href="` + to + `" rel="nofollow noopener">x</a></p>` }
	for _, test := range []struct {
		name, body, want string
		by               notifier.App
	}{
		{"a path", "[x](/a?b=1)", link("https://shop.example.com/a?b=1"), shop},
		{"the same path of another app", "[x](/a?b=1)", link("https://crm.example.com/app/a?b=1"), crm},
		{"the same path of no app", "[x](/a?b=1)", link("https://bell.example/a?b=1"), notifier.App{}},
		{"a page of the app", "[x](https://crm.example.com/a)", link("https://crm.example.com/a"), crm},
		{"one on the reader's own machine", "[x](http://localhost:3000/a)", link("http://localhost:3000/a"), shop},
		{"an allowed host", "[x](https://shop.example/a)", link("https://shop.example/a"), crm},
		{"a page of another app", "[x](https://crm.example.com/a)", "<p>x</p>", shop},
		{"an address in brackets", "<https://crm.example.com/a>", "<p><a href=\"https://crm.example.com/a\" rel=\"nofollow noopener\">https://crm.example.com/a</a></p>", crm},
		{"a script", "[x](javascript:alert(1))", "<p>x</p>", shop},
		{"another host by a path", "[x](//eve.example/a)", "<p>x</p>", shop},
		{"out of the base", "[x](/../a)", "<p>x</p>", crm},
	} {
		var b strings.Builder
		if err := m.Render(test.body, test.by).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(b.String()); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestPicturesOfAllowedHostsAreShown(t *testing.T) {
	t.Parallel()
	img := func(src, alt string) string {
		return `<img src="` + src + `" alt="` + alt + `" width="640" height="360" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
	}
	for _, test := range []struct{ name, body, want string }{
		{"a host", "![The *plan*](https://cdn.example/a.png)", "<p>" + img("https://cdn.example/a.png", "The plan") + "</p>"},
		{"a host below it", "See ![b](https://eu.cdn.example/b.png?w=1&h=2 'title').", "<p>See " + img("https://eu.cdn.example/b.png?w=1&amp;h=2", "b") + ".</p>"},
		{"a reference", "![b][1]\n\n[1]: https://cdn.example/b.png", "<p>" + img("https://cdn.example/b.png", "b") + "</p>"},
		{"no description", "![](https://cdn.example/b.png)", "<p>" + img("https://cdn.example/b.png", "") + "</p>"},
		{"two lines of description", "![a\nb](https://cdn.example/b.png)", "<p>" + img("https://cdn.example/b.png", "a b") + "</p>"},
		{"a link", "[![plan](https://cdn.example/b.png)](/b)", `<p><a href="/b" rel="nofollow noopener">` + img("https://cdn.example/b.png", "plan") + "</a></p>"},
		{"a heading of a picture alone", "# ![](https://cdn.example/b.png)\n## c", "<p>" + img("https://cdn.example/b.png", "") + "</p>\n<h2>c</h2>"},
		{"a quote in the description", `![a" onload="alert(1)](https://cdn.example/b.png)`, "<p>" + img("https://cdn.example/b.png", "a&#34; onload=&#34;alert(1)") + "</p>"},
		{"a quote in the address", `![a](https://cdn.example/b"onload="x)`, "<p>" + img("https://cdn.example/b%22onload=%22x", "a") + "</p>"},
		{"other hosts", "![a](https://evil.example/a.png) ![b](https://cdn.example.evil.example/) ![c](https://xcdn.example/) ![d](https://shop.example/d.png)", "<p>a b c d</p>"},
		{"no https", "![a](http://cdn.example/a.png) ![b](//cdn.example/b.png) ![c](/c.png) ![d](data:image/png;base64,AA==) ![e](javascript:alert(1))", "<p>a b c d e</p>"},
		{"a user", "![a](https://u@cdn.example/a.png) ![b](https://cdn.example@evil.example/b.png)", "<p>a b</p>"},
		{"a backslash", `![a](https://evil.example\\.cdn.example/a.png)`, "<p>a</p>"},
	} {
		if got := render(t, test.body); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
	nodes, err := markdown.New(hosts, pictures, "").Nodes("![The plan](https://cdn.example/a.png)", notifier.App{})
	want := []markdown.Node{{Type: "p", Children: []markdown.Node{{Type: "img", Src: "https://cdn.example/a.png", Alt: "The plan"}}}}
	if diff := cmp.Diff(want, nodes); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestEverythingOutsideTheSubsetIsText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"a script", "<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"},
		{"a script in a paragraph", "a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"},
		{"a style", "<style>*{}</style>", "<p>&lt;style&gt;*{}&lt;/style&gt;</p>"},
		{"a comment", "a <!-- b --> c", "<p>a &lt;!-- b --&gt; c</p>"},
		{"a comment that does not end", "<!-- a", "<p>&lt;!-- a</p>"},
		{"written as entities", "&lt;img src=x&gt; &#60;b&#62; &copy;", "<p>&lt;img src=x&gt; &lt;b&gt; ©</p>"},
		{"an image is its text", "![a *b*](https://shop.example/x.png)", "<p>a <em>b</em></p>"},
		{"an image in a link", "[![a](/x.png)](/b)", `<p><a href="/b" rel="nofollow noopener">a</a></p>`},
		{"a link of nothing", "a [](/b) [![](/c)](/d)", "<p>a  </p>"},
		{"a script as a link", "[x](javascript:alert(1))", "<p>x</p>"},
		{"in capitals", "[x](JaVaScRiPt:alert(1))", "<p>x</p>"},
		{"with entities", "[x](java&#115;cript:alert(1)) [y](&#x6a;avascript&colon;1)", "<p>x y</p>"},
		{"with entities of entities", "[x](/a&amp;#x2f;b)", `<p><a href="/a&amp;#x2f;b" rel="nofollow noopener">x</a></p>`},
		{"slashes as entities", "[x](/&#x2f;evil.example) [y](/&#92;evil.example) [z](/&sol;evil.example)", "<p>x y z</p>"},
		{"slashes escaped", `[x](\/\/evil.example) [y](/\\evil.example)`, "<p>x y</p>"},
		{"a tab within", "[x](<java\tscript:alert(1)>)", "<p>x</p>"},
		{"data", "[x](data:text/html;base64,PHNjcmlwdD4=)", "<p>x</p>"},
		{"another host", "[x](//evil.example) [y](https://evil.example/)", "<p>x y</p>"},
		{"a host with a user", "[x](https://shop.example@evil.example/) [y](https://u@shop.example/)", "<p>x y</p>"},
		{"no https", "[x](http://shop.example/) [y](ftp://shop.example/) [z](mailto:a@shop.example)", "<p>x y z</p>"},
		{"neither path nor address", "[x](a) [y](#a) [z](?a) [w]()", "<p>x y z w</p>"},
		{"a reference to a script", "[x][1]\n\n[1]: javascript:alert(1)", "<p>x</p>"},
		{"an address of another scheme", "<javascript:alert(1)> <http://shop.example/> <a@shop.example>", "<p>javascript:alert(1) http://shop.example/ a@shop.example</p>"},
		{"an address that nobody marked", "https://shop.example/ www.shop.example", "<p>https://shop.example/ www.shop.example</p>"},
		{"a quote in a link", `[x](/a"onclick="alert(1))`, `<p><a href="/a%22onclick=%22alert(1)" rel="nofollow noopener">x</a></p>`},
		{"a quote in a title", `[x](/a 'b" onclick="alert(1)')`, `<p><a href="/a" rel="nofollow noopener">x</a></p>`},
		{"a link in a link", "[a [b](javascript:1) c](/d)", `<p>[a b c](/d)</p>`},
		{"attributes", "# a {#id .class onclick=x}", "<h2>a {#id .class onclick=x}</h2>"},
		{"a quote in a language", "```\"onclick=\"x\na\n```", "<pre><code>a\n</code></pre>"},
	} {
		if got := render(t, test.body); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestNoCharacterReversesTheTextDirection(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"a\x00b", "a\rb", "a\u2028b", "a\u202eb", "a\u2066b", "a\u0085b", "a&#x202e;b", "a&#8294;b", "a&#13;b", "a&#0133;b", "`a\u202eb`",
	} {
		if got := strings.NewReplacer("<code>", "", "</code>", "").Replace(render(t, body)); got != "<p>ab</p>" {
			t.Errorf("%q becomes %q", body, got)
		}
		if got := markdown.New(nil, nil, "").Text(body); got != "ab" {
			t.Errorf("the text of %q is %q", body, got)
		}
	}
	if got := render(t, "a\xffb &#0;"); got != "<p>a\ufffdb \ufffd</p>" {
		t.Errorf("broken bytes become %q", got)
	}
}

func TestTextIsTheWordsAlone(t *testing.T) {
	t.Parallel()
	m := markdown.New(hosts, pictures, "")
	for body, want := range map[string]string{
		"":                                "",
		"One\ntwo\n\nThree":               "One\ntwo\nThree",
		"# Title\n\n**Bold** *and* `<b>`": "Title\nBold and <b>",
		"- a\n- b\n  - c":                 "a\nb\nc",
		"> quoted\n\n***\nend":            "quoted\nend",
		"![The *plan*](https://cdn.example/a.png) b":                    "The plan b",
		"[words](javascript:1) ![alt](/x.png) <https://shop.example/a>": "words alt https://shop.example/a",
		"```\na &amp; b\n```\n`&lt;`":                                   "a &amp; b\n&lt;",
		"1 &lt; 2 &amp; \\*3\\*":                                        "1 < 2 & *3*",
		"<b>not bold</b>":                                               "<b>not bold</b>",
		`\&amp; stays`:                                                  "&amp; stays",
		"`a\nb`":                                                        "a\nb",
	} {
		if got := m.Text(body); got != want {
			t.Errorf("the text of %q is %q, want %q", body, got, want)
		}
	}
}

func TestDeepNestingIsFlattened(t *testing.T) {
	t.Parallel()
	six := func(begin, middle, end string) string {
		return strings.Repeat(begin, 6) + middle + strings.Repeat(end, 6)
	}
	quotes := func(middle string) string { return six("<blockquote>\n", middle, "</blockquote>\n") }
	for _, test := range []struct{ name, body, want string }{
		{"six quotes", strings.Repeat("> ", 6) + "a", quotes("<p>a</p>\n")},
		{"seven", strings.Repeat("> ", 7) + "a", quotes("<p>a</p>\n")},
		{"sixty", strings.Repeat("> ", 60) + "a", quotes("<p>a</p>\n")},
		{"a quote and what follows it", strings.Repeat(">", 6) + "> a\n" + strings.Repeat(">", 6) + "\n" + strings.Repeat(">", 6) + " b", quotes("<p>a</p>\n<p>b</p>\n")},
		{"a list in six quotes", strings.Repeat(">", 6) + "- a\n" + strings.Repeat(">", 6) + "- *b*", quotes("<p>a</p>\n<p><em>b</em></p>\n")},
		{"a quote of nothing", strings.Repeat(">", 9), quotes("")},
		{"a numbered list", strings.Repeat("1. ", 9) + "a", six("<ol>\n<li>\n", "<p>a</p>\n", "</li>\n</ol>\n")},
		{"lists and quotes", strings.Repeat("- > ", 9) + "a", strings.Repeat("<ul>\n<li>\n<blockquote>\n", 3) + "<p>a</p>\n" + strings.Repeat("</blockquote>\n</li>\n</ul>\n", 3)},
	} {
		if got := render(t, test.body); got != strings.TrimSpace(test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	link := "[a]: /" + strings.Repeat("x", 1000) + "\n\n"
	body := link + "*Look* & see\n" + strings.Repeat("[a].", (3900-len(link))/4)
	want := "<p>Look &amp; see<br>\n" + strings.Repeat("a.", (3900-len(link))/4) + "</p>"
	if got := render(t, body); got != want {
		t.Errorf("%d bytes starting with %.100s", len(got), got)
	}
	few := link + "[a] *b*"
	if got := render(t, few); !strings.Contains(got, "</a> <em>b</em>") {
		t.Errorf("a single long address: %s", got)
	}
}

// TestDeeplyNestedTextIsRendered uses the longest bodies that take the most work.
func TestDeeplyNestedTextIsRendered(t *testing.T) {
	t.Parallel()
	m := markdown.New(hosts, pictures, "")
	for _, part := range slices.Concat(slow, []string{"![", "*a ", "_a*", "`a", "[a](/b", "<", "&", "[a](/b) ", "# \n", "**a*", "\\", ">>>>>>\n\n"}) {
		body := longest(part)
		var b strings.Builder
		if err := m.Render(body, notifier.App{}).Render(t.Context(), &b); err != nil {
			t.Errorf("%q: %v", part, err)
		}
		if b.Len() > 100_000 {
			t.Errorf("%q becomes %d bytes", part, b.Len())
		}
		m.Text(body)
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	m := markdown.New(nil, nil, "")
	for i := range 2000 {
		body := strconv.Itoa(i)
		if got := m.Text(body); got != body {
			t.Fatalf("the text of %q is %q", body, got)
		}
	}
	if got := m.Text("7"); got != "7" {
		t.Errorf("the text of 7 is %q", got)
	}
}

// slow are marks that a parser must keep until it can interpret them.
var slow = []string{"[", "*", ">", "(", "- ", "1. ", "`", "_"}

// longest is a body that repeats one part as often as fits.
func longest(part string) string { return strings.Repeat(part, 4000/len(part)) }

// BenchmarkRenderTheSlowest measures the first rendering of the worst body.
func BenchmarkRenderTheSlowest(b *testing.B) {
	for _, part := range slow {
		b.Run(part, func(b *testing.B) {
			for b.Loop() {
				if err := markdown.New(hosts, pictures, "").Render(longest(part), notifier.App{}).Render(b.Context(), io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRender measures a text that is not cached.
func BenchmarkRender(b *testing.B) {
	body := strings.Repeat("Some *words* and a [link](/a) of one announcement.\n\n- one\n- two\n\n", 10)
	m := markdown.New(hosts, pictures, "")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := m.Render(body+strconv.Itoa(i), notifier.App{}).Render(b.Context(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
