package archtest

import (
	"regexp"
	"strings"
	"testing"
)

// The README repeats rows of longer documents, and stays short.
func TestTheFirstPageRepeatsItsDocuments(t *testing.T) {
	t.Parallel()
	text := document(t, "README.md")
	if n := strings.Count(text, "\n"); n > 120 {
		t.Errorf("README.md has %d lines: move something to docs/", n)
	}
	settings, figures := document(t, "docs/settings.md"), document(t, "docs/benchmarks.md")
	rows, table := map[string]int{}, ""
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "| flag |"):
			table = settings
		case strings.HasPrefix(line, "| | Carillon | bound |"):
			table = figures
		case !strings.HasPrefix(line, "|"):
			table = ""
		}
		if table == "" {
			continue
		}
		rows[table]++
		if !strings.Contains(table, "\n"+line) {
			t.Errorf("README.md: this row is not in its document:\n%s", line)
		}
	}
	if rows[settings] < 3 || rows[figures] < 3 {
		t.Error("README.md shows no settings or no figures")
	}
}

// bold is emphasis; text in single asterisks is a label: a button or a field of a page.
var (
	bold  = regexp.MustCompile(`\*\*[^*\n]+\*\*`)
	label = regexp.MustCompile(`\*([^*\s][^*\n]*)\*`)
)

// Documents for people who use the pages name buttons and fields as the pages do.
func TestLabelsInDocumentsAreOnThePages(t *testing.T) {
	t.Parallel()
	texts := document(t, "views/locale/en.toml")
	for _, name := range []string{"README.md", "docs/staff.md", "docs/start.md", "docs/tour.md"} {
		for _, m := range label.FindAllStringSubmatch(bold.ReplaceAllString(document(t, name), ""), -1) {
			if m[1] != "this form" && !strings.Contains(texts, "= \""+m[1]+"\"\n") {
				t.Errorf("%s: no text of the pages is *%s*", name, m[1])
			}
		}
	}
}
