package locale_test

import (
	"os"
	"strings"
	"testing"
)

func TestReadersOfChineseGetTheirScript(t *testing.T) {
	t.Parallel()
	c := catalogue(t)
	for _, test := range [][3]string{
		{"", "zh-TW", "zh-Hant"},
		{"", "zh-HK", "zh-Hant"},
		{"", "zh-MO,ja;q=0.8", "zh-Hant"},
		{"", "zh-Hant", "zh-Hant"},
		{"", "zh-Hant-CN", "zh-Hant"},
		{"", "zh-tw", "zh-Hant"},
		{"", "fr,zh-Hant;q=0.3", "zh-Hant"},
		{"", "ja;q=0.4,zh-Hant;q=0.5", "zh-Hant"},
		{"", "zh-Hant;q=0.5,ja", "ja"},
		{"", "en-US,zh-TW;q=0.9", "en"},
		{"", "zh-TW,zh;q=0.9,en-US;q=0.8,en;q=0.7", "zh-Hant"},
		{"", "zh-TW,zh-CN;q=0.9,en;q=0.8", "zh-Hant"},
		{"", "yue-HK,zh;q=0.5", "zh-Hant"},
		{"", "yue,en;q=0.5", "zh-Hant"},
		{"", "zh,zh-TW;q=0.9", "zh-Hans"},
		{"", "zh-CN,zh-TW;q=0.9", "zh-Hans"},
		{"", "zh-SG", "zh-Hans"},
		{"", "zh-Hans-HK,zh-HK;q=0.9", "zh-Hans"},
		{"", "zh", "zh-Hans"},
		{"zh-TW", "", "zh-Hant"},
		{"zh-TW", "zh,en;q=0.8", "zh-Hant"},
		{"zh-Hant-HK", "ja", "zh-Hant"},
		{"zh-Hant", "zh-CN", "zh-Hant"},
		{"yue", "en", "zh-Hant"},
		{"zh-Hans", "zh-TW", "zh-Hans"},
		{"zh-CN", "zh-TW", "zh-Hans"},
		{"zh", "zh-TW", "zh-Hans"},
	} {
		if got := c.For(test[0], test[1]).Lang(); got != test[2] {
			t.Errorf("the setting %q and %q give %s, want %s", test[0], test[1], got, test[2])
		}
	}
}

// TestTraditionalHasNoSimplifiedCharacters knows the characters of GB 2312 that OpenCC converts to others, and that Big5 does not
// have or Traditional texts do not need.
func TestTraditionalHasNoSimplifiedCharacters(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("testdata/simplified.txt")
	if err != nil {
		t.Fatal(err)
	}
	simplified := strings.ReplaceAll(string(list), "\n", "")
	c := catalogue(t)
	for id, m := range c.For("zh-Hant", "").Messages() {
		if i := strings.IndexAny(m.Text, simplified+"“”‘’"); i >= 0 {
			t.Errorf("%s has Simplified characters or quotation marks from %q on", id, m.Text[i:])
		}
	}
	found := 0
	for _, m := range c.For("zh-Hans", "").Messages() {
		if strings.ContainsAny(m.Text, simplified) {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d texts of Simplified have such characters", found)
	}
}
