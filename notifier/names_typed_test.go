package notifier_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// directoryOf returns a lookup that ignores case.
func directoryOf(names ...string) func([]string) (map[string][]string, error) {
	return func(asked []string) (map[string][]string, error) {
		found := map[string][]string{}
		for _, a := range asked {
			for _, name := range names {
				if strings.EqualFold(a, name) {
					found[a] = append(found[a], name)
				}
			}
		}
		return found, nil
	}
}

// readNames reads names with an empty directory.
func readNames(text string) []string {
	typed, _ := notifier.ReadNames(text, directoryOf())
	return typed.Names
}

func TestNamesAreReadInAnyCaseWithAnySeparator(t *testing.T) {
	t.Parallel()
	known := directoryOf("bob", "carol", "Anna Maria", "Anna", "Smith, John", "a;b", "Zoë", "zed", "ZED", "山田")
	for text, want := range map[string]string{
		"bob":                         "bob",
		"bob, carol":                  "bob|carol",
		"bob;carol":                   "bob|carol",
		"bob carol":                   "bob|carol",
		"bob\tcarol":                  "bob|carol",
		"bob\r\ncarol\n\n":            "bob|carol",
		"bob\u00a0carol":              "bob|carol",
		"bob、carol，山田；zed":            "bob|carol|山田|zed",
		"Bob; CAROL":                  "bob|carol",
		"zoë ZOË":                     "Zoë",
		"bob, Bob, BOB":               "bob",
		"Anna Maria bob":              "Anna Maria|bob",
		"bob anna maria carol anna":   "bob|Anna Maria|carol|Anna",
		"Smith, John":                 "Smith, John",
		"smith, john\nbob":            "Smith, John|bob",
		"a;b":                         "a;b",
		"a;b;bob":                     "a|b|bob", // text that is not a name as a whole is split
		"bob nobody carol":            "bob|nobody|carol",
		"no such person":              "no such person",
		"no such person, bob":         "no such person|bob",
		" , ;\n":                      "",
		"":                            "",
		"Zed":                         "Zed",
		"zed ZED":                     "zed|ZED",
		strings.Repeat("x", 300):      strings.Repeat("x", 300),
		"bob\vcarol\u2028anna":        "bob|carol|Anna",
		"bob," + "\t" + "carol ; bob": "bob|carol",
	} {
		got, err := notifier.ReadNames(text, known)
		if err != nil || strings.Join(got.Names, "|") != want {
			t.Errorf("%q was read as %q, %v; want %q", text, got.Names, err, want)
		}
		if unclear := cmp.Diff([]string{"zed", "ZED"}, got.Unclear["Zed"]); (unclear == "") != (text == "Zed") {
			t.Errorf("%q: Unclear = %v", text, got.Unclear)
		}
	}
	away := errors.New("away")
	if _, err := notifier.ReadNames("bob", func([]string) (map[string][]string, error) { return nil, away }); !errors.Is(err, away) {
		t.Errorf("with an unavailable directory: %v", err)
	}
}

func FuzzTypedNamesAreBoundedAndKeepKnownNames(f *testing.F) {
	f.Add("bob, carol;anna maria\tzed")
	f.Add("Bob bob BOB,,;;\n\u00a0x")
	f.Add(strings.Repeat("a b ", 3000))
	f.Fuzz(func(t *testing.T, text string) {
		asked, times := 0, 0
		known := directoryOf("bob", "carol", "Anna Maria")
		got, err := notifier.ReadNames(text, func(names []string) (map[string][]string, error) {
			asked, times = asked+len(names), times+1
			return known(names)
		})
		if err != nil || times > 3 || asked > 3*notifier.MaxNames || len(got.Names) > notifier.MaxNames+1 {
			t.Fatalf("%d names looked up in %d calls, %d returned, %v", asked, times, len(got.Names), err)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(got.Names)))) != len(got.Names) {
			t.Fatalf("a name occurs twice: %q", got.Names)
		}
		for _, part := range strings.Split(text, ",") {
			if part == "carol" && len(got.Names) <= notifier.MaxNames && !strings.ContainsAny(text, "\x00") && !slices.Contains(got.Names, "carol") && !strings.EqualFold(text, "Anna Maria") {
				t.Fatalf("%q lost carol: %q", text, got.Names)
			}
		}
	})
}
