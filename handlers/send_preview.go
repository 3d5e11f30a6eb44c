package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// previewPart responds to a form in progress with its errors, the number of recipients and a preview. It does not
// read what the page already contains. Only the form in p needs to be set.
func (h *Handlers) previewPart(
	w http.ResponseWriter, r *http.Request, p *views.Send, d notifier.Draft, found ...error,
) error {
	sure, err := h.confirm(r, d, found...)
	bad := &notifier.InvalidError{}
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	p.Frame, p.Faults, p.Live = h.bareFrame(r), map[string]string{}, true
	h.showFaults(p, bad)
	p.Meant = h.meant(r, bad)
	p.Disappears = h.disappears(r, p.Text, p.Form)
	p.Preview, p.Submit = h.preview(r, p, &d), h.submitText(r, p, -1)
	switch {
	case bad.Has("starts_at", "ends_at", "send_at") && p.Form.Target == "audience":
		p.Preview.Card.Announcement = nil // it would never be open, so there is no preview
	case !bad.Has("to", "target"):
		p.Preview.Recipients, p.Submit = recipients(p, sure.Recipients), h.submitText(r, p, sure.Recipients)
	}
	p.Lost, p.Category = h.lost(p.Text, p.Form), h.category(p.Text, &p.Form)
	// An unfinished form is not an error, and browsers log every error status.
	return h.page(w, r, http.StatusOK, views.SendPart(p))
}

// recipients returns the line with the number of recipients. A topic without subscribers is valid but rarely
// intended.
func recipients(p *views.Send, count int64) string {
	if count == 0 && p.Form.Target == "topic" {
		return p.Text.T("send.topic_nobody")
	}
	return p.Text.N("send.recipients", count)
}

// preview shows a draft as its recipients would see it if it were sent now.
func (h *Handlers) preview(r *http.Request, p *views.Send, d *notifier.Draft) *views.Preview {
	if p.Form.Target != "audience" {
		shown := &views.Preview{Toast: d.Toast, Text: kept(d.Body)}
		at := h.now(r)
		if d.SendAt.After(at) {
			at = d.SendAt.In(at.Location())
			shown.Schedule = p.Text.F("send.sent_on", "Moment", p.Text.Exact(at))
		}
		shown.Card = h.card(p.Text, *d, at)
		return shown
	}
	if d.StartsAt.IsZero() {
		opens := *d
		opens.StartsAt = d.SendAt
		d = &opens
	}
	return &views.Preview{Card: h.announcementCard(r, p.Frame, d), Toast: d.Toast, Banner: d.Pinned, Text: kept(h.markdown.Text(d.Body)), Schedule: h.schedule(r, p.Text, d, p.Edit != nil)}
}

// disappears returns the line with a notice's expiry if it is sent now or as scheduled, or "" if its lifetime is
// invalid.
func (h *Handlers) disappears(r *http.Request, text *locale.Printer, f views.SendForm) string {
	life, fault := readLife(f.ExpiresIn)
	if fault != "" || life > h.Keep {
		return ""
	}
	if life == 0 {
		life = h.usualLife(strings.Trim(f.Type, " "))
	}
	from := h.now(r)
	if at, _ := readMoment(f.SendAt, from.Location()); at.After(from) {
		from = at
	}
	return text.F("send.disappears", "Moment", text.Exact(from.Add(life)))
}

// card shows a draft as its recipients would see it; at is in the reader's time zone.
func (h *Handlers) card(text *locale.Printer, d notifier.Draft, at time.Time) views.Card {
	types, look := h.typeNames(text), h.lookOf(d.Type)
	if d.Type == "" {
		look.Icon = "mail" // a preview before the type is typed
	}
	row := components.Row{
		Icon: look.Icon, Initials: look.Initials, Tint: look.Tint, Read: true, Kind: kept(types.kind(d.Type, d.Target.Reason())),
		Title: kept(d.Title), Body: kept(d.Body), Link: h.outside(d.Link, d.App.Name), Outside: true, From: sentBy(text, d.App.Name, h.shownApp(h.Tokens.LastLook)), Reason: kept(types.brief(d.Target.Reason())), Why: kept(types.reason(d.Target.Reason())),
		Datetime: at.Format(time.RFC3339), Clock: types.text.Clock(at), Moment: types.text.Moment(at),
	}
	row.Extras = extrasOf(&d.Extras, h.shows, func(_ int, link string) string { return h.outside(link, d.App.Name) })
	row.Ask, row.Take = seenChoices(d.Extras.Ask), seenTask(text, d.Extras.Take)
	return views.Card{Row: row}
}

// announcementCard shows an announcement draft as its readers would see it.
func (h *Handlers) announcementCard(r *http.Request, f views.Frame, d *notifier.Draft) views.Card {
	post := notifier.OpenAnnouncement{
		App:  d.App.Name,
		Type: d.Type, Title: kept(d.Title), Body: kept(d.Body), Link: d.Link, Extras: d.Extras, StartsAt: d.StartsAt, Pinned: d.Pinned, Read: true,
	}
	if post.StartsAt.IsZero() {
		post.StartsAt = h.Now()
	}
	post.EndsAt = h.closes(d, post.StartsAt)
	return views.Card{Announcement: h.announcementPage(r, f, &post)}
}

// lost lists what readers of an announcement's text will not get: links to hosts that are not allowed, and pictures of such
// hosts.
func (h *Handlers) lost(text *locale.Printer, f views.SendForm) (lines []string) {
	if f.Target != "audience" {
		return nil
	}
	links, pictures := h.markdown.Lost(f.Body)
	if n := len(links); n > 0 {
		lines = append(lines, text.N("send.lost_links", int64(n), "Names", listedAddresses(text, links)))
	}
	if n := len(pictures); n > 0 {
		lines = append(lines, text.N("send.lost_pictures", int64(n), "Names", listedAddresses(text, pictures)))
	}
	return lines
}

// listedAddresses names addresses that are not allowed, each name once.
func listedAddresses(text *locale.Printer, addresses []string) string {
	var names []string
	for _, address := range addresses {
		if name := kept(hostOrAddress(address)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return listedNames(text, names)
}

// hostOrAddress names a link or a picture that is not allowed: by its host if that is the reason, and otherwise as it was written.
func hostOrAddress(address string) string {
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" && u.Host != "" {
		return u.Host
	}
	if runes := []rune(address); len(runes) > shownAddressLength {
		return string(runes[:shownAddressLength]) + "…"
	}
	return address
}

// shownAddressLength is the length in characters to which the address of a lost link is cut.
const shownAddressLength = 40
