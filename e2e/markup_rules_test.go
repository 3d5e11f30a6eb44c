package e2e

import (
	"slices"
	"strings"
	"testing"
)

// onlyChildren lists the elements that may be children of an element, for elements with few.
var onlyChildren = map[string][]string{
	"ul": {"li", "template"}, "ol": {"li", "template"}, "dl": {"div", "dt", "dd"},
	"table": {"caption", "thead", "tbody", "tfoot"}, "thead": {"tr"}, "tbody": {"tr"}, "tr": {"th", "td"},
	"select": {"option", "optgroup"}, "head": {"meta", "title", "link", "script", "noscript"},
}

// onlyParents lists the elements that may be the parent of an element.
var onlyParents = map[string][]string{
	"li": {"ul", "ol"}, "dt": {"dl", "div"}, "dd": {"dl", "div"}, "tr": {"thead", "tbody"}, "th": {"tr"}, "td": {"tr"},
	"caption": {"table"}, "legend": {"fieldset"}, "summary": {"details"}, "option": {"select", "datalist"},
}

// phrasing lists elements that may contain text but no blocks.
var phrasing = []string{"p", "span", "a", "button", "label", "h1", "h2", "h3", "h4", "summary", "legend", "dt", "strong", "small", "time", "kbd"}

var blocks = []string{
	"div", "p", "ul", "ol", "dl", "table", "form", "section", "article", "header", "footer", "nav", "main", "fieldset",
	"details", "dialog", "h1", "h2", "h3", "h4",
}

var interactive = []string{"a", "button", "input", "select", "textarea", "summary", "label"}

// place checks that an element is in a permitted place.
func (m *markup) place(e *element) {
	p := m.parent()
	if p == nil {
		return
	}
	if may := onlyChildren[p.name]; may != nil && !slices.Contains(may, e.name) {
		m.fault("%s right inside %s", e, p)
	}
	if may := onlyParents[e.name]; may != nil && !slices.Contains(may, p.name) {
		m.fault("%s inside %s", e, p)
	}
	// HTML permits a heading in a summary, and blocks in a link around a whole box. Our pages use
	// neither, so this check is stricter.
	if slices.Contains(blocks, e.name) {
		if around := m.within(phrasing...); around != "" && m.within("svg") == "" {
			m.fault("%s inside <%s>", e, around)
		}
	}
	if e.name == "form" && m.within("form") != "" {
		m.fault("%s inside another form", e)
	}
	if slices.Contains(interactive, e.name) || e.attrs["tabindex"] != "" {
		if around := m.within("a", "button", "summary"); around != "" {
			m.fault("%s inside <%s>: nested controls", e, around)
		}
	}
	if e.name == "label" && m.within("label") != "" {
		m.fault("%s inside another label", e)
	}
}

// attributes checks the attributes of an element.
func (m *markup) attributes(e *element) {
	if id, ok := e.attrs["id"]; ok {
		if id == "" || strings.ContainsAny(id, " \t\n") {
			m.fault("%s has the id %q", e, id)
		}
		if other, twice := m.ids[id]; twice {
			m.fault("%s and %s have one id", e, other)
		}
		m.ids[id] = e.String()
	}
	for _, name := range []string{"for", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "form", "list"} {
		for id := range strings.FieldsSeq(e.attrs[name]) {
			m.refs = append(m.refs, reference{e.String() + " " + name, id})
		}
	}
	if e.name == "label" && e.attrs["for"] != "" {
		m.labels[e.attrs["for"]] = true
	}
	if id, ok := strings.CutPrefix(e.attrs["href"], "#"); ok && e.name == "a" {
		m.refs = append(m.refs, reference{e.String() + " href", id})
	}
	for name := range e.attrs {
		if name == "style" || (strings.HasPrefix(name, "on") && !strings.HasPrefix(name, "on-")) {
			m.fault("%s has %s, which the content policy refuses", e, name)
		}
	}
	if _, ok := e.attrs["src"]; e.name == "script" && !ok {
		m.fault("%s is written into the page, which the content policy refuses", e)
	}
	if _, ok := e.attrs["alt"]; e.name == "img" && !ok {
		m.fault("%s has no alt", e)
	}
	if e.name == "html" && e.attrs["lang"] == "" {
		m.fault("%s has no lang", e)
	}
	if e.name == "svg" && e.attrs["aria-hidden"] != "true" && e.attrs["aria-label"] == "" && !m.hidden() {
		m.fault("%s is neither hidden nor named", e)
	}
}

// hidden reports whether the current place is hidden from screen readers.
func (m *markup) hidden() bool {
	return slices.ContainsFunc(m.open, func(e *element) bool { return e.attrs["aria-hidden"] == "true" || e.attrs["aria-label"] != "" })
}

// named checks that a control has an accessible name.
func (m *markup) named(e *element) {
	if e.attrs["aria-label"] != "" || e.attrs["aria-labelledby"] != "" {
		return
	}
	switch e.name {
	case "a", "button", "summary", "h1", "h2", "h3", "legend", "caption", "option", "th":
		_, unseen := e.attrs["hidden"] // a script names it before showing it
		if strings.TrimSpace(e.text.String()) == "" && !unseen {
			m.fault("%s has no name", e)
		}
	case "input", "select", "textarea", "progress":
		if e.attrs["type"] == "hidden" || m.within("label") != "" {
			return
		}
		m.controls = append(m.controls, e)
	}
}

func TestMarkupFaultsAreFound(t *testing.T) {
	t.Parallel()
	const before = `<!DOCTYPE html><html lang="en"><head><title>A</title></head><body><h1>A</h1>`
	for name, c := range map[string]struct{ body, fault string }{
		"nothing":            {`<ul><li><a href="/">A</a></li></ul>`, ""},
		"unbalanced":         {`<div><p>A</div></p>`, "</div> closes"},
		"not closed":         {`<div>`, "is not closed"},
		"one id twice":       {`<p id="a">A</p><p id="a">B</p>`, "have one id"},
		"label for nothing":  {`<label for="x">A</label>`, `names the id "x"`},
		"described by none":  {`<p aria-describedby="x y">A</p>`, `names the id "y"`},
		"controls nothing":   {`<button aria-controls="x">A</button>`, `names the id "x"`},
		"link to nothing":    {`<a href="#x">A</a>`, `names the id "x"`},
		"button in link":     {`<a href="/"><button>A</button></a>`, "nested controls"},
		"link in summary":    {`<details><summary><a href="/">A</a></summary></details>`, "nested controls"},
		"form in form":       {`<form><div><form></form></div></form>`, "inside another form"},
		"div in list":        {`<ul><div></div></ul>`, "right inside"},
		"text in list":       {`<ul>A</ul>`, "right inside"},
		"li outside":         {`<div><li>A</li></div>`, "inside"},
		"div in p":           {`<p><div></div></p>`, "inside <p>"},
		"level left out":     {`<h3>A</h3>`, "h3 follows h1"},
		"second h1":          {`<h1>B</h1>`, "2 h1"},
		"picture, no alt":    {`<img src="/a.png">`, "no alt"},
		"button, no name":    {`<button><svg aria-hidden="true"></svg></button>`, "no name"},
		"field, no label":    {`<input name="a">`, "no label"},
		"icon, not hidden":   {`<svg></svg>`, "neither hidden"},
		"style":              {`<p style="color:red">A</p>`, "content policy"},
		"handler":            {`<p onclick="a()">A</p>`, "content policy"},
		"script in the page": {`<script>a()</script>`, "content policy"},
	} {
		found := faultsOf(before + c.body + `</body></html>`)
		if (c.fault == "" && len(found) > 0) || (c.fault != "" && !strings.Contains(strings.Join(found, "\n"), c.fault)) {
			t.Errorf("%s: found %q, want %q", name, found, c.fault)
		}
	}
}
