package markdown

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/carillonhq/carillon/notifier"
)

// relation is the rel attribute of every link.
const relation = "nofollow noopener"

// The levels of headings. Level 1 is the title of the page.
const (
	firstHeading = 2
	lastHeading  = 4
)

// deepest is how deeply quotes and lists may be nested: each level uses some of the width, and
// phones have little.
const deepest = 6

// Lists with numbers of more than three digits get this class, because those do not fit beside
// the text.
const (
	longNumbers = "long"
	lastShort   = 999
)

// policy is the HTML that may be output.
func policy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "h2", "h3", "h4", "a", "img")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^` + longNumbers + `$`)).OnElements("ol")
	p.AllowAttrs("href").Matching(regexp.MustCompile(`^(?:https?://|/(?:[^/\\]|$))`)).OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile(`^` + relation + `$`)).OnElements("a")
	p.AllowAttrs("src").Matching(regexp.MustCompile(`^https://`)).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(regexp.MustCompile(`^(?:` + pictureWidth + `|` + pictureHeight + `)$`)).OnElements("img")
	p.AllowAttrs("loading", "decoding", "referrerpolicy").Matching(regexp.MustCompile(`^(?:lazy|async|no-referrer)$`)).OnElements("img")
	p.AllowURLSchemes("https", "http") // http for pages of apps on the reader's own machine
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	return p
}

// subset reduces a parsed text to the subset.
type subset struct{ links, pictures []string }

// Transform lifts content out of quotes and lists that are nested too deeply, replaces forbidden pictures
// and links with their words, and gives headings levels that follow from the one before.
func (s subset) Transform(doc *ast.Document, reader text.Reader, from parser.Context) {
	source := reader.Source()
	by, ok := from.Get(sender).(*notifier.App)
	if !ok {
		by = &notifier.App{}
	}
	limits := notifier.Limits{LinkHosts: s.links, ImageHosts: s.pictures, Sites: by.Sites()}
	gone, _ := from.Get(losses).(*lost)
	flatten(doc, 0)
	var found []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			found = append(found, n) // inner nodes first
		}
		return ast.WalkContinue, nil
	})
	level := firstHeading - 1
	for _, n := range found {
		switch n := n.(type) {
		case *ast.Image:
			n.Destination, n.Title = destination(n.Destination), nil
			if !notifier.ValidImage(string(n.Destination), limits) {
				gone.picture(n.Destination)
				unwrap(n)
			}
		case *ast.Link:
			n.Destination, n.Title = destination(n.Destination), nil
			if !notifier.ValidLink(string(n.Destination), limits) {
				gone.link(n.Destination)
				unwrap(n)
			} else if empty(n, source) {
				unwrap(n)
			}
			n.Destination = []byte(by.Resolve(string(n.Destination)))
		case *ast.AutoLink:
			if !autoLink(n, source, limits) {
				gone.link(n.URL(source))
			}
		case *ast.List:
			if n.IsOrdered() && n.Start+n.ChildCount()-1 > lastShort {
				n.SetAttributeString("class", []byte(longNumbers))
			}
		case *ast.Heading:
			if empty(n, source) {
				unhead(n)
				continue
			}
			n.Level = min(n.Level+firstHeading-1, level+1, lastHeading)
			level = n.Level
		}
	}
}

// flatten limits the nesting of quotes and lists to deepest.
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

// spread replaces a quote or list with its content, and returns the first node of that content.
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

// paragraph turns a text that was separated only by its list item into a paragraph.
func paragraph(text ast.Node) ast.Node {
	p := ast.NewParagraph()
	text.Parent().ReplaceChild(text.Parent(), text, p)
	p.AppendChild(p, text)
	unwrap(text)
	return p
}

// autoLink turns an address in angle brackets into an ordinary link or, if that is not allowed, into text.
func autoLink(n *ast.AutoLink, source []byte, limits notifier.Limits) (allowed bool) {
	address := n.URL(source)
	words := ast.NewString(n.Label(source))
	words.SetRaw(true)
	if n.AutoLinkType != ast.AutoLinkURL || !notifier.ValidLink(string(address), limits) {
		n.Parent().ReplaceChild(n.Parent(), n, words)
		return false
	}
	link := ast.NewLink()
	link.Destination = address
	link.AppendChild(link, words)
	n.Parent().ReplaceChild(n.Parent(), n, link)
	return true
}

// destination is the target of a link, as a browser would read it.
func destination(written []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(written)))
}

// unwrap replaces a node with its content.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; {
		next := child.NextSibling()
		parent.InsertBefore(parent, n, child)
		child = next
	}
	parent.RemoveChild(parent, n)
}

// unhead removes a heading without words. A picture in it becomes a paragraph.
func unhead(n ast.Node) {
	if pictured(n) {
		paragraph(n)
		return
	}
	n.Parent().RemoveChild(n.Parent(), n)
}

// pictured reports whether a node has a picture.
func pictured(of ast.Node) (found bool) {
	_ = ast.Walk(of, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		found = found || n.Kind() == ast.KindImage
		return ast.WalkContinue, nil
	})
	return found
}
