package handlers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// pageOrder lists the fields in their order on the page.
var pageOrder = []string{
	"template_name", "target", "to", "type", "scope", "title", "body", "link", "subject", "choices", "take", "take_within", "take_else", "expires_in", "send_at", "starts_at", "ends_at", "pinned", "late_joiners", "toast",
}

// showFaults puts the first error of each field beside it and all errors into the list at the top. Errors of the form
// itself are only in the list.
func (h *Handlers) showFaults(p *views.Send, bad *notifier.InvalidError) {
	recipients, label := recipientField(p)
	labels := map[string]string{
		"target": "send.target", recipients: label, "type": "send.type", "subject": "send.subject", "scope": "send.scope",
		"title": "send.title_field", "body": "send.body", "link": "send.link", "expires_in": "send.expires", "send_at": "send.at",
		"starts_at": "send.starts_at", "ends_at": "send.ends_at", "pinned": "send.pinned", "late_joiners": "send.late_joiners",
		"toast": "send.toast", "choices": "send.choices", "take": "send.take", "take_within": "send.take_within", "take_else": "send.take_else", "template_name": "templates.name",
	}
	inOrder := slices.Clone(bad.Fields)
	slices.SortStableFunc(inOrder, func(a, b notifier.FieldError) int {
		return cmp.Compare(slices.Index(pageOrder, a.Field), slices.Index(pageOrder, b.Field))
	})
	for _, f := range inOrder {
		if f.Field == "to" && p.Form.Target == "topic" {
			continue // the errors of type and scope cover it
		}
		f = ofRecipients(f, recipients)
		if strings.HasPrefix(f.Field, "choices[") {
			f.Field = "choices"
		}
		if strings.HasPrefix(f.Field, "take.") {
			f.Field = takeField(f.Field)
		}
		text := faultText(p.Text, h.named(p.Text, f))
		link := views.FaultLink{Text: text}
		if label, shown := labels[f.Field]; shown {
			link = views.FaultLink{Field: views.ControlOf(f.Field), Text: p.Text.F("send.error_of", "Label", p.Text.T(label), "Text", text)}
			if p.Faults[f.Field] == "" {
				p.Faults[f.Field] = text
			}
		}
		p.FaultList = append(p.FaultList, link)
	}
}

// ofRecipients moves an error of the recipients to the control that lists them. If that is empty and not a text
// field, the error asks for a choice.
func ofRecipients(f notifier.FieldError, recipients string) notifier.FieldError {
	if f.Field != "to" {
		return f
	}
	f.Field = recipients
	if f.Code == notifier.CodeRequired && recipients != "to" {
		f.Code = codeChoose
	}
	return f
}

// named replaces the number of an audience with its name.
func (h *Handlers) named(text *locale.Printer, f notifier.FieldError) notifier.FieldError {
	number, ok := whole(f.Params["Audience"])
	if !ok {
		return f
	}
	f.Params = maps.Clone(f.Params)
	f.Params["Audience"] = h.audience(text, notifier.Audience(number))
	return f
}

// faultText returns an error's message. notifier/draft_codes.go lists the parameters.
func faultText(text *locale.Printer, f notifier.FieldError) string {
	id := "error." + f.Code
	var pairs []string
	for name, value := range f.Params {
		if name != "Count" {
			pairs = append(pairs, name, faultValue(text, name, value))
		}
	}
	if count, ok := whole(f.Params["Count"]); ok {
		return text.N(id, count, pairs...)
	}
	return text.F(id, pairs...)
}

func faultValue(text *locale.Printer, name string, value any) string {
	if n, ok := whole(value); ok {
		return text.Number(n)
	}
	s := fmt.Sprint(value)
	if d, err := time.ParseDuration(s); err == nil && name == "Max" {
		return lasting(text, d)
	}
	return kept(s)
}

func whole(value any) (int64, bool) {
	switch n := value.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case notifier.Audience:
		return int64(n), true
	default:
		return 0, false
	}
}
