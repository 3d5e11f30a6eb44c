// Package locale contains the texts of the pages in each language that Carillon supports, and chooses
// the language of a request.
//
// A catalogue is a TOML file: a text is a string, or a table with the plural forms `one` and `other`.
// The id of a text is its path, such as `inbox.new`. Texts are compiled once at start, because a page
// uses some hundred of them.
package locale

import (
	"embed"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/maypok86/otter/v2"
	"golang.org/x/text/language"
)

//go:embed *.toml
var files embed.FS

// rememberedHeaders limits the cached Accept-Language headers.
const rememberedHeaders = 1000

// Catalogue is the texts in all languages.
type Catalogue struct {
	printers []*Printer
	matcher  language.Matcher

	headers *otter.Cache[string, *Printer] // by Accept-Language; parsing one costs microseconds
}

// New compiles the embedded catalogues.
func New() (*Catalogue, error) {
	c := &Catalogue{headers: otter.Must(&otter.Options[string, *Printer]{MaximumSize: rememberedHeaders})}
	// The first language is the default.
	tags := []language.Tag{language.English, language.Japanese, language.SimplifiedChinese}
	for _, tag := range tags {
		name := tag.String() + ".toml"
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read catalogue: %w", err)
		}
		var table map[string]any
		if err := toml.Unmarshal(text, &table); err != nil {
			return nil, fmt.Errorf("parse catalogue %s: %w", name, err)
		}
		texts := map[string]string{}
		if err := flatten(texts, "", table); err != nil {
			return nil, fmt.Errorf("read catalogue %s: %w", name, err)
		}
		p, err := newPrinter(tag, texts)
		if err != nil {
			return nil, fmt.Errorf("compile catalogue %s: %w", name, err)
		}
		c.printers = append(c.printers, p)
	}
	c.matcher = language.NewMatcher(tags)
	return c, nil
}

// flatten adds the strings of a table to texts, each by its path.
func flatten(texts map[string]string, path string, table map[string]any) error {
	for name, value := range table {
		id := strings.TrimPrefix(path+"."+name, ".")
		switch value := value.(type) {
		case string:
			texts[id] = value
		case map[string]any:
			if err := flatten(texts, id, value); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is not a text", id)
		}
	}
	return nil
}

// Printers returns one printer for each language, English first.
func (c *Catalogue) Printers() []*Printer { return c.printers }

// For returns the printer for a request: in the language of the user's setting (a BCP 47 tag) if
// Carillon supports it, otherwise the best match for the browser's Accept-Language, otherwise
// English. See readable about Traditional Chinese.
func (c *Catalogue) For(setting, acceptLanguage string) *Printer {
	for _, p := range c.printers {
		if p.lang == setting {
			return p
		}
	}
	if setting == "" {
		return c.accepted(acceptLanguage)
	}
	tag, err := language.Parse(setting)
	switch {
	case err != nil:
	case traditional(tag):
		tags, _, err := language.ParseAcceptLanguage(acceptLanguage)
		if err != nil {
			return c.printers[0]
		}
		return c.match(append([]language.Tag{tag}, tags...))
	default:
		if _, i, confidence := c.matcher.Match(tag); confidence > language.No {
			return c.printers[i]
		}
	}
	return c.accepted(acceptLanguage)
}

func (c *Catalogue) accepted(header string) *Printer {
	if p, ok := c.headers.GetIfPresent(header); ok {
		return p
	}
	p := c.printers[0]
	// A malformed header means English.
	if tags, _, err := language.ParseAcceptLanguage(header); err == nil {
		p = c.match(tags)
	}
	if len(header) < 200 {
		c.headers.Set(header, p)
	}
	return p
}

// match returns the printer for the languages that a user reads, the best first.
func (c *Catalogue) match(tags []language.Tag) *Printer {
	if tags = readable(tags); len(tags) == 0 {
		return c.printers[0]
	}
	_, i, _ := c.matcher.Match(tags...)
	return c.printers[i]
}

// readable removes Traditional Chinese (zh-TW, zh-HK, zh-MO, zh-Hant, yue), for which there are no texts: the matcher would
// choose Simplified Chinese, which these readers did not request. Browsers add a plain zh after it, which then also means
// Traditional. A reader whose list also contains zh-CN gets Simplified at that position.
func readable(tags []language.Tag) (kept []language.Tag) {
	hant := false
	for _, tag := range tags {
		switch base, script, region := tag.Raw(); {
		case traditional(tag):
			hant = true
		case hant && base.String() == "zh" && script.String() == "Zzzz" && region.String() == "ZZ":
		default:
			kept = append(kept, tag)
		}
	}
	return kept
}

func traditional(tag language.Tag) bool {
	script, _ := tag.Script()
	return script.String() == "Hant"
}
