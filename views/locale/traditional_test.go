package locale_test

import (
	"testing"

	"github.com/carillonhq/carillon/views/locale"
)

func TestReadersOfTraditionalChineseGetNoSimplified(t *testing.T) {
	t.Parallel()
	c, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range [][3]string{
		{"", "zh-TW", "en"},
		{"", "zh-HK", "en"},
		{"", "zh-MO,ja;q=0.8", "ja"},
		{"", "zh-Hant-CN", "en"},
		{"", "yue-HK,zh;q=0.5", "en"},
		{"", "zh-TW,zh;q=0.9,en;q=0.8", "en"},
		{"", "zh-TW,zh;q=0.9,ja;q=0.8,en;q=0.7", "ja"},
		{"", "zh-TW,zh-CN;q=0.9,en;q=0.8", "zh-Hans"},
		{"", "zh,zh-TW;q=0.9", "zh-Hans"},
		{"", "zh-SG", "zh-Hans"},
		{"", "zh", "zh-Hans"},
		{"zh-TW", "", "en"},
		{"zh-TW", "zh,en;q=0.8", "en"},
		{"zh-Hant-HK", "ja", "ja"},
		{"zh-TW", "zh-Hans", "zh-Hans"},
		{"zh-TW", ";;", "en"},
		{"zh-CN", "en", "zh-Hans"},
	} {
		if got := c.For(test[0], test[1]).Lang(); got != test[2] {
			t.Errorf("the setting %q and %q give %s, want %s", test[0], test[1], got, test[2])
		}
	}
}
