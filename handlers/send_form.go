package handlers

import (
	"context"
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

// shownRoles and shownTypes are how many of them the form hints at.
const shownRoles, shownTypes = 20, 20

// The faults that only the form can have.
const (
	codeBadTarget   = "bad_target"
	codeBadDuration = "bad_duration"
)

// expiries are the times the form offers; any other that is posted is taken too.
var expiries = []string{"1h", "24h", "72h", "168h", "720h"}

// readDraft turns the form into a draft. Its faults are those of fields that
// no draft can hold; the draft is then checked as well, with something else in
// their place.
func (h *Handlers) readDraft(r *http.Request, values url.Values) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := notifier.Draft{
		Type: values.Get("type"), Scope: values.Get("scope"), Subject: values.Get("subject"),
		Title: values.Get("title"), Body: values.Get("body"), Link: values.Get("link"),
		Toast: readBox(values, "toast", &bad), Sender: visitOf(r).user.User.Name,
	}
	switch to := values.Get("to"); values.Get("target") {
	case "role":
		d.Target.Role = strings.TrimSpace(to)
	case "user":
		d.Target.Users = notifier.ParseNames(to)
	case "topic":
		d.Target.Topic = notifier.Topic{Type: strings.Trim(d.Type, " "), Scope: strings.Trim(d.Scope, " ")}
	case "audience":
		d.Target.Audiences = h.readTo(r, to, &bad)
		d.Window = readWindow(values, h.zones.of(r), &bad)
		if strings.Trim(d.Type, " ") == "" {
			d.Type = notifier.TypeAnnouncement
		}
	default:
		bad.Add("target", codeBadTarget, nil)
		d.Target.Users = notifier.ParseNames(to)
	}
	readBox(values, "preview", &bad) // a wrong one must not send
	life, fault := readLife(values.Get("expires_in"))
	if fault != "" {
		bad.Add("expires_in", fault, nil)
	}
	d.ExpiresIn = life
	return d, bad.OrNil()
}

// readTo reads the names of audiences.
func (h *Handlers) readTo(r *http.Request, to string, bad *notifier.InvalidError) []notifier.Audience {
	audiences, unknown := h.readAudiences(h.text(r), to)
	if unknown != "" {
		bad.Add("to", notifier.CodeUnknownAudience, map[string]any{"Name": unknown})
	}
	return audiences
}

// readLife reads how long a notice is kept; 0: as long as is usual. What is
// wrong with it comes as a code.
func readLife(text string) (life time.Duration, fault string) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, ""
	}
	life, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return 0, codeBadDuration
	case life <= 0:
		return 0, notifier.CodeExpiresPast
	case life < time.Second: // nobody would see it
		return 0, codeBadDuration
	default:
		return life, ""
	}
}

// merge joins the faults of one form. What is wrong with the names is of no
// interest while it is not known what they name, and is said once.
func merge(errs ...error) *notifier.InvalidError {
	var all notifier.InvalidError
	lost := false
	for _, err := range errs {
		var bad *notifier.InvalidError
		if !errors.As(err, &bad) {
			continue
		}
		for _, f := range bad.Fields {
			lost = lost || f.Code == codeBadTarget
			if f.Field != "to" || !lost && !wrong(&all, "to") {
				all.Fields = append(all.Fields, f)
			}
		}
	}
	return &all
}

// typed is the form as it was filled in.
func typed(values url.Values) views.SendForm {
	text := func(name string) string { return kept(values.Get(name)) }
	return views.SendForm{
		Target: text("target"), To: textarea(text("to")), Type: text("type"), Scope: text("scope"),
		Subject: text("subject"), Title: text("title"), Body: textarea(text("body")), Link: text("link"),
		ExpiresIn: text("expires_in"), Once: onceOf(values.Get("once")), StartsAt: text("starts_at"), EndsAt: text("ends_at"),
		Pinned: ticked(values, "pinned"), LateJoiners: ticked(values, "late_joiners"), Toast: ticked(values, "toast"),
	}
}

// ticked says whether a box was, as far as it can be told.
func ticked(values url.Values, field string) bool {
	return readBox(values, field, &notifier.InvalidError{})
}

// textarea keeps a first empty line, which browsers drop.
func textarea(s string) string {
	if strings.HasPrefix(s, "\n") || strings.HasPrefix(s, "\r\n") {
		return "\n" + s
	}
	return s
}

// sendPage is the form with what it hints at, as far as that is to be had.
func (h *Handlers) sendPage(r *http.Request, given views.SendForm) *views.Send {
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	roles, err := h.Directory.Roles(ctx)
	if err != nil {
		h.lacks(r, "roles", err)
	}
	if given.Once == "" {
		given.Once = newOnce()
	}
	p := &views.Send{Frame: h.frame(r, "send", "send.title"), Form: given, Faults: map[string]string{}}
	for _, role := range roles[:min(len(roles), shownRoles)] {
		p.Roles = append(p.Roles, p.Text.N("send.role_members", role.Members, "Name", role.Name))
	}
	types := h.knownTypes()
	for _, t := range types[:min(len(types), shownTypes)] {
		p.Types = append(p.Types, views.TypeHint{Slug: t.Slug, Name: h.typeNames(p.Text).given(t.Slug)})
	}
	h.addAudiences(r, p)
	p.Expiry = expiryOptions(p.Text, given.ExpiresIn)
	p.Disappears = h.disappears(r, p.Text, given.Type, given.ExpiresIn)
	return p
}

// addAudiences adds what the form of an announcement hints at.
func (h *Handlers) addAudiences(r *http.Request, p *views.Send) {
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	audiences, err := h.sizedAudiences(ctx, p.Text)
	if err != nil {
		h.lacks(r, "audiences", err)
	}
	for _, a := range audiences {
		p.Audiences = append(p.Audiences, p.Text.N("send.role_members", a.members, "Name", a.name))
	}
	p.Zone = p.Text.F("send.zone", "Name", h.zones.of(r).String())
	p.EndsUsual = p.Text.F("send.ends_hint", "Time", lasting(p.Text, h.Keep))
}

func expiryOptions(text *locale.Printer, chosen string) []components.Option {
	options := []components.Option{{Text: text.T("send.expires_usual"), Selected: chosen == ""}}
	for _, value := range expiries {
		life, _ := time.ParseDuration(value) // our own constants
		options = append(options, components.Option{Value: value, Text: lasting(text, life), Selected: value == chosen})
	}
	if chosen != "" && !slices.Contains(expiries, chosen) {
		options = append(options, components.Option{Value: chosen, Text: chosen, Selected: true})
	}
	return options
}

// lasting says a duration in the largest unit that fits it.
func lasting(text *locale.Printer, d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day && d%day == 0:
		return text.N("duration.days", int64(d/day))
	case d >= time.Hour && d%time.Hour == 0:
		return text.N("duration.hours", int64(d/time.Hour))
	default:
		return text.N("duration.minutes", int64((d+time.Minute-1)/time.Minute))
	}
}
