package mail_test

import (
	netmail "net/mail"
	"strings"
	"testing"
	"unicode"

	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/notifier"
)

func TestOnlyOnePlainAddressIsAnAddress(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 60) + "@" + strings.Repeat("b.", 96) + "ex"
	for text, want := range map[string]bool{
		"alice@example.com": true, "a.b+c@mail.example.com": true, "root@localhost": true, "o'hara@example.com": true, "jörg@example.com": true, "用户@例子.公司": true,
		long[:254]: true, long[:254] + "x": false, strings.Repeat("a", 65) + "@example.com": false,
		"": false, "alice": false, "@example.com": false, "alice@": false, "alice@@example.com": false, " alice@example.com": true, "alice@example.com ": true,
		"alice@example.com\n": true, "alice@example.com\r\nBcc: eve@example.com": false, "al\x00ice@example.com": false, "al\u2028ice@example.com": false, "alice\u202e@example.com": false,
		"alice@example.com, bob@example.com": false, "alice@example.com;bob@example.com": false, "Alice <alice@example.com>": false, "<alice@example.com>": false,
		"alice@example.com (home)": false, `"alice"@example.com`: false, `"a b"@example.com`: false, "alice@exa mple.com": false, "alice@-example.com": false,
		"alice@example..com": false, "alice@.com": false, "alice@example.com.": false, "alice@[127.0.0.1]": false, "a..b@example.com": false, "\xff@example.com": false,
	} {
		got, err := mail.ParseAddress(text)
		if (err == nil) != want || err == nil && got != strings.TrimSpace(text) && !strings.Contains(got, "@xn--") {
			t.Errorf("%q: %q, %v, want an address: %v", text, got, err, want)
		}
	}
}

func FuzzAnAddressCannotEndALine(f *testing.F) {
	for _, seed := range []string{"alice@example.com", "a@b\r\nDATA", "Alice <a@b>", "a@b,c@d", `"a@b"@c`, "用户@例子.公司"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := mail.ParseAddress(text)
		if err != nil {
			return
		}
		ends := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune("<>,", r) }
		if len(got) > notifier.MaxEmail || strings.ContainsFunc(got, ends) {
			t.Fatalf("%q is taken as %q", text, got)
		}
		if all, err := netmail.ParseAddressList(got); err != nil || len(all) != 1 || all[0].Address != got {
			t.Fatalf("%q is %v to others: %v", got, all, err)
		}
	})
}

func TestTheSenderMayHaveANameForPeople(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"carillon@example.com": {"", "carillon@example.com"}, "Carillon <carillon@example.com>": {"Carillon", "carillon@example.com"},
		`"Harbour, Goods" <n@example.com>`: {"Harbour, Goods", "n@example.com"},
	} {
		if name, address, err := mail.ParseSender(text); err != nil || name != want[0] || address != want[1] {
			t.Errorf("%q: %q %q, %v", text, name, address, err)
		}
	}
	for _, text := range []string{"", "Carillon", "a@example.com, b@example.com", "Carillon <a@example.com>\nBcc: b@example.com", "Carillon <>"} {
		if _, _, err := mail.ParseSender(text); err == nil {
			t.Errorf("%q is taken as a sender", text)
		}
	}
}
