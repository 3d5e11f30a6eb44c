package handlers

import (
	"errors"
	"maps"
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

// shownTypes is the maximum number of types that the form suggests.
const shownTypes = 20

// Error codes used only by the form.
const (
	codeBadTarget   = "bad_target"
	codeBadDuration = "bad_duration"
	codeUnclearName = "unclear_name" // Name; Names: the users it may mean
)

// expiries are the offered lifetimes; the form accepts any other value too.
var expiries = []string{"1h", "24h", "72h", "168h", "720h"}

// readDraft turns the form into a draft. Its errors are about values that a draft cannot represent; the draft has
// placeholders there, so that the rest can be validated too.
func (h *Handlers) readDraft(r *http.Request, values url.Values) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := notifier.Draft{
		Type: values.Get("type"), Scope: values.Get("scope"), Subject: values.Get("subject"),
		Title: values.Get("title"), Body: values.Get("body"), Link: values.Get("link"),
		Toast: readBox(values, "toast", &bad), Sender: notifier.UserRef(visitOf(r).user.User),
	}
	d.Extras.Ask, d.Extras.Take = readChoices(values.Get("choices")), readTake(values, &bad)
	switch to := values.Get("to"); values.Get("target") {
	case "role":
		d.Target = h.readRoles(r, values, &bad)
	case "user":
		d.Target.Users = h.readNames(r, to, &bad)
	case "topic":
		d.Target.Topic = notifier.Topic{Type: strings.Trim(d.Type, " "), Scope: strings.Trim(d.Scope, " ")}
		if d.Target.Topic == (notifier.Topic{}) {
			bad.Add("type", notifier.CodeRequired, nil)
		}
	case "audience":
		d.Target.Audiences = h.readTo(r, values, &bad)
		d.Window = readWindow(values, h.zones.of(r), &bad)
	default:
		bad.Add("target", codeBadTarget, nil)
		d.Target.Users = h.readNames(r, to, &bad)
	}
	readBox(values, "preview", &bad) // an invalid value must not send
	readBox(values, "test", &bad)
	readBox(values, "save", &bad)
	readBox(values, "template", &bad)
	life, fault := readLife(values.Get("expires_in"))
	if fault != "" {
		bad.Add("expires_in", fault, nil)
	}
	d.ExpiresIn = life
	at, fault := readMoment(values.Get("send_at"), h.zones.of(r))
	if fault != "" {
		bad.Add("send_at", fault, nil)
	}
	d.SendAt = at
	d.SetType() // a preview shows the type that will be sent
	return d, bad.OrNil()
}

// readNames parses typed or pasted user names. If the directory is unavailable they stay as typed, and the lookup
// that follows returns the error.
func (h *Handlers) readNames(r *http.Request, to string, bad *notifier.InvalidError) []string {
	typed, err := notifier.ReadNames(to, func(names []string) (map[string][]string, error) {
		return h.Store.SameNames(r.Context(), names)
	})
	if err != nil {
		h.lacks(r, "names of users", err)
		typed, _ = notifier.ReadNames(to, func([]string) (map[string][]string, error) { return nil, nil })
	}
	for _, name := range slices.Sorted(maps.Keys(typed.Unclear)) {
		bad.Add("to", codeUnclearName, map[string]any{"Name": name, "Names": listedNames(h.text(r), typed.Unclear[name])})
		break // one error at a time
	}
	return typed.Names
}

// readLife parses a notice's lifetime; 0 means the default. fault is an error code.
func readLife(text string) (life time.Duration, fault string) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, ""
	}
	life, err := notifier.ParseSpan(text)
	switch {
	case err != nil:
		return 0, codeBadDuration
	case life <= 0:
		return 0, notifier.CodeExpiresPast
	case life < time.Second: // it would expire before anyone saw it
		return 0, codeBadDuration
	default:
		return life, ""
	}
}

// merge joins the errors of one form. It keeps one error about names, and none if the target is invalid, because then
// their kind is unknown.
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
			if f.Field != "to" || !lost && !all.Has("to") {
				all.Fields = append(all.Fields, f)
			}
		}
	}
	return &all
}

// typed returns the form as filled in; a typed role or audience becomes a chosen one.
func (h *Handlers) typed(r *http.Request, values url.Values) views.SendForm {
	text := func(name string) string { return kept(values.Get(name)) }
	f := views.SendForm{
		Target: text("target"), To: textarea(text("to")), ToKept: text("to_kept"), Type: text("type"), Scope: text("scope"),
		Subject: text("subject"), Title: text("title"), Body: textarea(text("body")), Link: text("link"), Choices: textarea(text("choices")), Take: text("take"), TakeWithin: text("take_within"), TakeElse: text("take_else"),
		ExpiresIn: text("expires_in"), Once: onceOf(values.Get("once")), SendAt: text("send_at"), StartsAt: text("starts_at"), EndsAt: text("ends_at"),
		Pinned: ticked(values, "pinned"), LateJoiners: ticked(values, "late_joiners"), Toast: ticked(values, "toast"),
	}
	for _, name := range tickedBoxes(values, "to_audience") {
		f.Audiences = append(f.Audiences, kept(name))
	}
	for _, name := range h.tickedRoles(r, values) {
		f.Roles = append(f.Roles, kept(name))
	}
	h.chooseRecipients(r, &f)
	if f.Target == "audience" && f.StartsAt == "" { // the form of an announcement has one start
		f.StartsAt, f.SendAt = f.SendAt, ""
	}
	return f
}

// ticked reports whether a checkbox was ticked. An invalid value counts as no.
func ticked(values url.Values, field string) bool {
	return readBox(values, field, &notifier.InvalidError{})
}

// textarea keeps a leading empty line, which browsers drop.
func textarea(s string) string {
	if strings.HasPrefix(s, "\n") || strings.HasPrefix(s, "\r\n") {
		return "\n" + s
	}
	return s
}

// sendPage builds the form with its choices; those that cannot be read are missing.
func (h *Handlers) sendPage(r *http.Request, given views.SendForm) *views.Send {
	if given.Once == "" {
		given.Once = newOnce()
	}
	p := &views.Send{Frame: h.frame(r, "send", "send.title"), Form: given, Faults: map[string]string{}}
	p.Roles = h.roleBoxes(r, given.Roles)
	types := h.Topics.Types()
	for _, t := range types[:min(len(types), shownTypes)] {
		p.Types = append(p.Types, views.TypeHint{Slug: t.Slug, Name: h.typeNames(p.Text).given(t.Slug)})
	}
	h.addAudiences(r, p)
	p.Expiry = expiryOptions(p.Text, given.ExpiresIn)
	p.Takes = takeOptions(p.Text, given.Take)
	p.Disappears = h.disappears(r, p.Text, given)
	p.Submit, p.Later = h.submitText(r, p, -1), h.laterChoices(r, p)
	p.Lost, p.Category = h.lost(p.Text, given), h.category(p.Text, &given)
	return p
}

// addAudiences adds the audiences and the texts about an announcement's window and pictures.
func (h *Handlers) addAudiences(r *http.Request, p *views.Send) {
	p.Audiences = h.audienceOptions(r, p.Text, p.Form.Audiences)
	p.Zone = h.zoneText(r)
	p.EndsUsual = p.Text.F("send.ends_hint", "Time", lasting(p.Text, h.closesUsually()))
	p.PictureHosts = listedNames(p.Text, h.ImageHosts)
}

// zoneText returns the line with the time zone of a form's times.
func (h *Handlers) zoneText(r *http.Request) string {
	return h.text(r).F("send.zone", "Name", h.zones.of(r).String())
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

// lasting formats a duration in the largest unit that divides it.
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
