// Package markdown renders the text of announcements in a small safe subset of Markdown:
// paragraphs, line breaks, emphasis, code, lists, quotes, headings and links. Everything else,
// above all HTML, is shown as plain text; a link that a notice may not have is shown as its words
// alone.
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
)

// Markdown renders texts. It is safe for concurrent use.
type Markdown struct {
	markdown goldmark.Markdown
	policy   *bluemonday.Policy
	markup   known
	words    known
}

// New returns a Markdown that allows links to paths and https links to these hosts. Render puts base,
// such as https://shop.example.com, before paths.
func New(hosts []string, base string) *Markdown {
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
				parser.WithASTTransformers(util.Prioritized(subset{hosts}, 100)),
			)),
			goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(links{base}, 100))),
		),
		policy: policy(base),
	}
}

// Render returns the HTML of a text.
func (m *Markdown) Render(body string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		markup, err := m.markup.of(body, m.convert)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, markup)
		return err
	})
}

func (m *Markdown) convert(body string) (string, error) {
	var b bytes.Buffer
	if err := m.markdown.Convert([]byte(clean(body)), &b); err != nil {
		return "", fmt.Errorf("render markdown: %w", err)
	}
	// Clean again, because a character can be written as a numeric reference.
	markup := m.policy.Sanitize(clean(b.String()))
	if len(markup) > mostMarkup {
		return plain(m.Text(body)), nil
	}
	return markup, nil
}

// mostMarkup bounds the HTML of a text, in bytes. Few texts need a tenth of it; one that refers
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
