package mail_test

import (
	"testing"

	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/internal/mailtest"
)

func TestEachAnswerOfARealServerIsUnderstood(t *testing.T) {
	t.Parallel()
	verdicts := map[mailtest.Means]mail.Verdict{
		mailtest.NoMailbox: mail.NoMailbox, mailtest.Mailbox: mail.Later, mailtest.Unclear: mail.Refused, mailtest.Delayed: mail.Delayed, mailtest.OwnAccount: mail.ServerAway,
	}
	for _, a := range mailtest.Answers() {
		var o mailtest.Options
		switch a.Step {
		case mailtest.AtMail:
			o.Mail = func(string) error { return a.Error() }
		case mailtest.AtRcpt:
			o.Rcpt = func(string) error { return a.Error() }
		case mailtest.AtData:
			o.Data = func(mailtest.Letter) error { return a.Error() }
		}
		out := send(t, sender(t, mailtest.Start(t, o)), letterTo("bob@example.com"))
		if want, ok := verdicts[a.Means]; !ok || out.Verdict != want || out.Code != a.Code || a.Source == "" {
			t.Errorf("%+v: %+v, want %d", a, out, want)
		}
	}
}
