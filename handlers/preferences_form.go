package handlers

import (
	"maps"
	"net/url"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// preferenceFields returns the fields that the form may have. It uses the types listed in the form, because one of
// them may have been deleted meanwhile.
func preferenceFields(sent url.Values) []string {
	fields := []string{"mail", "mail_at", "push", "quiet_from", "quiet_to", "zone"}
	for _, slug := range sent["type"] {
		for _, way := range views.Ways() {
			fields = append(fields, views.Box(slug, way))
		}
	}
	return fields
}

// readPreferences parses the form. A missing field keeps the user's setting; with mailOnly, so do the types' settings
// other than mail.
func (h *Handlers) readPreferences(values url.Values, had *notifier.Preferences, mailOnly bool) (set notifier.PutPreferences, err error) {
	var bad notifier.InvalidError
	when := func(field string) *notifier.When {
		w, ok := notifier.ParseWhen(values.Get(field))
		if !ok {
			bad.Add(field, notifier.CodeBadWhen, nil)
		}
		return &w
	}
	minute := func(field string) int {
		m, ok := notifier.ParseMinute(values.Get(field))
		if !ok {
			bad.Add(field, notifier.CodeBadMinute, nil)
		}
		return m
	}
	if values.Has("mail") {
		set.Mail = when("mail")
		if values.Get("mail_at") != "" {
			set.MailAt = new(minute("mail_at"))
		}
		if !had.MailChosen && *set.Mail == had.Mail && (set.MailAt == nil || *set.MailAt == had.MailAt) {
			set.Mail, set.MailAt = nil, nil // an unchanged default is not stored, so that a new default applies
		}
	}
	if values.Has("push") {
		set.Push = when("push")
	}
	from, to := values.Get("quiet_from"), values.Get("quiet_to")
	set.SetQuiet = values.Has("quiet_from") || values.Has("quiet_to")
	switch {
	case from == "" && to == "":
	case from == "" || to == "":
		bad.Add("quiet", notifier.CodeHalfQuiet, nil)
	default:
		set.Quiet = &notifier.Quiet{From: minute("quiet_from"), To: minute("quiet_to")}
	}
	if values.Has("zone") {
		set.Zone = new(values.Get("zone"))
	}
	if values.Has("type") {
		set.Change = func(had map[string]notifier.TypeWants) map[string]notifier.TypeWants {
			return h.readWants(values, had, mailOnly)
		}
	}
	return set, bad.OrNil()
}

// readWants parses the boxes of the listed types. A value equal to the type's default is not stored, so that a new
// default applies to the user.
func (h *Handlers) readWants(values url.Values, had map[string]notifier.TypeWants, mailOnly bool) map[string]notifier.TypeWants {
	all := map[string]notifier.TypeWants{}
	maps.Copy(all, had)
	for _, slug := range values["type"] {
		t, known := h.knownType(slug)
		if !known {
			continue
		}
		has := all[slug]
		w := notifier.TypeWants{Inbox: chosenBox(values, slug, views.WayInbox, true), Push: has.Push, Mail: has.Mail}
		if t.NoMute || mailOnly {
			w.Inbox = has.Inbox
		}
		if h.Devices != nil && !mailOnly {
			w.Push = chosenBox(values, slug, views.WayDevices, !t.NoPush)
		}
		if h.Mailing {
			w.Mail = chosenBox(values, slug, views.WayMail, !t.NoMail)
		}
		delete(all, slug)
		if w != (notifier.TypeWants{}) {
			all[slug] = w
		}
	}
	return all
}

// chosenBox returns whether a box is ticked, or nil if that equals the default.
func chosenBox(values url.Values, slug string, way views.Way, otherwise bool) *bool {
	if on := values.Has(views.Box(slug, way)); on != otherwise {
		return &on
	}
	return nil
}
