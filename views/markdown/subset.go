package markdown

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/carillonhq/carillon/notifier"
)

// relation is what every link says of itself.
const relation = "nofollow noopener"

// The levels of headings: the title of the page is the first.
const (
	firstHeading = 2
	lastHeading  = 4
)

// deepest is how many quotes and lists lie within each other at most: each takes
// some of the width, of which a phone has little.
const deepest = 6

// A list whose numbers have more than three digits is of this class: they do not
// fit beside the text.
const (
	longNumbers = "long"
	lastShort   = 999
)

// policy is the markup that may come out.
func policy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "h2", "h3", "h4", "a")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^` + longNumbers + `$`)).OnElements("ol")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?:https://|/(?:[^/\\]|$))`)).OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^` + relation + `$`)).OnElements("a")
	p.AllowURLSchemes("https")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	return p
}

// subset changes what was read so that only the subset is left.
type subset struct{ hosts []string }

// Transform takes what is nested too deeply out of its quotes and lists, replaces
// images by their texts and links that may not be by their words, and gives headings a level that follows from the one before.
func (s subset) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	flatten(doc, 0)
	var found []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			found = append(found, n) // from the inside out
		}
		return ast.WalkContinue, nil
	})
	level := firstHeading - 1
	for _, n := range found {
		switch n := n.(type) {
		case *ast.Image:
			unwrap(n)
		case *ast.Link:
			n.Destination, n.Title = destination(n.Destination), nil
			if !notifier.ValidLink(string(n.Destination), s.hosts) || empty(n, source) {
				unwrap(n)
			}
		case *ast.AutoLink:
			s.autoLink(n, source)
		case *ast.List:
			if n.IsOrdered() && n.Start+n.ChildCount()-1 > lastShort {
				n.SetAttributeString("class", []byte(longNumbers))
			}
		case *ast.Heading:
			if empty(n, source) {
				n.Parent().RemoveChild(n.Parent(), n)
				continue
			}
			n.Level = min(n.Level+firstHeading-1, level+1, lastHeading)
			level = n.Level
		}
	}
}

// flatten leaves so many quotes and lists within each other as may be.
func flatten(parent ast.Node, depth int) {
	for n := parent.FirstChild(); n != nil; {
		switch n.(type) {
		case *ast.List, *ast.Blockquote:
			if depth == deepest {
				n = spread(n)
				continue
			}
			flatten(n, depth+1)
		case *ast.ListItem:
			flatten(n, depth)
		}
		n = n.NextSibling()
	}
}

// spread puts what a quote or the items of a list hold into its place, and returns
// what stands there now.
func spread(n ast.Node) ast.Node {
	for item := n.FirstChild(); item != nil && n.Kind() == ast.KindList; {
		next := item.NextSibling()
		for text := item.FirstChild(); text != nil; text = text.NextSibling() {
			if text.Kind() == ast.KindTextBlock {
				text = paragraph(text)
			}
		}
		unwrap(item)
		item = next
	}
	first := n.FirstChild()
	if first == nil {
		first = n.NextSibling()
	}
	unwrap(n)
	return first
}

// paragraph takes the place of a text that only the item of a list sets apart from
// the next.
func paragraph(text ast.Node) ast.Node {
	p := ast.NewParagraph()
	text.Parent().ReplaceChild(text.Parent(), text, p)
	p.AppendChild(p, text)
	unwrap(text)
	return p
}

// autoLink makes an address between angle brackets a link like the others, or
// text.
func (s subset) autoLink(n *ast.AutoLink, source []byte) {
	address := n.URL(source)
	words := ast.NewString(n.Label(source))
	words.SetRaw(true)
	if n.AutoLinkType != ast.AutoLinkURL || !notifier.ValidLink(string(address), s.hosts) {
		n.Parent().ReplaceChild(n.Parent(), n, words)
		return
	}
	link := ast.NewLink()
	link.Destination = address
	link.AppendChild(link, words)
	n.Parent().ReplaceChild(n.Parent(), n, link)
}

// destination is where a link leads, as a browser would understand it.
func destination(written []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(written)))
}

// unwrap puts what a node holds into its place.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; {
		next := child.NextSibling()
		parent.InsertBefore(parent, n, child)
		child = next
	}
	parent.RemoveChild(parent, n)
}

// links writes links: their destinations were made out before.
type links struct{}

// RegisterFuncs takes the place of goldmark's own.
func (links) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) { to.Register(ast.KindLink, link) }

func link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</a>")
		return ast.WalkContinue, err
	}
	l, ok := n.(*ast.Link)
	if !ok {
		return ast.WalkSkipChildren, nil
	}
	_, err := w.WriteString(`<a href="` + string(util.EscapeHTML(util.URLEscape(l.Destination, false))) + `" rel="` + relation + `">`)
	return ast.WalkContinue, err
}
