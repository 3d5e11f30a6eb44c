package api

import (
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// noticeInput is a notice in a request.
type noticeInput struct {
	Target  targetInput `json:"target" doc:"The recipients: exactly one of users, role, roles, topic and audiences."`
	Type    string      `json:"type,omitempty" doc:"The type of the notice. A new type is created on its first use. Default: the topic's type for a notice to a topic; announcement for a notice to audiences; message for any other. [a-z0-9][a-z0-9_.-]{0,62}"`
	Subject string      `json:"subject,omitempty" doc:"The thing that the notice is about. Type and subject form the key of an inbox entry, in a namespace of its own for each app: a notice with the same key replaces the entry and moves it to the top, unread. Up to 200 printable ASCII characters without spaces."`
	Title   string      `json:"title" doc:"One line, up to 200 characters."`
	Body    string      `json:"body,omitempty" doc:"Text, up to 4,000 characters; lines end with LF."`
	Link    string      `json:"link,omitempty" doc:"A path of the application, or an https address of an allowed host. By the key of an app: a path below its base URL, which the link is completed with, or an address on its pages."`
	ExtrasInput
	Take        *takeInput `json:"take,omitempty" doc:"With it, the notice is a task: one of its recipients takes it, and the others see who has it. Not for announcements, and not together with more."`
	Scope       string     `json:"scope,omitempty" doc:"The part of the application that the notice belongs to, such as a warehouse. Polls can ask for one scope. [A-Za-z0-9_.-]{0,64}"`
	ExpiresIn   string     `json:"expires_in,omitempty" doc:"The lifetime of the notice, such as 30m, 72h or 7d; at least one second. Default: set by its type."`
	SendAt      string     `json:"send_at,omitempty" doc:"When to send it (RFC 3339), until when it can be edited or retracted. Its recipients are determined and its lifetime counts from then. An announcement opens then. Default: at once; so is a time up to a minute ago."`
	Toast       bool       `json:"toast,omitempty" doc:"Also shows the notice as a toast, for a few seconds on open pages."`
	StartsAt    string     `json:"starts_at,omitempty" doc:"Announcements only: when it opens (RFC 3339). Default: at once."`
	EndsAt      string     `json:"ends_at,omitempty" doc:"Announcements only: when it closes (RFC 3339)."`
	Pinned      bool       `json:"pinned,omitempty" doc:"Announcements only: stays on every page until the reader has read it."`
	LateJoiners bool       `json:"late_joiners,omitempty" doc:"Announcements only: also shown to users who join an audience after it opened."`
}

// targetInput holds the recipients of a notice in a request.
type targetInput struct {
	Users     bounded[string, upToNames]       `json:"users,omitempty" doc:"Names of users: up to 10,000, and up to 100,000 in all notices of a batch together."`
	Role      string                           `json:"role,omitempty" doc:"A role: the recipients are its members."`
	Roles     bounded[string, upToTargetRoles] `json:"roles,omitempty" doc:"Several roles, up to 50: the recipients are their members, each once."`
	Topic     *topicInput                      `json:"topic,omitempty" doc:"A topic: the recipients are its subscribers, themselves or through a role."`
	Audiences bounded[string, upToAudiences]   `json:"audiences,omitempty" doc:"Names of audiences: the notice is an announcement to them."`
}

// names returns the number of users that the notice names.
func (n *noticeInput) names() int {
	if n.Take != nil && n.Take.Else != nil {
		return len(n.Target.Users) + len(n.Take.Else.Users)
	}
	return len(n.Target.Users)
}

// people returns the target without audiences.
func (t *targetInput) people() notifier.Target {
	to := notifier.Target{Users: t.Users, Role: t.Role, Roles: t.Roles}
	if t.Topic != nil {
		to.Topic = notifier.Topic{Type: t.Topic.Type, Scope: t.Topic.Scope}
	}
	return to
}

// topicInput is a topic in a request.
type topicInput struct {
	Type  string `json:"type" doc:"The type of the topic."`
	Scope string `json:"scope,omitempty" doc:"The scope of the topic. The empty scope is a scope of its own."`
}

// draft converts the input to a draft. It reports only the faults that are lost in the
// conversion, such as malformed times; Sender finds all others.
func (n *noticeInput) draft(audiences map[notifier.Audience]string, sender notifier.Ref) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := notifier.Draft{
		Target: n.Target.people(),
		Type:   n.Type, Scope: n.Scope, Subject: n.Subject, Title: n.Title, Body: n.Body, Link: n.Link, Extras: n.extras(),
		ExpiresIn: duration("expires_in", n.ExpiresIn, &bad), SendAt: moment("send_at", n.SendAt, &bad), Toast: n.Toast, Sender: sender,
		Window: notifier.Window{
			StartsAt: moment("starts_at", n.StartsAt, &bad), EndsAt: moment("ends_at", n.EndsAt, &bad),
			Pinned: n.Pinned, LateJoiners: n.LateJoiners,
		},
	}
	d.Extras.Take = n.Take.take(&bad)
	if topic := n.Target.Topic; topic != nil && *topic == (topicInput{}) {
		bad.Add("target.topic.type", notifier.CodeRequired, nil)
	}
	for i, name := range n.Target.Audiences {
		a, ok := audienceNamed(audiences, name)
		if !ok {
			bad.Add("target.audiences["+strconv.Itoa(i)+"]", notifier.CodeUnknownAudience, map[string]any{"Name": excerpt(name)})
		}
		d.Target.Audiences = append(d.Target.Audiences, a)
	}
	if len(n.Target.Audiences) == 0 {
		n.refuseWindow(&bad)
	}
	return d, bad.OrNil()
}

// refuseWindow adds a fault for each given field that only announcements may have.
func (n *noticeInput) refuseWindow(bad *notifier.InvalidError) {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"starts_at", n.StartsAt != ""}, {"ends_at", n.EndsAt != ""}, {"pinned", n.Pinned}, {"late_joiners", n.LateJoiners},
	} {
		if f.given {
			bad.Add(f.name, codeOnlyWindow, nil)
		}
	}
}

// place returns the path within the input of a field of the draft.
func (n *noticeInput) place(field string) string {
	if field != "to" {
		return field
	}
	switch t := &n.Target; {
	case len(t.Users) > 0:
		return "target.users"
	case t.Role != "":
		return "target.role"
	case len(t.Roles) > 0:
		return "target.roles"
	case t.Topic != nil:
		return "target.topic"
	case len(t.Audiences) > 0:
		return "target.audiences"
	}
	return "target"
}

func audienceNamed(audiences map[notifier.Audience]string, name string) (notifier.Audience, bool) {
	for a, known := range audiences {
		if known == name {
			return a, true
		}
	}
	return 0, false
}

// audienceNames returns the names of audiences, ordered by number.
func audienceNames(audiences map[notifier.Audience]string, of []notifier.Audience) []string {
	names := make([]string, len(of))
	for i, a := range slices.Sorted(slices.Values(of)) {
		names[i] = audiences[a]
		if names[i] == "" {
			names[i] = strconv.Itoa(int(a)) // no longer in the configuration
		}
	}
	return names
}

// minLife is the shortest life of a notice: users would hardly see a shorter one.
const minLife = time.Second

// duration parses a duration such as 30m or 7d. The empty text is 0; less than minLife is a
// fault.
func duration(field, text string, bad *notifier.InvalidError) time.Duration {
	if text == "" {
		return 0
	}
	d, err := notifier.ParseSpan(text)
	switch {
	case err != nil:
		bad.Add(field, codeBadDuration, nil)
	case d < minLife:
		bad.Add(field, codeTooBrief, nil)
	}
	return d
}

// moment parses an RFC 3339 time. The empty text is the zero time.
func moment(field, text string, bad *notifier.InvalidError) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		bad.Add(field, codeBadTime, nil)
	}
	return t
}

// excerpt shortens a faulty name to repeat it in a message.
func excerpt(name string) string {
	runes := []rune(name)
	if len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return name
}
