// Package markdown renders the text of announcements in a small safe subset of Markdown:
// paragraphs, line breaks, emphasis, code, lists, quotes, headings, links and pictures. Everything else,
// above all HTML, is shown as plain text; a link or a picture that a notice may not have is shown as its
// text only.
//
// bluemonday then reduces goldmark's output to the same subset, so that neither of them has to be
// trusted alone.
package markdown

import (
	"bytes"
	"context"
	"fmt"
	stdhtml "html"
	"io"
	"strings"
	"unicode"

	"github.com/a-h/templ"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/carillonhq/carillon/notifier"
)

// Markdown renders texts. It is safe for concurrent use.
type Markdown struct {
	markdown goldmark.Markdown
	policy   *bluemonday.Policy
	markup   known
	words    known
}

// New returns a Markdown that allows links to paths and https links to the hosts of links, and pictures on those of
// pictures and on hosts below them. Render puts base, such as https://shop.example.com, before paths.
func New(links, pictures []string, base string) *Markdown {
	return &Markdown{
		markdown: goldmark.New(
			goldmark.WithParser(parser.NewParser(
				parser.WithBlockParsers(
					util.Prioritized(parser.NewSetextHeadingParser(), 100),
					util.Prioritized(parser.NewThematicBreakParser(), 200),
					util.Prioritized(parser.NewListParser(), 300),
					util.Prioritized(parser.NewListItemParser(), 400),
					util.Prioritized(parser.NewCodeBlockParser(), 500),
					util.Prioritized(parser.NewATXHeadingParser(), 600),
					util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
					util.Prioritized(parser.NewBlockquoteParser(), 800),
					util.Prioritized(parser.NewParagraphParser(), 1000),
				),
				parser.WithInlineParsers(
					util.Prioritized(parser.NewCodeSpanParser(), 100),
					util.Prioritized(parser.NewLinkParser(), 200),
					util.Prioritized(parser.NewAutoLinkParser(), 300),
					util.Prioritized(parser.NewEmphasisParser(), 500),
				),
				parser.WithParagraphTransformers(util.Prioritized(parser.LinkReferenceParagraphTransformer, 100)),
				parser.WithASTTransformers(util.Prioritized(subset{links, pictures}, 100)),
			)),
			goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(addresses{base}, 100))),
		),
		policy: policy(),
	}
}

// Render returns the HTML of a text. One that an app has sent may link to the app's pages, where its links to paths
// lead; the zero App has sent none.
func (m *Markdown) Render(body string, by notifier.App) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		markup, err := m.of(body, &by)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, markup)
		return err
	})
}

// of returns the HTML of a text, from the cache if it is there.
func (m *Markdown) of(body string, by *notifier.App) (string, error) {
	key := body
	if sites := by.Sites(); len(sites) > 0 {
		key = strings.Join(append(sites, by.Resolve("/"), body), "\n")
	}
	return m.markup.of(key, func() (string, error) { return m.convert(body, by) })
}

// sender is where the parser finds the app that has sent a text.
var sender = parser.NewContextKey()

func (m *Markdown) convert(body string, by *notifier.App) (string, error) {
	var b bytes.Buffer
	from := parser.NewContext()
	from.Set(sender, by)
	if err := m.markdown.Convert([]byte(clean(body)), &b, parser.WithContext(from)); err != nil {
		return "", fmt.Errorf("render markdown: %w", err)
	}
	// Clean again, because a character can be written as a numeric reference.
	markup := m.policy.Sanitize(clean(b.String()))
	if len(markup) > mostMarkup {
		return plain(m.Text(body)), nil
	}
	return markup, nil
}

// mostMarkup limits the HTML of a text, in bytes. Few texts need a tenth of it; one that refers
// to the same long address hundreds of times would grow to fifty times its length.
const mostMarkup = 100_000

// plain returns the words alone as one paragraph.
func plain(words string) string {
	return "<p>" + strings.ReplaceAll(stdhtml.EscapeString(words), "\n", "<br>\n") + "</p>"
}

// clean drops characters that our texts may not contain: controls, line and paragraph separators,
// and characters that change the direction of the text after them.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsControl(r), r == '\u2028', r == '\u2029',
			r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, s)
}
