package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

// Error codes used only for a user's own subscriptions.
const (
	codeNotOpen  = "not_open"
	codeNotYours = "not_yours"
)

// shownByRole is the maximum number of subscriptions shown for each of the user's roles.
const shownByRole = 50

// subscribeSelf subscribes the user to a topic or unsubscribes them. The settings page shows errors along with the
// input.
func (h *Handlers) subscribeSelf(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "type", "scope", "subscribed")
	if values == nil {
		return err
	}
	pasted(values)
	if err == nil {
		err = h.setSubscribed(r, values)
	}
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		p := h.settingsPage(r, views.TabNotifications, visitOf(r).user.User.Settings, nil)
		p.Subscribe = views.SubscribeForm{Type: kept(values.Get("type")), Scope: kept(values.Get("scope")), Faults: map[string]string{}}
		for _, f := range bad.Fields {
			p.Subscribe.Add(f.Field, faultText(p.Text, f), values.Get("subscribed") == "1")
		}
		return h.showSettings(w, r, http.StatusUnprocessableEntity, p)
	}
	if err != nil {
		return err
	}
	done := "you-unsubscribe"
	if values.Get("subscribed") == "1" {
		done = "you-subscribe"
	}
	redirect(w, r, settled(views.TabNotifications, done))
	return nil
}

func (h *Handlers) setSubscribed(r *http.Request, values url.Values) error {
	on := values.Get("subscribed") == "1"
	if !on && values.Get("subscribed") != "0" {
		return fault("subscribed", codeBadSwitch, nil)
	}
	user := visitOf(r).user.User
	topic := notifier.Topic{Type: strings.Trim(values.Get("type"), " "), Scope: strings.Trim(values.Get("scope"), " ")}
	err := h.Topics.SubscribeSelf(r.Context(), user, topic, on)
	switch {
	case errors.Is(err, notifier.ErrForbidden) && on:
		return fault("type", codeNotOpen, nil)
	case errors.Is(err, notifier.ErrForbidden):
		return fault("type", codeNotYours, nil)
	case err != nil:
		return fmt.Errorf("change a subscription of user %d: %w", user.Seq, err)
	}
	return nil
}

// addSubscriptions adds to the settings the user's own subscriptions, their roles' subscriptions and the types they
// can subscribe to.
func (h *Handlers) addSubscriptions(r *http.Request, p *views.Settings) error {
	types := map[string]notifier.NoticeType{}
	names := h.typeNames(p.Text)
	for _, t := range h.Topics.Types() {
		types[t.Slug] = t
		if t.Open {
			p.Subscribe.Types = append(p.Subscribe.Types, components.Option{
				Value: t.Slug, Text: names.of(t.Slug), Selected: t.Slug == p.Subscribe.Type,
			})
		}
	}
	user := visitOf(r).user.User
	own, err := h.subscriptionsOf(r.Context(), p, notifier.SubscriptionQuery{User: user.Name, Limit: notifier.MaxSubscriptions})
	if err != nil {
		return err
	}
	for _, s := range own {
		shown := views.OwnSubscription{Type: s.Type, Scope: s.Scope, Topic: names.topic(s.Topic)}
		if t := types[s.Type]; t.NoMute && !t.Open {
			shown.Why = p.Text.T("settings.by_staff")
		} else {
			shown.Unsubscribe = p.Text.F("settings.unsubscribe_named", "Topic", shown.Topic)
		}
		p.Subscriptions = append(p.Subscriptions, shown)
	}
	for _, role := range user.Roles {
		all, err := h.subscriptionsOf(r.Context(), p, notifier.SubscriptionQuery{Role: role, Limit: shownByRole})
		if err != nil {
			return err
		}
		for _, s := range all {
			p.Subscriptions = append(p.Subscriptions, views.OwnSubscription{
				Type: s.Type, Scope: s.Scope, Topic: names.topic(s.Topic), Why: p.Text.F("settings.by_role", "Name", role),
			})
		}
	}
	return nil
}

// subscriptionsOf lists a subscriber's subscriptions and sets MoreSubscriptions if there are more.
func (h *Handlers) subscriptionsOf(
	ctx context.Context, p *views.Settings, q notifier.SubscriptionQuery,
) ([]notifier.Subscription, error) {
	most := q.Limit
	q.Limit++
	found, err := h.Store.Subscriptions(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list a user's subscriptions: %w", err)
	}
	if len(found) > most {
		found, p.MoreSubscriptions = found[:most], true
	}
	return found, nil
}
