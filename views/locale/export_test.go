package locale

import (
	"slices"
	"testing"
)

// Source is the text of a catalogue.
func Source(t *testing.T, lang string) []byte {
	t.Helper()
	text, err := files.ReadFile(lang + ".toml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Placeholders are the names of the placeholders in a text, sorted.
func Placeholders(t *testing.T, text string) []string {
	t.Helper()
	p, err := compile(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	names := []string{}
	for i := 1; i < len(p); i += 2 {
		names = append(names, p[i])
	}
	slices.Sort(names)
	return names
}
