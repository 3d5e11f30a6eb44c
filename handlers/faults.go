package handlers

import (
	"fmt"
	"maps"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// showFaults puts every fault beside its field, the first where a field has
// several, and into the list on top. A fault of the form
// itself is in the list only.
func (h *Handlers) showFaults(p *views.Send, bad *notifier.InvalidError) {
	labels := map[string]string{
		"target": "send.target", "to": toLabel(p.Form.Target), "type": "send.type", "subject": "send.subject", "scope": "send.scope",
		"title": "send.title_field", "body": "send.body", "link": "send.link", "expires_in": "send.expires",
		"starts_at": "send.starts_at", "ends_at": "send.ends_at", "pinned": "send.pinned", "late_joiners": "send.late_joiners",
		"toast": "send.toast",
	}
	for _, f := range bad.Fields {
		if f.Field == "to" && p.Form.Target == "topic" {
			continue // its type and scope say what is wrong with it
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

// toLabel is what the field of the recipients is called.
func toLabel(target string) string {
	switch target {
	case "role":
		return "send.to_role"
	case "audience":
		return "send.to_audience"
	default:
		return "send.to"
	}
}

// named puts the name of an audience in the place of its number.
func (h *Handlers) named(text *locale.Printer, f notifier.FieldError) notifier.FieldError {
	number, ok := whole(f.Params["Audience"])
	if !ok {
		return f
	}
	f.Params = maps.Clone(f.Params)
	f.Params["Audience"] = h.audience(text, notifier.Audience(number))
	return f
}

// faultText is the message of a fault. Its parameters are those that
// notifier/draft_codes.go names.
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
