package mail_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/mail"
)

func TestAnOutboxRemembersTheLastFiftyLetters(t *testing.T) {
	t.Parallel()
	o, err := mail.NewOutbox("Carillon <notices@example.com>", func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) })
	if err != nil {
		t.Fatal(err)
	}
	for n := range 60 {
		l := letterTo("alice@example.com")
		l.Subject, l.Unsubscribe = fmt.Sprintf("通知%d", n), "https://example.com/u/t"
		if out := o.Send(t.Context(), []mail.Letter{l, letterTo("nobody")}); out[0].Verdict != mail.Sent || out[1].Verdict != mail.NoMailbox {
			t.Fatalf("%+v", out)
		}
	}
	kept := o.Recent()
	if len(kept) != 50 || kept[0].Number != 60 || kept[49].Number != 11 || kept[0].Subject != "通知59" {
		t.Fatalf("%d letters, from %d to %d", len(kept), kept[0].Number, kept[len(kept)-1].Number)
	}
	if got := fmt.Sprint(kept[0].Header); got != `[{From "Carillon" <notices@example.com>} {To <alice@example.com>} {Subject 通知59} {Date Sun, 01 Mar 2026 12:00:00 +0000} `+
		`{Message-Id <1.2@example.com>} {List-Unsubscribe <https://example.com/u/t>} {List-Unsubscribe-Post List-Unsubscribe=One-Click} {Auto-Submitted auto-generated} {X-Auto-Response-Suppress All} {Content-Language en}]` {
		t.Error(got)
	}
}
