package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/views/locale"
	views "github.com/carillonhq/carillon/views/mail"
)

// mailLines is how many letters are handed over at a time.
const mailLines = 8

// demoSender is the sender of the mails that a demonstration only shows.
const demoSender = "Carillon <carillon@example.com>"

// makeReach makes the stage that notifies users of what is still unread, with a way for each kind of target that
// is configured. Without any, targets stay as they are.
func (i *instance) makeReach(ctx context.Context, space keys.Space) error {
	i.looking = channels.NewViewers(i.rdb, space, i.log)
	texts, err := locale.New()
	if err != nil {
		return err
	}
	mails, err := i.mailWay(texts)
	if err != nil {
		return err
	}
	pushes, err := i.pushWay(ctx, texts)
	if err != nil {
		return err
	}
	i.reach = channels.New(channels.Config{
		Store: i.db, Inbox: i.inbox, Types: i.topics, Viewing: i.looking.Read, Leases: lease.On(i.rdb, space), Log: i.log,
		Ways: append(mails, pushes...),
	})
	if i.devices != nil {
		i.devices.stage = i.reach
	}
	return nil
}

// mailWay returns how mails are sent: to the configured server, or to the page of the demonstration that
// shows them. Without either there is none.
func (i *instance) mailWay(texts *locale.Catalogue) ([]channels.Way, error) {
	var to letters
	var err error
	switch {
	case i.cfg.SMTP != nil:
		i.mailer, err = mail.NewSender(mail.Config{Server: *i.cfg.SMTP, From: i.cfg.MailFrom, Plain: i.cfg.OutboundAllow, Lines: mailLines})
		to = i.mailer
	case i.demo:
		i.outbox, err = mail.NewOutbox(demoSender, time.Now)
		to = i.outbox
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("prepare mails: %w", err)
	}
	if i.cfg.LinksLocal() && i.cfg.SMTP != nil {
		i.log.Warn("links of mails lead only to this machine", "base", linksBase(&i.cfg), "cure", "set --public-url to the address that browsers use")
	}
	composer := views.NewComposer(texts, i.links.Host())
	return []channels.Way{{Kind: notifier.ReachMail, Sender: mailTeller{to, composer, i.linksFor, i.tokens.Look}, Rate: i.cfg.MailRate, Parallel: mailLines}}, nil
}

func (i *instance) closeMailer(context.Context) (func() error, error) {
	if i.mailer == nil {
		return nil, nil
	}
	return func() error { i.mailer.Close(); return nil }, nil
}

// letters takes letters; see internal/mail.
type letters interface {
	Send(ctx context.Context, letters []mail.Letter) []mail.Outcome
}

// mailTeller notifies by mail.
type mailTeller struct {
	to       letters
	composer *views.Composer
	links    func(context.Context, *channels.Message) links.Links
	apps     func(ctx context.Context, name string) notifier.RowApp
}

// Send writes one letter and sends it.
func (t mailTeller) Send(ctx context.Context, m *channels.Message) channels.Outcome {
	name := m.User.Display
	if name == "" {
		name = m.User.Name
	}
	letter, err := t.composer.Compose(ctx, &views.Digest{
		To: m.Target.Address, Name: name, Locale: m.User.Locale, Zone: m.Zone, Links: t.links(ctx, m), Target: m.Target.ID,
		Upto: m.Target.UpTo, Urgent: m.Target.Urgent, Daily: m.Target.Daily >= 0, Wait: m.Target.Wait, Total: len(m.Entries), Entries: m.Entries,
		App: func(name string) string { return t.apps(ctx, name).Title },
	})
	if err != nil {
		return channels.Outcome{Verdict: channels.Refused, Reason: err.Error()}
	}
	return mailOutcome(t.to.Send(ctx, []mail.Letter{letter})[0])
}

// mailOutcome returns what a mail server's reply means for a target.
func mailOutcome(out mail.Outcome) channels.Outcome {
	reason := out.Text
	if out.Code != 0 {
		reason = fmt.Sprintf("%d %s", out.Code, out.Text)
	}
	verdicts := map[mail.Verdict]channels.Verdict{
		mail.Sent: channels.Sent, mail.NoMailbox: channels.Denied, mail.Refused: channels.Refused, mail.Later: channels.Later, mail.Delayed: channels.Delayed, mail.ServerAway: channels.Away,
	}
	return channels.Outcome{Verdict: verdicts[out.Verdict], Reason: reason}
}
