package locale

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// scriptPrefix begins the ids of the texts used by the browser's modules.
const scriptPrefix = "js."

// Printer writes texts in one language. It is safe for concurrent use.
type Printer struct {
	tag      language.Tag
	lang     string
	messages map[string]msg
	script   string
}

// msg is a compiled message, with a pattern for each plural form it has.
type msg struct {
	plain string // the text, if it has no placeholders
	forms [6]pattern
}

func newPrinter(tag language.Tag, messages []*i18n.Message) (*Printer, error) {
	p := &Printer{tag: tag, lang: tag.String(), messages: make(map[string]msg, len(messages))}
	script := map[string]any{}
	for _, m := range messages {
		var compiled msg
		texts := map[string]string{}
		for form, text := range formsOf(m) {
			if text == "" {
				continue
			}
			pat, err := compile(text)
			if err != nil {
				return nil, fmt.Errorf("message %s: %w", m.ID, err)
			}
			compiled.forms[form] = pat
			texts[formNames[form]] = pat.script()
		}
		if compiled.forms[plural.Other] == nil {
			return nil, fmt.Errorf("message %s has no text", m.ID)
		}
		compiled.plain = m.Other
		p.messages[m.ID] = compiled
		if id, ok := strings.CutPrefix(m.ID, scriptPrefix); ok {
			if script[id] = texts; len(texts) == 1 {
				script[id] = texts["other"]
			}
		}
	}
	text, err := json.Marshal(script)
	if err != nil {
		return nil, fmt.Errorf("encode the texts of the scripts: %w", err)
	}
	p.script = string(text)
	return p, nil
}

// formNames are the CLDR names, which the browser's Intl.PluralRules uses too.
var formNames = [6]string{
	plural.Other: "other", plural.Zero: "zero", plural.One: "one",
	plural.Two: "two", plural.Few: "few", plural.Many: "many",
}

func formsOf(m *i18n.Message) [6]string {
	return [6]string{
		plural.Other: m.Other, plural.Zero: m.Zero, plural.One: m.One,
		plural.Two: m.Two, plural.Few: m.Few, plural.Many: m.Many,
	}
}

// Lang returns the language as a BCP 47 tag, for the lang attribute.
func (p *Printer) Lang() string { return p.lang }

// Script returns the texts of the browser's modules as JSON. It maps ids without `js.` to a text
// with {Name} for each value, or to an object of plural form and text.
func (p *Printer) Script() string { return p.script }

// Has reports whether there is a message with this id.
func (p *Printer) Has(id string) bool {
	_, ok := p.messages[id]
	return ok
}

// T returns a fixed text. It returns an unknown id as it is, so that the page still works; a test
// makes sure that there are none.
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
	return m.forms[plural.Other].fill(pairs)
}

// Around returns the parts before and after the only value of a text, for callers that write it
// many times.
func (p *Printer) Around(id, name string) (before, after string) {
	if pat := p.messages[id].forms[plural.Other]; len(pat) == 3 && pat[1] == name {
		return pat[0], pat[2]
	}
	return p.F(id) + " ", ""
}

// N returns a text that depends on a number: the plural form for n, with n as {{.Count}} in the
// language's number format and further values as for F.
func (p *Printer) N(id string, n int64, pairs ...string) string {
	m, ok := p.messages[id]
	if !ok {
		return id
	}
	pat := m.forms[plural.Cardinal.MatchPlural(p.tag, int(n), 0, 0, 0, 0)]
	if pat == nil {
		pat = m.forms[plural.Other]
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

// IDs returns the ids of all messages, sorted.
func (p *Printer) IDs() []string { return slices.Sorted(maps.Keys(p.messages)) }
