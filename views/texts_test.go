package views_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/BurntSushi/toml"

	"github.com/carillonhq/carillon/views/locale"
)

// sources reads the files that match the patterns, relative to this package.
func sources(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_templ.go") && !strings.HasSuffix(name, "_test.go") {
				found[name] = string(text)
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("nothing found by %v", patterns)
	}
	return found
}

var (
	templBlock = regexp.MustCompile(`(?ms)^templ [^\n]*\{\n(.*?)^\}`)
	// Parts of a template that are not text: tags with quoted and computed attributes,
	// expressions, and lines of code.
	notText = []*regexp.Regexp{
		regexp.MustCompile(`(?s)<[a-zA-Z/!](?:"[^"]*"|\{[^}]*\}|[^">{])*>`),
		regexp.MustCompile(`(?m)^\s*(?:if|for|switch|case|default|\} else)\b[^\n]*$`),
		regexp.MustCompile(`(?m)^\s*@[^\n]*$`),
		regexp.MustCompile(`\{[^{}]*\}`),
	}
	readable = regexp.MustCompile(`(?:aria-label|title|alt|placeholder)="[^"]*\pL[^"]*"`)
)

// hardCoded returns the letters that a template shows without using a catalogue.
func hardCoded(template string) []string {
	var found []string
	for _, block := range templBlock.FindAllStringSubmatch(template, -1) {
		text := block[1]
		found = append(found, readable.FindAllString(text, -1)...)
		// An if inside a tag is part of the tag.
		text = regexp.MustCompile(`(?m)^\s*if [^\n]*\{\n(\s*[a-z-]+="[^"]*"\n)+\s*\}\n`).ReplaceAllString(text, "")
		for _, pattern := range notText {
			text = pattern.ReplaceAllString(text, "")
		}
		for line := range strings.Lines(text) {
			if strings.ContainsFunc(line, unicode.IsLetter) {
				found = append(found, strings.TrimSpace(line))
			}
		}
	}
	return found
}

func TestNoTemplateHasHardCodedText(t *testing.T) {
	t.Parallel()
	for name, text := range sources(t, "*.templ", "components/*.templ", "mail/*.templ") {
		for _, found := range hardCoded(text) {
			t.Errorf("%s shows %q: put it into the catalogues", name, found)
		}
	}
}

func TestHardCodedTextIsFoundInTextAndAttributes(t *testing.T) {
	t.Parallel()
	for _, template := range []string{
		"templ x() {\n\t<p>Hello</p>\n}\n",
		"templ x() {\n\t<p class=\"a\">{ p.Title } items</p>\n}\n",
		"templ x() {\n\t<a href=\"/\" aria-label=\"Home\">{ p.Title }</a>\n}\n",
		"templ x() {\n\t<p>\n\t\t日本語\n\t</p>\n}\n",
	} {
		if len(hardCoded(template)) == 0 {
			t.Errorf("no text found in %s", template)
		}
	}
	if found := hardCoded("templ x() {\n\t<p class=\"a\" id={ p.ID }>{ p.Text }</p>\n\tif p.A > 0 {\n\t\t@y(p)\n\t}\n}\n"); len(found) > 0 {
		t.Errorf("found text where there is none: %q", found)
	}
}

// TestEveryTextUsedExists finds the IDs in templates, handlers and modules. Composed IDs end there in a
// dot or an underscore.
func TestEveryTextUsedExists(t *testing.T) {
	t.Parallel()
	c, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	english := c.For("en", "")
	asked := map[string]bool{}
	inGo := regexp.MustCompile(`(?:\.(?:T|F|N)|named)\(\s*"([a-z_0-9.]+)"[,)]`)
	for name, text := range sources(t, "*.templ", "*.go", "components/*.templ", "components/*.go", "mail/*.templ", "mail/*.go", "../handlers/*.go") {
		for _, id := range inGo.FindAllStringSubmatch(text, -1) {
			asked[id[1]] = true
			if !english.Has(id[1]) {
				t.Errorf("%s uses %s, which no catalogue has", name, id[1])
			}
		}
	}
	inScript := regexp.MustCompile(`\btext\("([a-z_]+)"`)
	for dir, prefixes := range map[string][]string{"js": {"js.", "js_forms."}, "embed": {"embed.", "embed_more."}} {
		for name, text := range sources(t, "../static/"+dir+"/*.js") {
			for _, id := range inScript.FindAllStringSubmatch(text, -1) {
				asked[prefixes[0]+id[1]] = true
				if !english.Has(prefixes[0]+id[1]) && !english.Has(prefixes[1]+id[1]) {
					t.Errorf("%s uses %s, which no catalogue has", name, prefixes[0]+id[1])
				}
			}
		}
	}
	if len(asked) < 80 {
		t.Errorf("only %d texts are used: is the pattern still right?", len(asked))
	}
}

// TestOnlyModulesOfFormsUseTheTextsOfForms finds texts that a reader's page lacks although its modules use them.
func TestOnlyModulesOfFormsUseTheTextsOfForms(t *testing.T) {
	t.Parallel()
	var texts struct {
		Forms map[string]any `toml:"js_forms"`
	}
	if _, err := toml.DecodeFile("locale/en.toml", &texts); err != nil || len(texts.Forms) == 0 {
		t.Fatalf("found %v, %v", texts.Forms, err)
	}
	modules := sources(t, "../static/js/*.js")
	inForms := map[string]bool{}
	imports := regexp.MustCompile(`from "\./([a-z]+\.js)"`)
	for left := []string{"../static/js/staff.js"}; len(left) > 0; {
		name := left[0]
		left = left[1:]
		if inForms[name] {
			continue
		}
		inForms[name] = true
		for _, found := range imports.FindAllStringSubmatch(modules[name], -1) {
			left = append(left, "../static/js/"+found[1])
		}
	}
	for name, text := range modules {
		for id := range texts.Forms {
			if strings.Contains(text, `"`+id+`"`) && !inForms[name] {
				t.Errorf("%s uses %s, which only pages with forms for staff have", name, id)
			}
		}
	}
}

// TestNoTextIsUnused finds texts that are not used anywhere.
func TestNoTextIsUnused(t *testing.T) {
	t.Parallel()
	var texts map[string]any
	catalogue, err := toml.DecodeFile("locale/en.toml", &texts)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, text := range sources(t, "*.templ", "*.go", "components/*.templ", "components/*.go", "mail/*.templ", "mail/*.go", "../handlers/*.go", "../internal/instance/*.go", "../static/js/*.js", "../static/embed/*.js", "locale/*.go") {
		all.WriteString(text)
	}
	// IDs that are composed of a prefix and a code.
	composed := regexp.MustCompile(`^(error|status|state|notice|why|icon|color|embed\.(tab|empty)|inbox\.empty|announcements\.empty|person\.did|users\.(audience|note|state|many)|(users|notices|subscriptions|types|roles|apikeys|apps|hostapp|hooks|hook|mails|tasks)\.column|` +
		`send\.(target|markup|later)|(subscriptions|types|roles|role|apikeys|apps|hooks|hook|rules)\.(empty|nothing|only|state|scope|hint|key|event))[._]`)
	for _, key := range catalogue.Keys() {
		if catalogue.Type(key...) == "Hash" {
			continue
		}
		id := strings.TrimSuffix(strings.TrimSuffix(strings.Join(key, "."), ".one"), ".other")
		name := regexp.MustCompile(`^(js|js_forms|embed|embed_more)\.`).ReplaceAllString(id, "")
		if !composed.MatchString(id) && !strings.Contains(all.String(), `"`+name+`"`) && !strings.Contains(all.String(), `"`+id+`"`) {
			t.Errorf("nothing uses %s", id)
		}
	}
}
