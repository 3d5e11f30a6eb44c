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
	tags := []language.Tag{language.English, language.Japanese, language.SimplifiedChinese, language.TraditionalChinese}
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
// English.
func (c *Catalogue) For(setting, acceptLanguage string) *Printer {
	for _, p := range c.printers {
		if p.lang == setting {
			return p
		}
	}
	if tag, err := language.Parse(setting); err == nil {
		if _, i, confidence := c.matcher.Match(written(tag)); confidence > language.No {
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
		for i, tag := range tags {
			tags[i] = written(tag)
		}
		_, i, _ := c.matcher.Match(tags...)
		p = c.printers[i]
	}
	if len(header) < 200 {
		c.headers.Set(header, p)
	}
	return p
}

// written returns Traditional Chinese for all who read it: in Taiwan, Hong Kong, Macao and elsewhere, and readers of Cantonese,
// whom the matcher would give the plain zh that browsers add after it, or English.
func written(tag language.Tag) language.Tag {
	if script, _ := tag.Script(); script.String() == "Hant" {
		return language.TraditionalChinese
	}
	return tag
}
