package doctor

import (
	"context"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/mail"
)

// mail opens a line to the mail server as a mail would: it connects, encrypts, signs in and names the sender.
func (e *examination) mail(ctx context.Context, cfg *config.Config) {
	if cfg.SMTP == nil {
		return
	}
	sender, err := mail.NewSender(mail.Config{Server: *cfg.SMTP, From: cfg.MailFrom, Plain: cfg.OutboundAllow})
	if err == nil {
		defer sender.Close()
		err = sender.Check(ctx)
	}
	if err != nil {
		e.fail("mail", err.Error(), "correct --smtp-url and --mail-from, or let this machine reach the server; until then mails wait")
		return
	}
	e.ok("mail", "%s takes mails from %s", cfg.SMTP, cfg.MailFrom)
	if cfg.PublicURL == nil {
		e.note("mail", "--public-url is not set", "set it: links in mails lead there, and mail programs unsubscribe by https only")
	}
}
