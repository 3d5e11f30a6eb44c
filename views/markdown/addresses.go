package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// The box of every picture, which has its size before the picture is there: nothing moves when it comes. Style sheets
// make it narrower.
const (
	pictureWidth  = "640"
	pictureHeight = "360"
)

// addresses renders links and pictures whose destinations were resolved before.
type addresses struct{ base string }

// RegisterFuncs replaces goldmark's own renderers of links and pictures.
func (l addresses) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindLink, l.link)
	to.Register(ast.KindImage, l.picture)
}

func (l addresses) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</a>")
		return ast.WalkContinue, err
	}
	to, ok := n.(*ast.Link)
	if !ok {
		return ast.WalkSkipChildren, nil
	}
	base := ""
	if bytes.HasPrefix(to.Destination, []byte("/")) {
		base = l.base
	}
	_, err := w.WriteString(`<a href="` + base + string(util.EscapeHTML(util.URLEscape(to.Destination, false))) + `" rel="` + relation + `">`)
	return ast.WalkContinue, err
}

// picture renders a picture, of which hosts learn as little as can be.
func (addresses) picture(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	of, ok := n.(*ast.Image)
	if !ok || !entering {
		return ast.WalkSkipChildren, nil
	}
	alt := strings.ReplaceAll(words(of, source), "\n", " ")
	_, err := w.WriteString(`<img src="` + string(util.EscapeHTML(util.URLEscape(of.Destination, false))) + `" alt="` + string(util.EscapeHTML([]byte(alt))) +
		`" width="` + pictureWidth + `" height="` + pictureHeight + `" loading="lazy" decoding="async" referrerpolicy="no-referrer">`)
	return ast.WalkSkipChildren, err
}
