package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// offeredOfEach is the maximum number of recipients of each kind that are suggested together.
const offeredOfEach = 5

// offerRecipients suggests recipients in sections: people, groups and followers of categories, or only those of one kind.
// A notice goes to recipients of one kind. People are suggested only once something is typed.
func (h *Handlers) offerRecipients(r *http.Request, part, only string) ([]offer, error) {
	offers := []offer{}
	for _, kind := range []string{"user", "role", "topic", "audience"} {
		var found []offer
		var err error
		most := offeredOfEach
		switch {
		case only == kind:
			most = offeredNames
		case only != "" || kind == "audience":
			continue
		}
		switch kind {
		case "user":
			if part != "" {
				found, err = h.offerUsers(r, part, nil)
			}
		case "role":
			found, err = h.offerRoles(r, part, nil)
		case "topic":
			found, err = h.offerTopics(r, part)
		case "audience":
			found, err = h.offerAudiences(r, part, nil)
		}
		if err != nil {
			return nil, err
		}
		for _, o := range found[:min(len(found), most)] {
			o.Kind, o.Section = kind, h.text(r).T(sectionOf(kind))
			if o.box != "" {
				o.Name, o.Label = o.box, o.Name
			}
			offers = append(offers, o)
		}
	}
	return offers, nil
}

func sectionOf(kind string) string {
	if kind == "audience" {
		return "send.to_audience"
	}
	return "send.target_" + kind
}

// offerTopics suggests topics that somebody follows, by the category, or by the category and the beginning of the scope
// after a space.
func (h *Handlers) offerTopics(r *http.Request, part string) (offers []offer, err error) {
	text := h.text(r)
	names := h.typeNames(text)
	types, scope := names.matching(part, offeredTypes), ""
	if space := strings.LastIndexByte(part, ' '); len(types) == 0 && space > 0 {
		types, scope = names.matching(strings.TrimSpace(part[:space]), offeredTypes), part[space+1:]
	}
	if len(types) == 0 {
		return nil, nil
	}
	found, err := h.Store.FollowedTopics(r.Context(), types, scope, offeredNames)
	if err != nil {
		return nil, err
	}
	for _, t := range found {
		count, err := h.followers(r, t)
		if err != nil {
			return nil, err
		}
		o := h.offerType(t.Type, topicLabel(text, names, t))
		o.Scope, o.Note = t.Scope, text.N("names.members", count)
		offers = append(offers, o)
	}
	return offers, nil
}

// topicLabel is a topic as readers see it.
func topicLabel(text *locale.Printer, names typeNames, t notifier.Topic) string {
	if t.Scope == "" {
		return names.words(t.Type)
	}
	return text.F("topic.scoped", "Type", names.words(t.Type), "Scope", t.Scope)
}

// followers returns how many people a notice for a topic would reach.
func (h *Handlers) followers(r *http.Request, t notifier.Topic) (int64, error) {
	sure, err := h.Sender.Confirm(r.Context(), notifier.Draft{Target: notifier.Target{Topic: t}, Type: t.Type, Title: t.Type})
	if bad := (*notifier.InvalidError)(nil); err != nil && !errors.As(err, &bad) {
		return 0, fmt.Errorf("count the followers of a topic: %w", err)
	}
	return sure.Recipients, nil
}
