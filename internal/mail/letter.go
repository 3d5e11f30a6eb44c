package mail

import (
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
)

// Letter is one mail to one person, as text and HTML.
type Letter struct {
	ID          string // the Message-ID without angle brackets; the same on every attempt by any instance
	To          string // an address accepted by ParseAddress
	Locale      string // a BCP 47 tag
	Subject     string
	Text, HTML  string
	ListID      string   // such as notices.example.com; empty: none
	Unsubscribe string   // an https address that unsubscribes by POST; empty: none
	References  []string // ids without angle brackets: mails with a common one are shown as one thread
}

// message returns the mail as it is sent. No field can add a line to the
// header.
func (l *Letter) message(from *mail.Address, now time.Time) (*gomail.Msg, error) {
	to, err := ParseAddress(l.To)
	if err != nil {
		return nil, fmt.Errorf("the recipient %w", err)
	}
	m := gomail.NewMsg(gomail.WithEncoding(encodingFor(l.Text)), gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(from)
	m.ToMailAddress(&mail.Address{Address: to})
	m.SetDateWithValue(now)
	m.Subject(oneLine(l.Subject))
	m.SetMessageIDWithValue(word(l.ID))
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All") // Exchange responds even to automatic mails with out-of-office replies
	for name, value := range map[gomail.Header]string{
		"Content-Language": word(l.Locale), "List-Id": bracketed(l.ListID), "References": strings.Join(allBracketed(l.References), " "),
		"List-Unsubscribe": bracketed(l.Unsubscribe),
	} {
		if value != "" {
			m.SetGenHeaderPreformatted(name, value) // ASCII without line breaks, possibly longer than a line
		}
	}
	if l.Unsubscribe != "" {
		m.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
	return m, nil
}

// encodingFor returns the shorter encoding of a text: quoted-printable needs nine bytes per Chinese
// character, base64 four.
func encodingFor(text string) gomail.Encoding {
	if wide := len(text) - utf8.RuneCountInString(text); wide > len(text)/8 {
		return gomail.EncodingB64
	}
	return gomail.EncodingQP
}

// oneLine replaces control characters with spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// word drops all characters except visible ASCII that is allowed in angle brackets.
func word(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f || r == '<' || r == '>' {
			return -1
		}
		return r
	}, text)
}

func bracketed(text string) string {
	if text = word(text); text != "" {
		return "<" + text + ">"
	}
	return ""
}

func allBracketed(texts []string) []string {
	all := make([]string, 0, len(texts))
	for _, text := range texts {
		if text = bracketed(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}
