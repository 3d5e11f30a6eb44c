package doctor

import (
	"context"
	"crypto/x509"
	"errors"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/mail"
)

// mail connects to the mail server like for a mail: it connects, encrypts, signs in and sends the sender's address.
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
		e.fail("mail", err.Error(), mailCure(err)+"; until then mails wait")
		return
	}
	e.ok("mail", "%s accepts mails from %s", cfg.SMTP, cfg.MailFrom)
	switch {
	case cfg.PublicURL == nil:
		e.note("mail", "--public-url is not set", "set it: links in mails lead there, and mail programs unsubscribe by https only")
	case cfg.LinksLocal():
		e.note("mail", "links in mails lead to "+cfg.PublicURL.String()+", which is this machine only", "set --public-url to the address that browsers use")
	}
}

// mailCure returns the advice on a fault of the mail server.
func mailCure(err error) string {
	unknown, name, invalid := (x509.UnknownAuthorityError{}), (x509.HostnameError{}), (x509.CertificateInvalidError{})
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "renew the certificate of the mail server, and check the clock of this machine"
	case errors.As(err, &name):
		return "name the mail server in --smtp-url by a name that its certificate has"
	case errors.As(err, &unknown), errors.As(err, &invalid):
		return "put the certificate of the authority into a file and name it in --smtp-ca"
	}
	return "correct --smtp-url and --mail-from, or let this machine reach the server"
}
