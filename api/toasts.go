package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// registerToasts adds the call about toasts.
func registerToasts(s *server) {
	register(s, call{
		id: "pop-toast", group: groupNotices, method: http.MethodPost, path: "/toasts", scope: notifier.ScopeSend, status: http.StatusAccepted,
		summary: "Pop up a message that is kept nowhere",
		about: "For what is of no lasting worth, such as `export finished`: it pops up once, on one device of each user, and leaves no row in the inbox. " +
			"Who is not there sees it when he comes back within `expires_in`, else never. What matters is a notice, with `\"toast\": true`. " +
			"Give an `Idempotency-Key` to make the call safe to repeat: after an error some users may have it.",
		examples: []example{
			{name: "user", summary: "To a user, for ten minutes", body: `{"target":{"users":["alice"]},"title":"Your export is ready","link":"/inbox","expires_in":"10m"}`},
			{name: "role", summary: "To a role, but for who has muted shift", body: `{"target":{"role":"picker"},"type":"shift","title":"Bay 3 is open again"}`},
			{name: "once", summary: "Safe to repeat", params: map[string]string{"Idempotency-Key": "export-77"}, body: `{"target":{"users":["bob"]},"title":"Your export is ready","body":"412 orders."}`},
		},
	}, s.pop)
}

// toastInput is a message that pops up and leaves no row.
type toastInput struct {
	Target    toastTarget `json:"target" doc:"Whom it pops up for: exactly one of users, role and topic, and 100,000 users at most."`
	Type      string      `json:"type,omitempty" doc:"What kind of message it is, if it is of one: who has muted that kind is left out. To a topic it is the topic's unless it is named. [a-z0-9][a-z0-9_.-]{0,62}"`
	Title     string      `json:"title" doc:"One line, up to 200 characters."`
	Body      string      `json:"body,omitempty" doc:"Up to 4,000 characters, of which the first 300 are told; lines end with LF."`
	Link      string      `json:"link,omitempty" doc:"A path of the application, or an https address of an allowed host."`
	ExpiresIn string      `json:"expires_in,omitempty" doc:"How long it waits for who is not there, such as 30s or 4h; a second at least, and what the installation allows at most. Without it: 1h."`
}

// toastTarget says whom it pops up for.
type toastTarget struct {
	Users     []string    `json:"users,omitempty" doc:"Names of users."`
	Role      string      `json:"role,omitempty" doc:"The members of a role."`
	Topic     *topicInput `json:"topic,omitempty" doc:"Whoever subscribes to a topic, by himself or by a role."`
	Audiences []string    `json:"audiences,omitempty" hidden:"true" doc:"Always a fault, which is told."`
}

type popInput struct {
	Once    string `header:"Idempotency-Key" doc:"Makes the call safe to repeat for 24 hours: the same key with the same request gets the first answer again, with Idempotent-Replayed: true, and nothing pops up twice. 1 to 255 visible ASCII characters."`
	Payload payload[toastInput]
}

type popOutput struct {
	Replayed string `header:"Idempotent-Replayed" doc:"true when the same request came before: this is the answer of then." enum:"true"`
	Body     poppedUp
}

// poppedUp is for how many users something pops up.
type poppedUp struct {
	Recipients int64 `json:"recipients" doc:"How many users it pops up for, now or when they come." minimum:"0"`
}

// pop has a message pop up.
func (s *server) pop(ctx context.Context, in *popInput) (*popOutput, error) {
	if err := checkOnce(in.Once); err != nil {
		return nil, err
	}
	if s.Toasts == nil {
		return nil, fmt.Errorf("have a message pop up: %w", notifier.ErrUnavailable)
	}
	t, sender := &in.Payload.Value, senderName(callerOf(ctx))
	d, err := t.draft(sender)
	if err != nil {
		return nil, t.unsent(err)
	}
	once, err := onceOf(in.Once, sender, t, -1)
	if err != nil {
		return nil, err
	}
	users, replayed, err := s.Toasts.Pop(ctx, d, once)
	if err != nil {
		return nil, t.unsent(err)
	}
	out := &popOutput{Body: poppedUp{Recipients: users}}
	if replayed {
		out.Replayed = "true"
	}
	return out, nil
}

// draft makes a draft of the input, as noticeInput does.
func (t *toastInput) draft(sender string) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := notifier.Draft{
		Target: notifier.Target{Users: t.Target.Users, Role: t.Target.Role}, Type: t.Type, Title: t.Title, Body: t.Body, Link: t.Link,
		ExpiresIn: duration("expires_in", t.ExpiresIn, &bad), Toast: true, Sender: sender,
	}
	if topic := t.Target.Topic; topic != nil {
		d.Target.Topic = notifier.Topic{Type: topic.Type, Scope: topic.Scope}
		if *topic == (topicInput{}) {
			bad.Add("target.topic.type", notifier.CodeRequired, nil)
		}
	}
	if len(t.Target.Audiences) > 0 {
		bad.Add("target.audiences", notifier.CodeToastAudience, nil)
	}
	return d, bad.OrNil()
}

// unsent is an error with its faults where the request has them.
func (t *toastInput) unsent(err error) error {
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		n := noticeInput{Target: targetInput(t.Target)}
		return invalid(bad, func(field string) string { return "body." + n.place(field) })
	}
	return err
}
