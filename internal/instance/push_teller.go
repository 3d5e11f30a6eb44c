package instance

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/notifier/push"
	"github.com/carillonhq/carillon/views/locale"
)

const pushTitles = 3 // titles in a message about several notices

// pushTeller notifies by push.
type pushTeller struct {
	sender        *push.Sender
	texts         *locale.Catalogue
	types         channels.Types
	announcements *announcement.Announcements
	links         func(context.Context, *channels.Message) links.Links
	apps          func(ctx context.Context, name string) notifier.RowApp
	imageHosts    []string
	log           *slog.Logger
}

// Send sends one message to one device.
func (t pushTeller) Send(ctx context.Context, m *channels.Message) channels.Outcome {
	text, newest, leading := t.texts.For(m.User.Locale, ""), &m.Entries[0], t.links(ctx, m)
	for i := range m.Entries {
		m.Entries[i].NameSomebody(text.T("inbox.somebody"))
	}
	message := push.Message{
		Notification: push.Notification{
			Title: newest.Title, Body: withSender(text, newest.Body, t.appTitle(ctx, newest)), Lang: text.Lang(), Navigate: leading.Notice(newest.NoticeID),
		},
		Key: newest.Key, Badge: t.badge(ctx, m), Inbox: m.Badge, Urgent: t.urgent(m.Entries), Expires: newest.ExpiresAt,
	}
	t.addExtras(text, &message.Notification, newest, leading)
	if n := len(m.Entries); n > 1 {
		var titles []string
		for _, e := range m.Entries[:min(n, pushTitles)] {
			titles = append(titles, senderBefore(e.Title, t.appTitle(ctx, &e)))
		}
		message.Expires = time.Time{}
		message.Notification.Image, message.Notification.Actions = "", nil
		message.Notification.Title = text.N("mail.heading", int64(n))
		message.Notification.Body = strings.Join(titles, "\n")
		message.Notification.Navigate = leading.Inbox()
	}
	return t.send(ctx, m.Target, message)
}

// addExtras adds the picture and the buttons of a notice. Those of an open question are its choices, and the first one of an open task
// is Take; they open its row, because deeds need the page.
func (t pushTeller) addExtras(text *locale.Printer, n *push.Notification, e *notifier.Entry, leading links.Links) {
	if e.Image != nil && notifier.AllowedImage(e.Image.URL, t.imageHosts) {
		n.Image = e.Image.URL
	}
	if e.Ask.Open() {
		for _, c := range e.Ask.Choices[:min(len(e.Ask.Choices), notifier.MaxActions)] {
			n.Actions = append(n.Actions, push.Action{Action: string(c.ID), Title: c.Label, Navigate: leading.Notice(e.NoticeID)})
		}
		return
	}
	if e.Take != nil && e.Take.State() == notifier.TaskOpen {
		n.Actions = append(n.Actions, push.Action{Action: "take", Title: text.T("take.take"), Navigate: leading.Notice(e.NoticeID)})
	}
	for i, a := range e.Actions[:min(len(e.Actions), notifier.MaxActions-len(n.Actions))] {
		n.Actions = append(n.Actions, push.Action{Action: strconv.Itoa(i + 1), Title: a.Label, Navigate: leading.Action(e.NoticeID, i+1)})
	}
}

// appTitle returns the title of the app that has sent a notice, or "".
func (t pushTeller) appTitle(ctx context.Context, e *notifier.Entry) string {
	if e.App == "" {
		return ""
	}
	return t.apps(ctx, e.App).Title
}

// withSender adds the app that has sent a notice before its text, which may be shortened.
func withSender(text *locale.Printer, body, app string) string {
	if app == "" {
		return body
	}
	return strings.TrimSuffix(text.F("mail.sent_by", "Name", app)+"\n"+body, "\n")
}

// senderBefore adds the app to the title of one of several notices.
func senderBefore(title, app string) string {
	if app == "" {
		return title
	}
	return app + ": " + title
}

// badge returns the number on the bell. Without the announcements' half of it, the message is sent all the same.
func (t pushTeller) badge(ctx context.Context, m *channels.Message) int64 {
	half, err := t.announcements.Badges(ctx, []notifier.Reader{{Seq: m.User.Seq, Audience: m.User.Audience}})
	if err != nil {
		t.log.WarnContext(ctx, "push sent without the number of announcements", "stage", "channels", "user_id", m.User.Seq, "err", err)
		return m.Badge
	}
	return m.Badge + half[0].Announcements
}

// urgent reports whether a notice of an urgent type is among these.
func (t pushTeller) urgent(entries []notifier.Entry) bool {
	return slices.ContainsFunc(entries, func(e notifier.Entry) bool {
		typ, _ := t.types.Type(e.Type)
		return typ.Urgent
	})
}

func (t pushTeller) send(ctx context.Context, target *notifier.ReachTarget, message push.Message) channels.Outcome {
	sub, ok := subscriptionOf(target)
	if !ok {
		return channels.Outcome{Verdict: channels.Gone, Reason: "its keys are damaged"}
	}
	out, err := t.sender.Send(ctx, sub, message)
	if err != nil {
		return channels.Outcome{Verdict: channels.Refused, Reason: err.Error()}
	}
	return pushOutcome(out)
}

// pushOutcome returns what a push service's response means for a target.
func pushOutcome(out push.Outcome) channels.Outcome {
	verdicts := map[push.Verdict]channels.Verdict{
		push.Accepted: channels.Sent, push.Gone: channels.Gone, push.Later: channels.Delayed, push.Denied: channels.Denied, push.Refused: channels.Refused, push.Unreachable: channels.Away,
	}
	reason := ""
	switch {
	case out.Verdict == push.Unreachable:
		reason = "no answer from the push service"
	case out.Verdict == push.Refused && out.Status == 0:
		return channels.Outcome{Verdict: channels.Sent, Reason: channels.NothingLeft} // it has expired
	case out.Verdict != push.Accepted:
		reason = strings.TrimSuffix(fmt.Sprintf("the push service answered %d: %s", out.Status, out.Reason), ": ")
	}
	return channels.Outcome{Verdict: verdicts[out.Verdict], After: out.After, Reason: reason}
}

// subscriptionOf returns the subscription of a device: its keys are the point and the secret, one after the other.
func subscriptionOf(target *notifier.ReachTarget) (sub push.Subscription, ok bool) {
	point, secret := len(sub.P256DH), len(sub.Auth)
	if len(target.Keys) != point+secret {
		return sub, false
	}
	sub.Endpoint = target.Address
	copy(sub.P256DH[:], target.Keys)
	copy(sub.Auth[:], target.Keys[point:])
	return sub, true
}
