package notifier_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
)

func TestAProfileIsCleaned(t *testing.T) {
	t.Parallel()
	kanji := strings.Repeat("漢", 67)
	for _, test := range []struct {
		clean      func(string) (string, notifier.Mend)
		said, want string
		mend       notifier.Mend
	}{
		{notifier.CleanDisplay, "Ann Lee", "Ann Lee", notifier.Kept},
		{notifier.CleanDisplay, "", "", notifier.Kept},
		{notifier.CleanDisplay, kanji, kanji[:198], notifier.Cut},
		{notifier.CleanDisplay, strings.Repeat("x", 199) + "e\u0301", strings.Repeat("x", 199), notifier.Cut},
		{notifier.CleanDisplay, strings.Repeat("👨‍👩‍👧", 12), strings.Repeat("👨‍👩‍👧", 11), notifier.Cut},
		{notifier.CleanDisplay, " Ann\t\r\nLee ", "Ann Lee", notifier.Cleaned},
		{notifier.CleanDisplay, "\u2068Ann\u2069 \u202eLee\x00", "Ann Lee", notifier.Cleaned},
		{notifier.CleanDisplay, "J\xf6rg", "Jörg", notifier.Cleaned},
		{notifier.CleanDisplay, "\u200b\u2069\x00 ", "", notifier.Dropped},
		{notifier.CleanEmail, " ann@example.com\n", "ann@example.com", notifier.Cleaned},
		{notifier.CleanEmail, "ann@bücher.example", "ann@xn--bcher-kva.example", notifier.Cleaned},
		{notifier.CleanEmail, "jörg@example.com", "jörg@example.com", notifier.Kept},
		{notifier.CleanEmail, "Ann <ann@example.com>", "ann@example.com", notifier.Cleaned},
		{notifier.CleanEmail, "Ann <ann@bücher.example>", "ann@xn--bcher-kva.example", notifier.Cleaned},
		{notifier.CleanEmail, `"ann@example.com"`, "ann@example.com", notifier.Cleaned},
		{notifier.CleanEmail, "mailto:ann@example.com", "ann@example.com", notifier.Cleaned},
		{notifier.CleanEmail, "ann@example.com, bob@example.com", "ann@example.com", notifier.Cut},
		{notifier.CleanEmail, "ann@example.com;bob@example.com", "ann@example.com", notifier.Cut},
		{notifier.CleanEmail, "ann@localhost", "ann@localhost", notifier.Kept},
		{notifier.CleanEmail, "ann@" + strings.Repeat("x", 300) + ".example", "", notifier.Dropped},
		{notifier.CleanEmail, "nobody", "", notifier.Dropped},
		{notifier.CleanLocale, "en-US-u-ca-buddhist", "en-US-u-ca-buddhist", notifier.Kept},
		{notifier.CleanLocale, "zh-Hant-TW", "zh-Hant-TW", notifier.Kept},
		{notifier.CleanLocale, "de_DE.UTF-8@euro", "de-DE", notifier.Cleaned},
		{notifier.CleanLocale, "fr_CA", "fr-CA", notifier.Cleaned},
		{notifier.CleanLocale, "pt-BR,pt;q=0.9", "pt-BR", notifier.Cleaned},
		{notifier.CleanLocale, "C.UTF-8", "", notifier.Dropped},
		{notifier.CleanLocale, "POSIX", "", notifier.Dropped},
		{notifier.CleanLocale, "x", "", notifier.Dropped},
		{notifier.CleanLocale, strings.Repeat("en-", 170), "", notifier.Dropped},
		{notifier.CleanZone, " Europe/Berlin", "Europe/Berlin", notifier.Cleaned},
		{notifier.CleanZone, "W. Europe Standard Time", "", notifier.Dropped},
		{notifier.CleanZone, "Local", "", notifier.Dropped},
		{notifier.CleanZone, "../../etc/passwd", "", notifier.Dropped},
	} {
		if got, mend := test.clean(test.said); got != test.want || mend != test.mend {
			t.Errorf("%.60q is %q, %s; want %q, %s", test.said, got, mend, test.want, test.mend)
		}
	}
}

func FuzzAProfileIsAlwaysFitToStore(f *testing.F) {
	for _, seed := range []string{"Ann", "\xff\xfe", "🇩🇪🇩🇪", "Ann <a@b.example>", "de_DE.UTF-8", "Europe/Berlin", strings.Repeat("e\u0301", 300), "a@ß.example"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		name, mend := notifier.CleanDisplay(said)
		if name != "" && !notifier.ValidName(name) || len(name) > notifier.MaxDisplay || mend == notifier.Dropped && name != "" {
			t.Fatalf("%q is shown as %q, %s", said, name, mend)
		}
		if again, mend := notifier.CleanDisplay(name); again != name || mend != notifier.Kept {
			t.Fatalf("%q is cleaned twice: %q, %s", name, again, mend)
		}
		if address, _ := notifier.CleanEmail(said); address != "" {
			if again, err := notifier.ParseEmail(address); err != nil || again != address {
				t.Fatalf("%q is mailed to at %q: %q, %v", said, address, again, err)
			}
		}
		if tag, _ := notifier.CleanLocale(said); len(tag) > notifier.MaxLocale {
			t.Fatalf("%q is the language %q", said, tag)
		}
		if zone, _ := notifier.CleanZone(said); zone != "" && !notifier.ValidZone(zone) {
			t.Fatalf("%q is the zone %q", said, zone)
		}
		if short := notifier.Shorten(notifier.CloseIsolates(strings.ToValidUTF8(said, "?")), 5); utf8.RuneCountInString(short) > 5 || notifier.CloseIsolates(short) != short {
			t.Fatalf("%q is shortened to %q", said, short)
		}
	})
}

func TestNamesThatLookLikeAnothersAreNotNew(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ann": "", "Ann Lee": "", "张三": "", "José": "", "Jose\u0301": "", " ann": "blank_edge", "ann\u00a0": "blank_edge", "ann\u3000": "blank_edge",
		"ann\u200b": "unseen", "\ufeffann": "unseen", "a\u00adnn": "unseen", "ann\U000e0041": "unseen", "ann\ufe0f": "unseen", "a\u2060n": "unseen", "ann\u3164": "unseen",
		"ann\ufffd": "unseen", "ann\ufdd0": "unseen", "ann\U0001ffff": "unseen", "ann\u202e": "bad_name", "": "bad_name", "a\x00": "bad_name",
	} {
		got := ""
		if fault := notifier.NameFault(name); fault != nil {
			got = fault.Code
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if trimmed := notifier.TrimName(name); want == "" && trimmed != name {
			t.Errorf("%q is typed as %q", name, trimmed)
		}
	}
}
