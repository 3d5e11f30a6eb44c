package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

const (
	groupSubscriptions = "Subscriptions"
	subscriptionsPath  = "/subscriptions"
)

// registerSubscriptions adds the calls about who subscribes to what.
func registerSubscriptions(u *users) {
	register(u.server, call{
		id: "subscribe", group: groupSubscriptions, method: http.MethodPut, path: subscriptionsPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "Subscribe a user or a role to a topic",
		about: "A topic is a type and a scope. Whoever subscribes by himself or by any of his roles gets what is sent to it, once. The empty scope is one " +
			"as any other. 201 when the subscription is new, 200 when it was there.",
		also: []int{http.StatusCreated},
		examples: []example{
			{name: "role", summary: "Pickers replenish warehouse 119240", body: `{"type": "rep_notice", "scope": "119240", "role": "picker"}`, status: http.StatusCreated},
			{name: "user", summary: "Bob wants to know as well", body: `{"type": "rep_notice", "scope": "119240", "user": "bob"}`, status: http.StatusCreated},
		},
	}, u.subscribe)
	register(u.server, call{
		id: "list-subscriptions", group: groupSubscriptions, method: http.MethodGet, path: subscriptionsPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary:  "List subscriptions",
		about:    "The latest first. A `user` is listed with what he subscribes to himself; ask for his roles one by one.",
		examples: []example{{name: "warehouse", summary: "Who is told about warehouse 119240?", params: map[string]string{"type": "rep_notice", "scope": "119240"}}},
	}, u.subscriptions)
	register(u.server, call{
		id: "unsubscribe", group: groupSubscriptions, method: http.MethodDelete, path: subscriptionsPath, scope: notifier.ScopeAdmin, status: http.StatusNoContent,
		summary:  "End a subscription",
		about:    "The body is that of the call that made it. Notices that came already stay.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "user", summary: "Bob has left the warehouse", body: `{"type": "rep_notice", "scope": "119240", "user": "bob"}`}},
	}, u.unsubscribe)
}

// subscriptionBody is a topic, and who subscribes to it: a user or a role.
type subscriptionBody struct {
	Type  string `json:"type" pattern:"^[a-z0-9][a-z0-9_.-]{0,62}$" patternDescription:"a type" doc:"The topic's type."`
	Scope string `json:"scope,omitempty" pattern:"^[A-Za-z0-9_.-]{0,64}$" patternDescription:"a scope" doc:"The topic's scope, such as a warehouse."`
	User  string `json:"user,omitempty" doc:"The user who subscribes; or"`
	Role  string `json:"role,omitempty" doc:"the role whose members do."`
}

func (b *subscriptionBody) subscription() notifier.Subscription {
	return notifier.Subscription{
		Topic:      notifier.Topic{Type: b.Type, Scope: b.Scope},
		Subscriber: notifier.Subscriber{User: b.User, Role: b.Role},
	}
}

type subscriptionInput struct {
	Payload payload[subscriptionBody]
}

type subscriptionOutput struct {
	Status int
	Body   subscriptionBody
}

func (u *users) subscribe(ctx context.Context, in *subscriptionInput) (*subscriptionOutput, error) {
	sub := in.Payload.Value.subscription()
	if err := sub.Validate(); err != nil {
		return nil, err
	}
	added, err := u.Topics.Subscribe(ctx, sub)
	if err != nil {
		return nil, err
	}
	out := &subscriptionOutput{Status: http.StatusOK, Body: in.Payload.Value}
	if added {
		out.Status = http.StatusCreated
		object, topic := sub.Audited()
		u.audit(ctx, "subscription.add", object, topic)
	}
	return out, nil
}

func (u *users) unsubscribe(ctx context.Context, in *subscriptionInput) (*struct{}, error) {
	sub := in.Payload.Value.subscription()
	if err := sub.Validate(); err != nil {
		return nil, err
	}
	removed, err := u.Topics.Unsubscribe(ctx, sub)
	if err == nil && !removed {
		err = fmt.Errorf("end a subscription that there is not: %w", notifier.ErrNotFound)
	}
	if err == nil {
		object, topic := sub.Audited()
		u.audit(ctx, "subscription.remove", object, topic)
	}
	return nil, err
}

// subscriptionsInput says which ones to list.
type subscriptionsInput struct {
	Type   string `query:"type" pattern:"^[a-z0-9][a-z0-9_.-]{0,62}$" patternDescription:"a type" doc:"Only of this type."`
	Scope  string `query:"scope" pattern:"^[A-Za-z0-9_.-]{0,64}$" patternDescription:"a scope" doc:"Only of this scope, which may be empty. It needs a type."`
	User   string `query:"user" doc:"Only those of this user."`
	Role   string `query:"role" doc:"Only those of this role."`
	Before int64  `query:"before" minimum:"0" doc:"The next page: next of the page before."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Subscriptions in one answer, at most."`

	byScope bool
}

// Resolve finds out whether there is a scope, be it the empty one.
func (in *subscriptionsInput) Resolve(c huma.Context) []error {
	at := c.URL()
	in.byScope = at.Query().Has("scope")
	if in.byScope && in.Type == "" {
		return []error{&huma.ErrorDetail{Location: "query.scope", Message: sentence(codeNeedsType, nil)}}
	}
	return nil
}

type subscriptionsOutput struct {
	Body struct {
		Subscriptions []listedSubscription `json:"subscriptions" nullable:"false" doc:"The latest first."`
		Next          int64                `json:"next" doc:"What to give as before for the next page; 0 on the last."`
	}
}

// listedSubscription is one that there is.
type listedSubscription struct {
	ID        int64  `json:"id" doc:"Later ones have higher numbers."`
	Type      string `json:"type" doc:"The topic's type."`
	Scope     string `json:"scope" doc:"The topic's scope."`
	User      string `json:"user,omitempty" doc:"The user who subscribes; or"`
	Role      string `json:"role,omitempty" doc:"the role whose members do."`
	CreatedAt string `json:"created_at" format:"date-time" doc:"Since when."`
}

func (u *users) subscriptions(ctx context.Context, in *subscriptionsInput) (*subscriptionsOutput, error) {
	found, err := u.Directory.Subscriptions(ctx, notifier.SubscriptionQuery{
		Type: in.Type, Scope: in.Scope, ByScope: in.byScope, User: in.User, Role: in.Role, Before: in.Before, Limit: in.Limit + 1,
	})
	if err != nil {
		return nil, err
	}
	out := &subscriptionsOutput{}
	out.Body.Subscriptions = make([]listedSubscription, 0, len(found))
	if len(found) > in.Limit {
		found = found[:in.Limit]
		out.Body.Next = found[len(found)-1].ID
	}
	for _, s := range found {
		out.Body.Subscriptions = append(out.Body.Subscriptions, listedSubscription{
			ID: s.ID, Type: s.Type, Scope: s.Scope, User: s.User, Role: s.Role, CreatedAt: rfc3339(s.CreatedAt),
		})
	}
	return out, nil
}
