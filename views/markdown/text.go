package markdown

import (
	"bufio"
	"bytes"
	stdhtml "html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// Text returns the words of a text without any markup, one block per line.
func (m *Markdown) Text(body string) string {
	said, _ := m.words.of(body, func() (string, error) {
		source := []byte(clean(body))
		return words(m.markdown.Parser().Parse(text.NewReader(source)), source), nil
	})
	return said
}

// empty reports whether a node has no words.
func empty(n ast.Node, source []byte) bool { return words(n, source) == "" }

// words returns the words of a node.
func words(of ast.Node, source []byte) string {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	_ = ast.Walk(of, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				writeText(w, n, source)
			}
		case *ast.String:
			if entering {
				html.DefaultWriter.RawWrite(w, n.Value)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				html.DefaultWriter.RawWrite(w, n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				_ = w.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	_ = w.Flush() // writing to memory does not fail
	return tidy(clean(stdhtml.UnescapeString(b.String())))
}

// writeText writes a text as HTML would show it, with escapes resolved.
func writeText(w *bufio.Writer, n *ast.Text, source []byte) {
	if n.Parent().Kind() == ast.KindCodeSpan {
		html.DefaultWriter.RawWrite(w, n.Value(source))
		return
	}
	html.DefaultWriter.Write(w, n.Value(source))
	if n.SoftLineBreak() || n.HardLineBreak() {
		_ = w.WriteByte('\n')
	}
}

// tidy removes empty lines and the spaces around lines.
func tidy(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
