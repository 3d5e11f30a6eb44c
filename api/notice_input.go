package api

import (
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// noticeInput is a notice as an application sends it.
type noticeInput struct {
	Target      targetInput `json:"target" doc:"Who gets it: exactly one of users, role, topic and audiences."`
	Type        string      `json:"type,omitempty" doc:"What kind of notice it is; its first use makes it. A notice to a topic has the topic's type unless it names one, one to audiences is an announcement. [a-z0-9][a-z0-9_.-]{0,62}"`
	Subject     string      `json:"subject,omitempty" doc:"The thing it is about. Type and subject are the key of an inbox row: the same key again moves the row to the top, unread. Up to 200 printable ASCII characters without spaces."`
	Title       string      `json:"title" doc:"One line, up to 200 characters."`
	Body        string      `json:"body,omitempty" doc:"Up to 4,000 characters; lines end with LF."`
	Link        string      `json:"link,omitempty" doc:"A path of the application, or an https address of an allowed host."`
	Scope       string      `json:"scope,omitempty" doc:"Where it belongs, such as a warehouse: polls can ask for one scope. [A-Za-z0-9_.-]{0,64}"`
	ExpiresIn   string      `json:"expires_in,omitempty" doc:"How long it lives, such as 30m or 72h; a second at least. Without it: as its type says."`
	Toast       bool        `json:"toast,omitempty" doc:"Shows it for a moment in the corner of open pages too."`
	StartsAt    string      `json:"starts_at,omitempty" doc:"To audiences only: when it opens (RFC 3339). Without it: at once."`
	EndsAt      string      `json:"ends_at,omitempty" doc:"To audiences only: when it is over (RFC 3339)."`
	Pinned      bool        `json:"pinned,omitempty" doc:"To audiences only: stands on every page until it is read."`
	LateJoiners bool        `json:"late_joiners,omitempty" doc:"To audiences only: shown also to who joins an audience after it opened."`
}

// targetInput says who gets a notice.
type targetInput struct {
	Users     []string    `json:"users,omitempty" doc:"Names of users."`
	Role      string      `json:"role,omitempty" doc:"The members of a role."`
	Topic     *topicInput `json:"topic,omitempty" doc:"Whoever subscribes to a topic, by himself or by a role."`
	Audiences []string    `json:"audiences,omitempty" doc:"Names of audiences: the notice is an announcement."`
}

// topicInput is a type of notice and a scope.
type topicInput struct {
	Type  string `json:"type" doc:"The type of the topic."`
	Scope string `json:"scope,omitempty" doc:"The scope of the topic. None is a scope as any other."`
}

// draft makes a draft of the input. Its faults are those that only the text of the
// request has: all others are for the sender to find.
func (n *noticeInput) draft(audiences map[notifier.Audience]string, sender string) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := notifier.Draft{
		Target: notifier.Target{Users: n.Target.Users, Role: n.Target.Role},
		Type:   n.Type, Scope: n.Scope, Subject: n.Subject, Title: n.Title, Body: n.Body, Link: n.Link,
		ExpiresIn: duration("expires_in", n.ExpiresIn, &bad), Toast: n.Toast, Sender: sender,
		Window: notifier.Window{
			StartsAt: moment("starts_at", n.StartsAt, &bad), EndsAt: moment("ends_at", n.EndsAt, &bad),
			Pinned: n.Pinned, LateJoiners: n.LateJoiners,
		},
	}
	if topic := n.Target.Topic; topic != nil {
		d.Target.Topic = notifier.Topic{Type: topic.Type, Scope: topic.Scope}
		if *topic == (topicInput{}) {
			bad.Add("target.topic.type", notifier.CodeRequired, nil)
		}
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

// refuseWindow names what is for notices to audiences only.
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

// place is where in the input a field of the draft is.
func (n *noticeInput) place(field string) string {
	if field != "to" {
		return field
	}
	switch t := &n.Target; {
	case len(t.Users) > 0:
		return "target.users"
	case t.Role != "":
		return "target.role"
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

// audienceNames is the names of audiences, by number.
func audienceNames(audiences map[notifier.Audience]string, of []notifier.Audience) []string {
	names := make([]string, len(of))
	for i, a := range slices.Sorted(slices.Values(of)) {
		names[i] = audiences[a]
		if names[i] == "" {
			names[i] = strconv.Itoa(int(a)) // it has been taken out of the configuration
		}
	}
	return names
}

// minLife is the shortest life of a notice: of less, nobody sees anything.
const minLife = time.Second

// duration reads 30m or 72h. Nothing is 0; what ends at once is a fault.
func duration(field, text string, bad *notifier.InvalidError) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		bad.Add(field, codeBadDuration, nil)
	case d < minLife:
		bad.Add(field, codeTooBrief, nil)
	}
	return d
}

// moment reads a time of RFC 3339. Nothing is the zero time.
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

// excerpt is what of a wrong name is shown back.
func excerpt(name string) string {
	runes := []rune(name)
	if len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return name
}
