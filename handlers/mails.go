package handlers

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

const mailsPath = "/staff/mails"

// letterPolicy is the Content-Security-Policy of a mail in its frame: it allows only the mail's own styles.
const letterPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; " +
	"sandbox allow-popups allow-popups-to-escape-sandbox"

// mailList lists a demo's mails.
func (h *Handlers) mailList(w http.ResponseWriter, r *http.Request) error {
	if h.Mails == nil {
		return notifier.ErrNotFound
	}
	p := &views.Mails{Frame: h.frame(r, "mails", "mails.title")}
	now := h.now(r)
	for _, l := range h.Mails.Recent() {
		p.Rows = append(p.Rows, views.MailRow{
			Href: mailsPath + "/" + strconv.FormatInt(l.Number, 10), Subject: l.Subject, To: l.To, Sent: momentOf(p.Text, l.At, now),
		})
	}
	for _, column := range []string{"subject", "to", "time"} {
		p.Columns = append(p.Columns, listing{}.column(p.Text, "mails.column_", column))
	}
	p.Empty = components.Empty{Icon: "inbox", Heading: p.Text.T("mails.empty_heading"), Text: p.Text.T("mails.empty_text")}
	return h.page(w, r, http.StatusOK, views.MailsPage(p))
}

// mailPage shows one mail: in a sandboxed frame, as text, and its header.
func (h *Handlers) mailPage(w http.ResponseWriter, r *http.Request) error {
	l, err := h.findMail(r)
	if err != nil {
		return err
	}
	p := &views.Mail{Frame: h.frame(r, "mails", "mails.title"), Back: mailsPath, HTML: mailsPath + "/" + strconv.FormatInt(l.Number, 10) + "/html", Plain: l.Letter.Text}
	p.Title = l.Subject
	for _, f := range l.Header {
		p.Header = append(p.Header, views.MailField{Name: f.Name, Value: f.Value})
	}
	w.Header().Set("Content-Security-Policy", h.policy+"; frame-src 'self'")
	return h.page(w, r, http.StatusOK, views.MailPage(p))
}

// mailHTML is the frame's content. Its links open in a new tab.
func (h *Handlers) mailHTML(w http.ResponseWriter, r *http.Request) error {
	l, err := h.findMail(r)
	if err != nil {
		return err
	}
	head := w.Header()
	head.Set("Content-Security-Policy", letterPolicy)
	head.Set("X-Frame-Options", "SAMEORIGIN")
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Cache-Control", "no-store")
	_, err = io.WriteString(w, strings.Replace(l.Letter.HTML, "<head>", `<head><base target="_blank">`, 1))
	if err != nil {
		return fmt.Errorf("write a mail: %w", err)
	}
	return nil
}

func (h *Handlers) findMail(r *http.Request) (mail.Kept, error) {
	id, err := pathID(r)
	if err != nil || h.Mails == nil {
		return mail.Kept{}, notifier.ErrNotFound
	}
	for _, l := range h.Mails.Recent() {
		if l.Number == id {
			return l, nil
		}
	}
	return mail.Kept{}, notifier.ErrNotFound
}
