package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/markdown"
)

// allowed has every element that may be output, with its attributes.
var allowed = map[string][]string{
	"p": nil, "br": nil, "hr": nil, "em": nil, "strong": nil, "code": nil, "pre": nil, "ul": nil, "ol": {"start", "class"}, "li": nil,
	"blockquote": nil, "h2": nil, "h3": nil, "h4": nil, "a": {"href", "rel"},
	"img": {"src", "alt", "width", "height", "loading", "decoding", "referrerpolicy"},
}

// FuzzRender checks that the output is only the subset, well nested, neither too deep nor too
// long, and that its words match Text.
func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"# a\n\n[x](javascript:alert(1)) ![i](/x) <script>alert(1)</script>", "![a *b*\nc](https://cdn.example/x.png) # ![](https://eu.cdn.example/)", "![a ![b](https://cdn.example/b) [c](/d)](https://cdn.example/&quot;onload=x)",
		"<https://shop.example/>\n> - a\n> - b\n\n```js\nx\n```",
		"[x](//evil) [y](JaVaScRiPt:1) [z](data:a)", "<!-- a -->\n<img src=x onerror=alert(1)>", "[a][b]\n\n[b]: /c 'd'", "a\r\nb\x00&#x202e;",
		"*a **b `c` d** e*", "<iframe src=//evil></iframe><style>a</style>", `[x](/a"onmouseover="b)`, "[x](/&#x2f;evil.example)", "&lt;script&gt;",
		"> > > > > > > > a\n> > > > > > > > - b\n\n- 1. - 1. - 1. - 1. - c", "- > - > - > -\n- > - > - > # d\n", "[a]: /" + strings.Repeat("x", 900) + "\n\n" + strings.Repeat("[a].", 700),
	} {
		f.Add(seed)
	}
	m := markdown.New(hosts, pictures, "")
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 4000 {
			return
		}
		var b strings.Builder
		if err := m.Render(body, notifier.App{}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if b.Len() > 100_000 {
			t.Errorf("%q becomes %d bytes", body, b.Len())
		}
		read := checkMarkup(t, b.String())
		if got, want := strings.Join(strings.Fields(read), ""), strings.Join(strings.Fields(m.Text(body)), ""); got != want {
			t.Errorf("%q reads as %q, and its text is %q:\n%s", body, got, want, b.String())
		}
	})
}

// checkMarkup checks each token and returns the text between them.
func checkMarkup(t *testing.T, markup string) string {
	t.Helper()
	var text strings.Builder
	var open []string
	tokens := html.NewTokenizer(strings.NewReader(markup))
	for {
		kind := tokens.Next()
		token := tokens.Token()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%v are not closed in %s", open, markup)
			}
			return text.String()
		case html.TextToken:
			text.WriteString(token.Data)
		case html.StartTagToken:
			checkTag(t, token, markup)
			if token.Data == "img" {
				text.WriteString(attribute(token, "alt"))
			}
			if token.Data != "br" && token.Data != "hr" && token.Data != "img" {
				open = append(open, token.Data)
				checkDepth(t, open, markup)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> closes %v in %s", token.Data, open, markup)
			}
			open = open[:len(open)-1]
		default:
			t.Errorf("%v in %s", token, markup)
		}
	}
}

// checkDepth checks that quotes and lists are not nested more deeply than fits on a phone.
func checkDepth(t *testing.T, open []string, markup string) {
	t.Helper()
	deep := 0
	for _, name := range open {
		if name == "blockquote" || name == "ul" || name == "ol" {
			deep++
		}
	}
	if deep > 6 {
		t.Errorf("%v are nested in %s", open, markup)
	}
}

func checkTag(t *testing.T, tag html.Token, markup string) {
	t.Helper()
	names, ok := allowed[tag.Data]
	if !ok {
		t.Errorf("<%s> in %s", tag.Data, markup)
	}
	for _, a := range tag.Attr {
		if !slices.Contains(names, a.Key) {
			t.Errorf("<%s %s> in %s", tag.Data, a.Key, markup)
		}
		if a.Key == "href" && !notifier.ValidLink(a.Val, notifier.Limits{LinkHosts: hosts}) {
			t.Errorf("a link to %q in %s", a.Val, markup)
		}
		if a.Key == "src" && !notifier.ValidImage(a.Val, notifier.Limits{ImageHosts: pictures}) {
			t.Errorf("a picture of %q in %s", a.Val, markup)
		}
		if a.Key == "class" && a.Val != "long" {
			t.Errorf("the class is %q in %s", a.Val, markup)
		}
		if a.Key == "rel" && a.Val != "nofollow noopener" {
			t.Errorf("the rel is %q in %s", a.Val, markup)
		}
	}
	if tag.Data == "img" && (attribute(tag, "src") == "" || len(tag.Attr) != len(names) || attribute(tag, "referrerpolicy") != "no-referrer") {
		t.Errorf("a picture with %v in %s", tag.Attr, markup)
	}
	if tag.Data == "a" && len(tag.Attr) != 2 {
		t.Errorf("a link with %v in %s", tag.Attr, markup)
	}
}

// attribute returns the value of an attribute; "" if the tag does not have it.
func attribute(tag html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
