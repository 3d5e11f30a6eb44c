package static

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// manifest is the part of custom-elements.json that the test compares with the code.
type manifest struct {
	Modules []struct {
		Declarations []struct {
			TagName    string
			Attributes []struct{ Name string }
			CSSParts   []struct{ Name string } `json:"cssParts"`
		}
	}
}

func TestTheManifestNamesTheAttributesThatTheElementsRead(t *testing.T) {
	t.Parallel()
	files, err := Package()
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := json.Unmarshal(files["custom-elements.json"], &m); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, e := range m.Modules[0].Declarations {
		for _, a := range e.Attributes {
			named[a.Name] = true
		}
	}
	read := map[string]bool{"theme": true} // by the style sheet
	sources, err := filepath.Glob("embed/*.js")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?:this|el)\.(?:getAttribute|hasAttribute|flag)\("([a-z-]+)"\)|this\.toggleAttribute\("([a-z]+)"`).FindAllStringSubmatch(string(text), -1) {
			read[found[1]+found[2]] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(read)), slices.Sorted(maps.Keys(named))); diff != "" {
		t.Errorf("attributes that the elements read, and those of the manifest:\n%s", diff)
	}
	for name, text := range files {
		if strings.HasSuffix(name, ".js") && strings.Contains(string(text), "import.meta") {
			t.Errorf("%s asks for its own address: a bundler moves it", name)
		}
	}
}
