package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/carillonhq/carillon/notifier"
)

// TextNode is the Type of a Node that is text.
const TextNode = "text"

// Node is a part of a rendered text, for clients that make their own elements: each Type but
// TextNode is the name of an HTML element of the subset.
type Node struct {
	Type     string
	Text     string // of a TextNode
	Href     string // of an a: an address, or a path that begins with one slash
	Start    int    // of an ol that does not begin with 1
	Src      string // of an img: an https address
	Alt      string // of an img
	Children []Node
}

// Nodes returns the nodes of a text. They are the HTML of Render, taken apart.
func (m *Markdown) Nodes(body string, by notifier.App) ([]Node, error) {
	markup, err := m.of(body, &by)
	if err != nil {
		return nil, err
	}
	parsed, err := html.ParseFragment(strings.NewReader(markup), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return nil, fmt.Errorf("take the html of a text apart: %w", err)
	}
	return nodesOf(slices.Values(parsed)), nil
}

func nodesOf(all func(yield func(*html.Node) bool)) (nodes []Node) {
	for n := range all {
		switch n.Type {
		case html.TextNode:
			if text := strings.TrimPrefix(n.Data, "\n"); text != "" {
				nodes = append(nodes, Node{Type: TextNode, Text: text})
			}
		case html.ElementNode:
			nodes = append(nodes, elementNode(n))
		default: // the subset has nothing else
		}
	}
	return nodes
}

func elementNode(n *html.Node) Node {
	node := Node{Type: n.Data, Children: nodesOf(n.ChildNodes())}
	for _, a := range n.Attr {
		switch a.Key {
		case "href":
			node.Href = a.Val
		case "src":
			node.Src = a.Val
		case "alt":
			node.Alt = a.Val
		case "start":
			node.Start, _ = strconv.Atoi(a.Val)
		}
	}
	return node
}
