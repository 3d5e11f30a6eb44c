package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

var subscriptionForm = []string{"type", "scope", "user", "role"}

// changeSubscriptions adds or removes a subscription.
func (h *Handlers) changeSubscriptions(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, append([]string{"action", "back"}, subscriptionForm...)...)
	if values == nil {
		return err
	}
	pasted(values)
	s := readSubscription(values)
	switch action := values.Get("action"); {
	case err != nil:
	case action == "add", action == "":
		_, err = h.Topics.Subscribe(r.Context(), h.actor(r), s)
		if err == nil {
			redirect(w, r, backOn(subscriptionsPath, values.Get("back"), "subscribed"))
			return nil
		}
	case action == "remove":
		return h.unsubscribe(w, r, s, values.Get("back"))
	default:
		err = fault("", codeForm, nil)
	}
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		return fmt.Errorf("subscribe to a topic: %w", err)
	}
	p, err := h.subscriptionsPage(r, backQuery(subscriptionsPath, values.Get("back")))
	if err != nil {
		return err
	}
	h.fillSubscription(r, p, values)
	p.Adding, p.Faults = true, faultsOf(p.Text, bad, subscriptionForm...)
	return h.page(w, r, http.StatusUnprocessableEntity, views.SubscriptionsPage(p))
}

// unsubscribe removes a subscription. If it is already gone, that is not an error.
func (h *Handlers) unsubscribe(w http.ResponseWriter, r *http.Request, s notifier.Subscription, back string) error {
	removed, err := h.Topics.Unsubscribe(r.Context(), h.actor(r), s)
	if err != nil && !errors.Is(err, notifier.ErrNotFound) {
		return fmt.Errorf("unsubscribe from a topic: %w", err)
	}
	if !removed {
		redirect(w, r, backOn(subscriptionsPath, back, "unsubscribed"))
		return nil
	}
	text := h.text(r)
	h.removed(w, r, subscriptionsPath, back, "unsubscribed", views.Done{
		Text: text.F("subscriptions.removed", "Name", s.User+s.Role, "Topic", topicText(h.Topics.Name(s.Type, text.Lang()), s.Scope)),
		Undo: &views.Undo{
			Action: subscriptionsPath, Target: "#results", Select: "#results",
			Fields: append(subscriptionFields("add", s), views.Hidden{Name: "back", Value: kept(back)}),
		},
	})
	return nil
}

func readSubscription(values url.Values) notifier.Subscription {
	text := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	return notifier.Subscription{
		Topic:      notifier.Topic{Type: text("type"), Scope: text("scope")},
		Subscriber: notifier.Subscriber{User: text("user"), Role: text("role")},
	}
}

// fillSubscription fills in the form, with the roles to choose from. An htmx request replaces only the list, so it
// needs no roles.
func (h *Handlers) fillSubscription(r *http.Request, p *views.Subscriptions, values url.Values) {
	p.Form = typedSubscription(values)
	if !fragment(r) {
		p.Roles = h.roleOptions(r, p.Text.T("subscriptions.no_role"), p.Form.Role)
	}
}

// typedSubscription returns the form as filled in.
func typedSubscription(values url.Values) views.SubscriptionForm {
	text := func(name string) string { return kept(values.Get(name)) }
	return views.SubscriptionForm{Type: text("type"), Scope: text("scope"), User: text("user"), Role: text("role")}
}
