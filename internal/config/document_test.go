package config

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// docs/settings.md has a table of settings: a row begins with `| --flag |`, whose
// third cell is the default, or empty for none.
func TestTheDocumentListsEverySettingAndItsDefault(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| *`--([a-z-]+)[^`]*` *\\|(.*)$").FindAllStringSubmatch(string(text), -1)
	listed := map[string]bool{}
	for _, row := range rows {
		if listed[row[1]] {
			t.Errorf("--%s is listed twice", row[1])
		}
		listed[row[1]] = true
	}
	want := settings(t)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(listed))); diff != "" {
		t.Errorf("settings in config.go and in the table of docs/settings.md (rows `| `--flag` | default | … |`):\n%s", diff)
	}
	for _, row := range rows {
		if fallback := want[row[1]]; fallback != "" && !strings.Contains(row[2], fallback) {
			t.Errorf("docs/settings.md: the row of --%s does not say its default, %s", row[1], fallback)
		}
	}
}

// settings is every flag of the configuration with its default.
func settings(t *testing.T) map[string]string {
	t.Helper()
	parser, err := kong.New(&Flags{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range parser.Model.Flags {
		if f.Name != "help" {
			all[f.Name] = f.Default
		}
	}
	if n := reflect.TypeFor[Flags]().NumField(); len(all) != n {
		t.Fatalf("%d settings of %d fields", len(all), n)
	}
	return all
}
