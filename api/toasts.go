package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// registerToasts adds the call about toasts.
func registerToasts(s *server) {
	register(s, call{
		id: "pop-toast", group: groupNotices, method: http.MethodPost, path: "/toasts", scope: notifier.ScopeSend, status: http.StatusAccepted,
		summary: "Show a toast without a notice",
		about: "For messages of no lasting value, such as `export finished`: the toast is shown once, on one device of each user, and leaves no entry in the inbox. " +
			"Users who are away see it if they come back within `expires_in`. For anything important, send a notice with `\"toast\": true`. " +
			"Give an `Idempotency-Key` to make the call safe to repeat: after an error, some users may already have the toast.",
		maxBody: maxNamesBody,
		examples: []example{
			{name: "user", summary: "To a user, for ten minutes", body: `{"target":{"users":["alice"]},"title":"Your export is ready","link":"/inbox","expires_in":"10m"}`},
			{name: "role", summary: "To the members of a role who have not muted shift", body: `{"target":{"role":"picker"},"type":"shift","title":"Bay 3 is open again"}`},
			{name: "once", summary: "With a key that makes it safe to repeat", params: map[string]string{"Idempotency-Key": "export-77"}, body: `{"target":{"users":["bob"]},"title":"Your export is ready","body":"412 orders."}`},
		},
	}, s.sendToast)
}

// toastInput is a toast in a request.
type toastInput struct {
	Target    toastTarget `json:"target" doc:"The recipients: exactly one of users, role and topic, and at most 100,000 users."`
	Type      string      `json:"type,omitempty" doc:"The type of the toast. Users who have muted the type are left out. Default: the topic's type for a toast to a topic; message for any other. [a-z0-9][a-z0-9_.-]{0,62}"`
	Title     string      `json:"title" doc:"One line, up to 200 characters."`
	Body      string      `json:"body,omitempty" doc:"Text, up to 4,000 characters, of which the first 300 are shown; lines end with LF."`
	Link      string      `json:"link,omitempty" doc:"A path of the application, or an https address of an allowed host. By the key of an app: a path below its base URL, which the link is completed with, or an address on its pages."`
	ExpiresIn string      `json:"expires_in,omitempty" doc:"How long the toast waits for users who are away, such as 30s or 4h; at least one second, and at most as long as the installation allows. Default: 1h."`
}

// toastTarget holds the recipients of a toast in a request.
type toastTarget struct {
	Users     bounded[string, upToNames]       `json:"users,omitempty" doc:"Names of users: up to 10,000."`
	Role      string                           `json:"role,omitempty" doc:"A role: the recipients are its members."`
	Roles     bounded[string, upToTargetRoles] `json:"roles,omitempty" doc:"Several roles, up to 50: the recipients are their members, each once."`
	Topic     *topicInput                      `json:"topic,omitempty" doc:"A topic: the recipients are its subscribers, themselves or through a role."`
	Audiences bounded[string, upToAudiences]   `json:"audiences,omitempty" hidden:"true" doc:"Always refused, with an explanation."`
}

type toastRequest struct {
	Once    string `header:"Idempotency-Key" doc:"Makes the call safe to repeat for 24 hours: the same request with the same key gets the first answer again, with Idempotent-Replayed: true, and no toast is shown twice. 1 to 255 visible ASCII characters."`
	Payload payload[toastInput]
}

type toastAnswer struct {
	Replayed string `header:"Idempotent-Replayed" doc:"true if the same request was accepted before: this is the first answer again." enum:"true"`
	Body     sentToast
}

// sentToast is the answer to an accepted toast.
type sentToast struct {
	Recipients int64 `json:"recipients" doc:"Number of users who see the toast, now or when they come back." minimum:"0"`
}

// sendToast accepts a toast.
func (s *server) sendToast(ctx context.Context, in *toastRequest) (*toastAnswer, error) {
	if err := checkOnce(in.Once); err != nil {
		return nil, err
	}
	t, sender := &in.Payload.Value, senderOf(callerOf(ctx))
	d, err := t.draft(sender)
	if err != nil {
		return nil, t.unsent(err)
	}
	d.App.ID = callerOf(ctx).AppID
	once, err := onceOf(in.Once, sender, t, -1)
	if err != nil {
		return nil, err
	}
	users, replayed, err := s.Notices.SendToast(ctx, d, once)
	if err != nil {
		return nil, t.unsent(err)
	}
	out := &toastAnswer{Body: sentToast{Recipients: users}}
	if replayed {
		out.Replayed = "true"
	}
	return out, nil
}

// draft converts the input to a draft, as noticeInput.draft does.
func (t *toastInput) draft(sender notifier.Ref) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := notifier.Draft{
		Target: notifier.Target{Users: t.Target.Users, Role: t.Target.Role, Roles: t.Target.Roles}, Type: t.Type, Title: t.Title, Body: t.Body, Link: t.Link,
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

// unsent gives the faults of an error their places in the request.
func (t *toastInput) unsent(err error) error {
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		n := noticeInput{Target: targetInput(t.Target)}
		return invalid(bad, func(field string) string { return "body." + n.place(field) })
	}
	return err
}
