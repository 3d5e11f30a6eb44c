package markdown

import (
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// losses is where the parser collects what a text loses, if somebody asks for it.
var losses = parser.NewContextKey()

// lost collects the addresses of links and pictures that are not rendered. A nil one collects nothing.
type lost struct{ links, pictures []string }

// mostLost limits the collected addresses of each kind.
const mostLost = 100

func (l *lost) link(address []byte) {
	if l != nil && len(l.links) < mostLost {
		l.links = append(l.links, string(address))
	}
}

func (l *lost) picture(address []byte) {
	if l != nil && len(l.pictures) < mostLost {
		l.pictures = append(l.pictures, string(address))
	}
}

// Lost returns the addresses of a text's links and pictures that Render shows as their words only, in the text's order,
// at most a hundred of each.
func (m *Markdown) Lost(body string) (links, pictures []string) {
	var found lost
	from := parser.NewContext()
	from.Set(losses, &found)
	m.markdown.Parser().Parse(text.NewReader([]byte(clean(body))), parser.WithContext(from))
	return found.links, found.pictures
}
