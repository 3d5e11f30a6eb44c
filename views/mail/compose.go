// Package mail writes the mails that notify users of unread notices.
package mail

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// Limits of a mail. Some mail programs truncate mails at 100 kB.
const (
	MaxRows   = 20
	shortBody = 400 // characters of a body that is one of several
)

// Digest is the content of one mail.
type Digest struct {
	To      string // a mail address
	Name    string // of the user
	Locale  string // a BCP 47 tag; empty: English
	Zone    *time.Location
	Links   links.Links
	Target  int64
	Upto    int64 // the At of the newest included row
	Urgent  bool  // it did not wait, because its rows are of urgent types
	Daily   bool  // it comes once a day
	Wait    time.Duration
	Total   int                      // the number of rows, of which Entries may contain only the newest
	Entries []notifier.Entry         // newest first; at least one
	App     func(name string) string // returns the title of an app; nil: its name
}

// Composer writes mails. It is safe for concurrent use.
type Composer struct {
	texts *locale.Catalogue
	host  string
}

// NewComposer returns a composer of mails whose ids contain this host.
func NewComposer(texts *locale.Catalogue, host string) *Composer {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		host = "ipv6." + strings.ReplaceAll(addr.WithZone("").StringExpanded(), ":", "-")
	}
	return &Composer{texts: texts, host: host}
}

// letter is the content of both forms of a mail.
type letter struct {
	text        *locale.Printer
	subject     string
	heading     string // empty: the letter has a single row, whose title is the heading
	rows        []row
	more        string // how many rows are not shown; empty: none
	open        string // the address of the button
	openText    string
	sender      string // the sender of all rows; empty: no app, or several
	why         string
	account     string
	settings    string
	unsubscribe string
}

type row struct {
	title, body, link string
	time, datetime    string
	sender            string // the app that sent it; empty: none, or shown for all rows
	initials          string // of the actor; empty: none
	picture           string // what the picture shows, as mails load none; empty: none
	buttons           []button
}

type button struct{ label, link string }

// Compose writes a mail.
func (c *Composer) Compose(ctx context.Context, d *Digest) (mail.Letter, error) {
	if len(d.Entries) == 0 {
		return mail.Letter{}, errors.New("a mail about nothing")
	}
	p := c.letter(d)
	var html strings.Builder
	if err := htmlLetter(p).Render(ctx, &html); err != nil {
		return mail.Letter{}, fmt.Errorf("write the mail of target %d: %w", d.Target, err)
	}
	target := strconv.FormatInt(d.Target, 10)
	id := strconv.FormatInt(d.Upto, 10) + "." + target
	l := mail.Letter{
		ID: id + "@" + c.host, To: d.To, Locale: p.text.Lang(), Subject: p.subject, Text: p.plain(), HTML: html.String(),
		ListID: "carillon." + c.host, Unsubscribe: p.unsubscribe,
	}
	if p.heading == "" {
		sum := sha256.Sum256([]byte(d.Entries[0].Key))
		l.References = []string{hex.EncodeToString(sum[:12]) + "." + target + "@" + c.host}
	}
	return l, nil
}

func (c *Composer) letter(d *Digest) *letter {
	text := c.texts.For(d.Locale, "")
	entries := d.Entries[:min(len(d.Entries), MaxRows)]
	for i := range entries {
		entries[i].NameSomebody(text.T("inbox.somebody"))
	}
	total := max(d.Total, len(d.Entries))
	p := &letter{
		text: text, subject: entries[0].Title, open: d.Links.Notice(entries[0].NoticeID), openText: text.T("mail.open"),
		why: why(text, d, int64(total)), settings: d.Links.Settings(), unsubscribe: d.Links.Unsubscribe(),
	}
	if d.Name != "" {
		p.account = text.F("nav.account", "Name", d.Name)
	}
	room := notifier.MaxBody
	if total > 1 {
		p.heading = text.N("mail.heading", int64(total))
		p.subject = text.N("mail.subject", int64(total), "Title", entries[0].Title)
		p.open, p.openText = d.Links.Inbox(), text.T("mail.open_inbox")
		room = shortBody
	}
	if more := total - len(entries); more > 0 {
		p.more = text.N("mail.more", int64(more))
	}
	zone := d.Zone
	if zone == nil {
		zone = time.UTC
	}
	sent := func(by string) string {
		if by == "" {
			return ""
		}
		if d.App != nil {
			by = d.App(by)
		}
		return text.F("mail.sent_by", "Name", by)
	}
	common := d.commonSender()
	p.sender = sent(common)
	for i := range entries {
		e := &entries[i]
		at := e.CreatedAt.In(zone)
		r := row{title: e.Title, body: short(e.Body, room), link: d.Links.Notice(e.NoticeID), time: text.Exact(at), datetime: at.Format(time.RFC3339)}
		if common == "" {
			r.sender = sent(e.App)
		}
		r.addExtras(e, d.Links)
		p.rows = append(p.rows, r)
	}
	return p
}

// addExtras adds the actor, the picture and the buttons of a notice.
func (r *row) addExtras(e *notifier.Entry, leading links.Links) {
	if e.Actor != nil {
		r.initials = e.Actor.Initials()
	}
	if e.Image != nil {
		r.picture = e.Image.Alt
	}
	for i, a := range e.Actions {
		r.buttons = append(r.buttons, button{a.Label, leading.Action(e.NoticeID, i+1)})
	}
}

// commonSender returns the app that has sent all rows; empty: there is none.
func (d *Digest) commonSender() string {
	common := d.Entries[0].App
	if d.Total > len(d.Entries) || slices.ContainsFunc(d.Entries, func(e notifier.Entry) bool { return e.App != common }) {
		return ""
	}
	return common
}

// why returns the reason why the user gets this mail.
func why(text *locale.Printer, d *Digest, total int64) string {
	switch {
	case d.Urgent:
		return text.N("mail.why_urgent", total)
	case d.Daily:
		return text.T("mail.why_daily")
	case d.Wait < time.Minute:
		return text.T("mail.why_now")
	case d.Wait%time.Hour == 0:
		return text.N("mail.why_wait", total, "Time", text.N("duration.hours", int64(d.Wait/time.Hour)))
	}
	return text.N("mail.why_wait", total, "Time", text.N("duration.minutes", int64(d.Wait/time.Minute)))
}

// short truncates a text to this many characters.
func short(text string, room int) string {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	n := 0
	for i := range text {
		if n++; n == room {
			return strings.TrimSpace(text[:i]) + "…"
		}
	}
	return text
}

// plain returns the form without markup.
func (p *letter) plain() string {
	var b strings.Builder
	add := func(lines ...string) {
		for _, line := range lines {
			if line != "" {
				b.WriteString(line)
				b.WriteString("\n")
			}
		}
		b.WriteString("\n")
	}
	if p.heading != "" {
		add(p.heading)
	}
	for i := range p.rows {
		r := &p.rows[i]
		picture := ""
		if r.picture != "" {
			picture = "[" + r.picture + "]"
		}
		add(r.title, r.body, picture, r.time, r.sender, r.link)
		for _, b := range r.buttons {
			add(b.label + ": " + b.link)
		}
	}
	if p.more != "" {
		add(p.more, p.open)
	}
	add("—", p.sender, p.why, p.account)
	add(p.text.T("mail.settings"), p.settings)
	add(p.text.T("mail.unsubscribe"), p.unsubscribe)
	return strings.TrimSuffix(b.String(), "\n")
}

// lines splits a body, because some mail programs drop line breaks.
func (r *row) lines() []string { return strings.Split(r.body, "\n") }
