package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// relativeLink is a link or a picture of Markdown that leads to a file of the repository.
var relativeLink = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)

func TestLinksOfDocumentsLeadToFilesWithText(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "SECURITY.md", "CONTRIBUTING.md"} {
		documents = append(documents, filepath.Join(root(t), name))
	}
	for _, path := range documents {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(text) == 0 {
			t.Errorf("%s is empty", filepath.Base(path))
		}
		for _, link := range relativeLink.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(link[1], "/") {
				continue // an address of the server
			}
			info, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(link[1])))
			if err != nil || (!info.IsDir() && info.Size() == 0) {
				t.Errorf("%s links to %s, which is missing or empty", filepath.Base(path), link[1])
			}
		}
	}
}
