package locale

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// The prefixes of the ids of texts that browsers use: the modules of Carillon's own pages, those of them that pages with
// forms for staff load, and the elements in the pages of host applications.
const (
	scriptPrefix = "js."
	formsPrefix  = "js_forms."
	embedPrefix  = "embed."
	morePrefix   = "embed_more."
)

// Printer writes texts in one language. It is safe for concurrent use.
type Printer struct {
	tag      language.Tag
	lang     string
	messages map[string]msg
	script   string
	forms    string
	embed    json.RawMessage
	more     json.RawMessage
}

// msg is a compiled message.
type msg struct {
	plain      string  // the text, if it has no placeholders
	one, other pattern // one is nil if the text does not depend on a number, or the language has no singular
}

// newPrinter compiles texts by their ids. An id that ends in `.one` or `.other` is a plural form.
func newPrinter(tag language.Tag, texts map[string]string) (*Printer, error) {
	p := &Printer{tag: tag, lang: tag.String(), messages: make(map[string]msg, len(texts))}
	for path, text := range texts {
		pat, err := compile(text)
		if err != nil {
			return nil, fmt.Errorf("message %s: %w", path, err)
		}
		id, singular := strings.CutSuffix(path, ".one")
		id = strings.TrimSuffix(id, ".other")
		m := p.messages[id]
		if singular {
			m.one = pat
		} else {
			m.plain, m.other = text, pat
		}
		p.messages[id] = m
	}
	for id, m := range p.messages {
		if m.other == nil {
			return nil, fmt.Errorf("message %s has no text", id)
		}
	}
	script, err := p.encode(scriptPrefix)
	if err != nil {
		return nil, err
	}
	p.script = string(script)
	if script, err = p.encode(scriptPrefix, formsPrefix); err != nil {
		return nil, err
	}
	p.forms = string(script)
	if p.embed, err = p.encode(embedPrefix); err != nil {
		return nil, err
	}
	p.more, err = p.encode(morePrefix)
	return p, err
}

// encode returns the texts whose ids have one of the prefixes, for a browser.
func (p *Printer) encode(prefixes ...string) (json.RawMessage, error) {
	texts := map[string]any{}
	for id, m := range p.messages {
		prefix, id, _ := strings.Cut(id, ".")
		switch {
		case !slices.Contains(prefixes, prefix+"."):
		case m.one != nil && m.one.script() != m.other.script():
			// The names of the forms are the same as in the browser's Intl.PluralRules.
			texts[id] = map[string]string{"one": m.one.script(), "other": m.other.script()}
		default:
			texts[id] = m.other.script()
		}
	}
	text, err := json.Marshal(texts)
	if err != nil {
		return nil, fmt.Errorf("encode the texts for browsers: %w", err)
	}
	return text, nil
}

// Lang returns the language as a BCP 47 tag, for the lang attribute.
func (p *Printer) Lang() string { return p.lang }

// Script returns the texts of the browser's modules as JSON. It maps ids without `js.` to a text
// with {Name} for each value, or to an object of plural form and text.
func (p *Printer) Script() string { return p.script }

// FormsScript returns, as Script does, the texts of the modules on pages with forms for staff.
func (p *Printer) FormsScript() string { return p.forms }

// Embed returns the texts of the elements in the pages of host applications, as Script does.
func (p *Printer) Embed() json.RawMessage { return p.embed }

// EmbedMore returns the texts of the elements that only a user who acts needs.
func (p *Printer) EmbedMore() json.RawMessage { return p.more }

// Has reports whether there is a message with this id.
func (p *Printer) Has(id string) bool {
	_, ok := p.messages[id]
	return ok
}

// T returns a fixed text. It returns an unknown id unchanged, so that the page still works; a test ensures that there
// are none.
func (p *Printer) T(id string) string {
	if m, ok := p.messages[id]; ok {
		return m.plain
	}
	return id
}

// F returns a text with values, given as name, value, name, value.
func (p *Printer) F(id string, pairs ...string) string {
	m, ok := p.messages[id]
	if !ok {
		return id
	}
	return m.other.fill(pairs)
}

// Around returns the parts before and after the value called name, for callers that write a text
// many times. Its other values are given as for F.
func (p *Printer) Around(id, name string, pairs ...string) (before, after string) {
	pat := p.messages[id].other
	for i := 1; i < len(pat); i += 2 {
		if pat[i] == name {
			return pat[:i].fill(pairs), pat[i+1:].fill(pairs)
		}
	}
	return p.F(id, pairs...) + " ", ""
}

// N returns a text that depends on a number: the plural form for n, with n as {{.Count}} in the
// language's number format and further values as for F.
func (p *Printer) N(id string, n int64, pairs ...string) string {
	m, ok := p.messages[id]
	if !ok {
		return id
	}
	pat := m.other
	if m.one != nil && plural.Cardinal.MatchPlural(p.tag, int(n), 0, 0, 0, 0) == plural.One {
		pat = m.one
	}
	return pat.fill(append([]string{"Count", p.Number(n)}, pairs...))
}

// Number returns n in the language's number format.
func (p *Printer) Number(n int64) string {
	if -1000 < n && n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return message.NewPrinter(p.tag).Sprintf("%d", n)
}
