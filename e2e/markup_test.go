package e2e

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// markup checks a page strictly, as it is written, without the repairs of a browser.
type markup struct {
	faults   []string
	open     []*element
	ids      map[string]string // id → element
	refs     []reference
	labels   map[string]bool // ids with a label
	controls []*element      // fields that need a label
	headings []int
	doctype  bool
	title    string
}

// element is an element that is still open, or a field that needs a label.
type element struct {
	name  string
	attrs map[string]string
	text  strings.Builder // its text, including its descendants, which names it
}

type reference struct{ from, id string }

// faultsOf returns the faults in the markup of a page.
func faultsOf(page string) []string {
	m := &markup{ids: map[string]string{}, labels: map[string]bool{}}
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				m.fault("%v", z.Err())
			}
			m.end()
			return m.faults
		case html.DoctypeToken:
			m.doctype = true
		case html.TextToken:
			m.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			m.begin(z.Token(), kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			m.close(z.Token().Data)
		case html.CommentToken:
		}
	}
}

func (m *markup) fault(format string, args ...any) {
	m.faults = append(m.faults, fmt.Sprintf(format, args...))
}

func (m *markup) text(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	if p := m.parent(); p != nil && onlyChildren[p.name] != nil {
		m.fault("text %q right inside <%s>", s, p.name)
	}
	for _, e := range m.open {
		e.text.WriteString(s)
	}
}

func (m *markup) parent() *element {
	if len(m.open) == 0 {
		return nil
	}
	return m.open[len(m.open)-1]
}

// within returns the nearest open element with one of these names.
func (m *markup) within(names ...string) string {
	for _, e := range slices.Backward(m.open) {
		if slices.Contains(names, e.name) {
			return e.name
		}
	}
	return ""
}

var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

func (m *markup) begin(t html.Token, selfClosing bool) {
	e := &element{name: t.Data, attrs: map[string]string{}}
	for _, a := range t.Attr {
		e.attrs[a.Key] = a.Val
	}
	m.place(e)
	m.attributes(e)
	if label := cmpOr(e.attrs["aria-label"], e.attrs["alt"]); label != "" {
		for _, outer := range m.open {
			outer.text.WriteString(label)
		}
	}
	if slices.Contains(void, e.name) {
		m.named(e)
		return
	}
	if selfClosing && m.within("svg") == "" {
		m.fault("%s closes itself", e)
	}
	m.open = append(m.open, e)
	if n, err := strconv.Atoi(strings.TrimPrefix(e.name, "h")); err == nil && len(e.name) == 2 && m.within("template", "dialog") == "" {
		m.headings = append(m.headings, n)
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (e *element) String() string {
	if id := e.attrs["id"]; id != "" {
		return "<" + e.name + " id=" + id + ">"
	}
	return "<" + e.name + " class=" + strconv.Quote(e.attrs["class"]) + ">"
}

// close ends an element, which must be the one that was opened last.
func (m *markup) close(name string) {
	last := m.parent()
	if last == nil || last.name != name {
		m.fault("</%s> closes %v", name, last)
		return
	}
	m.open = m.open[:len(m.open)-1]
	m.named(last)
	if name == "title" {
		m.title += last.text.String()
	}
}

func (m *markup) end() {
	for _, e := range m.open {
		m.fault("%s is not closed", e)
	}
	for _, r := range m.refs {
		if _, ok := m.ids[r.id]; !ok {
			m.fault("%s names the id %q, which nothing has", r.from, r.id)
		}
	}
	for _, e := range m.controls {
		if !m.labels[e.attrs["id"]] {
			m.fault("%s has no label", e)
		}
	}
	m.outline()
	if !m.doctype {
		m.fault("no doctype")
	}
	if strings.TrimSpace(m.title) == "" {
		m.fault("no title")
	}
}

// outline checks that there is one h1 and that no level of headings is left out.
func (m *markup) outline() {
	ones, before := 0, 0
	for _, n := range m.headings {
		if n == 1 {
			ones++
		}
		// The panel of the bell comes before the heading of the page.
		if n > max(before, 1)+1 {
			m.fault("h%d follows h%d", n, before)
		}
		before = n
	}
	if ones != 1 {
		m.fault("%d h1", ones)
	}
}
