package mail_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/internal/mailtest"
)

// arrived returns a letter as a mail server receives it.
func arrived(t *testing.T, l mail.Letter) mailtest.Letter {
	t.Helper()
	s := mailtest.Start(t, mailtest.Options{})
	if out := send(t, sender(t, s), l); out.Verdict != mail.Sent {
		t.Fatalf("%+v", out)
	}
	return s.Letters()[0]
}

func TestAMailHasTheHeadersForAutomaticMailAndUnsubscribing(t *testing.T) {
	t.Parallel()
	stop := "https://notices.example.com/a/long/path/below/which/carillon/lies/u/" + strings.Repeat("t", 40)
	l := mail.Letter{
		ID: "1700000000000.42@notices.example.com", To: "alice@example.com", Locale: "ja", Subject: "未読の通知が5件あります：" + strings.Repeat("7番通路の補充が必要です", 12),
		Text: "補充してください。\n" + strings.Repeat("長い行", 400) + "\n.\n", HTML: "<p>補充してください。</p>\n" + strings.Repeat("x", 3000),
		ListID: "notices.example.com", Unsubscribe: stop, References: []string{"a.42@notices.example.com", "b.42@notices.example.com"},
	}
	got := arrived(t, l)
	want := map[string]string{
		"From": `"Carillon" <notices@example.com>`, "To": "<alice@example.com>", "Date": "Sun, 01 Mar 2026 12:00:00 +0000", "Message-ID": "<" + l.ID + ">",
		"List-Id": "<notices.example.com>", "List-Unsubscribe": "<" + stop + ">", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "Auto-Submitted": "auto-generated",
		"References": "<a.42@notices.example.com> <b.42@notices.example.com>", "Content-Language": "ja",
	}
	for name, value := range want {
		if diff := cmp.Diff([]string{value}, got.Header[canonical(name)]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got.Subject != l.Subject || strings.TrimRight(got.Text, "\n") != strings.TrimRight(l.Text, "\n") || got.HTML != l.HTML {
		t.Errorf("subject %q, text %q, HTML %q", got.Subject, got.Text, got.HTML)
	}
	for line := range strings.SplitSeq(got.Raw, "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line of %d bytes: %.60q", len(line), line)
		}
	}
}

// canonical returns the name of a header in the form of net/mail.
func canonical(name string) string {
	if name == "Message-ID" {
		return "Message-Id"
	}
	return name
}

func TestNothingInALetterAddsToItsHeader(t *testing.T) {
	t.Parallel()
	plain := arrived(t, mail.Letter{ID: "1.2@h", To: "alice@example.com", Locale: "en", Subject: "s", Text: "t", HTML: "h", ListID: "l", Unsubscribe: "https://h/u", References: []string{"r@h"}})
	for _, evil := range []string{"x\r\nBcc: eve@example.com", "x\nBcc: eve@example.com", "x\r\n\r\n<b>body</b>", "x\r\n .\r\n", "x>\r\n<y", "\x00\u2028Bcc: eve@example.com", "=?utf-8?q?x=0D=0ABcc:_eve@example.com?="} {
		got := arrived(t, mail.Letter{
			ID: evil, To: "alice@example.com", Locale: evil, Subject: evil, Text: evil + "\n.\nBcc: eve@example.com", HTML: evil, ListID: evil, Unsubscribe: evil, References: []string{evil, evil},
		})
		if len(got.Header) != len(plain.Header) {
			t.Errorf("%q: %d headers instead of %d: %v", evil, len(got.Header), len(plain.Header), got.Header)
		}
		for name, values := range got.Header {
			if len(values) != 1 || strings.EqualFold(name, "Bcc") {
				t.Errorf("%q: %s: %q", evil, name, values)
			}
		}
	}
}

func TestTheSendersNameIsQuoted(t *testing.T) {
	t.Parallel()
	s := mailtest.Start(t, mailtest.Options{})
	for i, from := range []string{`"Harbour, Goods" <notices@example.com>`, "港の店 <notices@example.com>"} {
		if out := send(t, sender(t, s, func(c *mail.Config) { c.From = from }), letterTo("alice@example.com")); out.Verdict != mail.Sent {
			t.Fatalf("%s: %+v", from, out)
		}
		list, err := s.Letters()[i].Header.AddressList("From")
		if name, _, _ := strings.Cut(from, " <"); err != nil || len(list) != 1 || list[0].Name != strings.Trim(name, `"`) {
			t.Errorf("%s arrives as %v, %v", from, list, err)
		}
	}
}

func BenchmarkSend(b *testing.B) {
	s := mailtest.Start(b, mailtest.Options{})
	server, err := mail.ParseServer(s.URL())
	if err != nil {
		b.Fatal(err)
	}
	sending, err := mail.NewSender(mail.Config{Server: server, From: "notices@example.com"})
	if err != nil {
		b.Fatal(err)
	}
	defer sending.Close()
	letters := make([]mail.Letter, b.N)
	for i := range letters {
		letters[i] = letterTo(fmt.Sprintf("user%d@example.com", i))
		letters[i].Text, letters[i].HTML = strings.Repeat("Restock aisle 7.\n", 100), strings.Repeat("<p>Restock aisle 7.</p>\n", 200)
	}
	b.ResetTimer()
	for len(letters) > 0 {
		batch := letters[:min(200, len(letters))]
		letters = letters[len(batch):]
		for _, out := range sending.Send(b.Context(), batch) {
			if out.Verdict != mail.Sent {
				b.Fatal(out)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "mails/s")
}
