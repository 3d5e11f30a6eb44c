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

// registerSubscriptions adds the calls about subscriptions to topics.
func registerSubscriptions(u *users) {
	register(u.server, call{
		id: "subscribe", group: groupSubscriptions, method: http.MethodPut, path: subscriptionsPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "Subscribe a user or a role to a topic",
		about: "A topic is a type and a scope. A user who subscribes, themselves or through any of their roles, receives each notice to the topic once. " +
			"The empty scope is a scope of its own. The answer is 201 for a new subscription and 200 for an existing one.",
		also: []int{http.StatusCreated},
		examples: []example{
			{name: "role", summary: "All pickers, for warehouse 119240", body: `{"type": "rep_notice", "scope": "119240", "role": "picker"}`, status: http.StatusCreated},
			{name: "user", summary: "Bob, too", body: `{"type": "rep_notice", "scope": "119240", "user": "bob"}`, status: http.StatusCreated},
		},
	}, u.subscribe)
	register(u.server, call{
		id: "list-subscriptions", group: groupSubscriptions, method: http.MethodGet, path: subscriptionsPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary:  "List subscriptions",
		about:    "The latest first. With `user`, the list has only the user's own subscriptions; ask for those of their roles one by one.",
		examples: []example{{name: "warehouse", summary: "The subscribers for warehouse 119240", params: map[string]string{"type": "rep_notice", "scope": "119240"}}},
	}, u.subscriptions)
	register(u.server, call{
		id: "unsubscribe", group: groupSubscriptions, method: http.MethodDelete, path: subscriptionsPath, scope: notifier.ScopeAdmin, status: http.StatusNoContent,
		summary:  "End a subscription",
		about:    "The body is that of the call that created the subscription. Notices that were already delivered stay in the inbox.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "user", summary: "Bob has left the warehouse", body: `{"type": "rep_notice", "scope": "119240", "user": "bob"}`}},
	}, u.unsubscribe)
}

// subscriptionBody is a topic and its subscriber: a user or a role.
type subscriptionBody struct {
	Type  string `json:"type" pattern:"^[a-z0-9][a-z0-9_.-]{0,62}$" patternDescription:"a type" doc:"The topic's type."`
	Scope string `json:"scope,omitempty" pattern:"^[A-Za-z0-9_.-]{0,64}$" patternDescription:"a scope" doc:"The topic's scope, such as a warehouse."`
	User  string `json:"user,omitempty" doc:"The user who subscribes. Either this or role is required."`
	Role  string `json:"role,omitempty" doc:"The role whose members subscribe. Either this or user is required."`
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
	added, err := u.Topics.Subscribe(ctx, u.actor(ctx), sub)
	if err != nil {
		return nil, err
	}
	out := &subscriptionOutput{Status: http.StatusOK, Body: in.Payload.Value}
	if added {
		out.Status = http.StatusCreated
	}
	return out, nil
}

func (u *users) unsubscribe(ctx context.Context, in *subscriptionInput) (*struct{}, error) {
	sub := in.Payload.Value.subscription()
	if err := sub.Validate(); err != nil {
		return nil, err
	}
	removed, err := u.Topics.Unsubscribe(ctx, u.actor(ctx), sub)
	if err == nil && !removed {
		err = fmt.Errorf("end the subscription: %w", notifier.ErrNotFound)
	}
	return nil, err
}

// subscriptionsInput selects the subscriptions to list.
type subscriptionsInput struct {
	Type   string `query:"type" pattern:"^[a-z0-9][a-z0-9_.-]{0,62}$" patternDescription:"a type" doc:"Only subscriptions to topics of this type."`
	Scope  string `query:"scope" pattern:"^[A-Za-z0-9_.-]{0,64}$" patternDescription:"a scope" doc:"Only subscriptions to topics of this scope, which may be empty. Requires type."`
	User   string `query:"user" doc:"Only subscriptions of this user."`
	Role   string `query:"role" doc:"Only subscriptions of this role."`
	Before int64  `query:"before" minimum:"0" doc:"For the next page: the value of next from the previous page."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Maximum number of subscriptions in one answer."`

	byScope bool
}

// Resolve finds out whether a scope is given, which may be the empty one.
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
		Next          int64                `json:"next" doc:"The value of before for the next page; 0 on the last page."`
	}
}

// listedSubscription is a subscription in a list.
type listedSubscription struct {
	ID        int64  `json:"id" doc:"The ID of the subscription. Later subscriptions have higher IDs."`
	Type      string `json:"type" doc:"The topic's type."`
	Scope     string `json:"scope" doc:"The topic's scope."`
	User      string `json:"user,omitempty" doc:"The user who subscribes, unless it is a role."`
	Role      string `json:"role,omitempty" doc:"The role whose members subscribe, unless it is a user."`
	CreatedAt string `json:"created_at" format:"date-time" doc:"When the subscription was created."`
}

func (u *users) subscriptions(ctx context.Context, in *subscriptionsInput) (*subscriptionsOutput, error) {
	found, err := u.Store.Subscriptions(ctx, notifier.SubscriptionQuery{
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
