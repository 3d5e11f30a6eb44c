package rule

import (
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Take returns the task that each finding is; nil: they are no tasks.
func (r *Rule) Take() *notifier.Take {
	if r.take == nil {
		return nil
	}
	take := *r.take
	return &take
}

// taken reads whether the findings are tasks: a time, or a table that has one and says more.
func (r *Rule) taken(t *fields) {
	v, given := t.table["take"]
	if !given {
		return
	}
	r.take = &notifier.Take{Finish: notifier.DoneRequired}
	in, field := t, "take"
	if _, table := v.(map[string]any); table {
		in, field = t.inside("take"), "within"
		r.take.Rule.Else = in.others("else")
		r.take.Finish = in.finish("done")
	}
	within := in.span(field, 0, time.Second, 0)
	r.take.Rule.Within = within
	switch _, timed := in.table[field]; {
	case within > 0 && r.expiresIn > 0 && within >= r.expiresIn:
		in.fault(field, "must be shorter than expires_in")
	case !timed && !r.take.Rule.Else.IsZero():
		in.fault(field, "missing: after which time does it go to else as well?")
	}
	if r.Remind > 0 {
		t.fault("remind", "cannot be combined with take: whoever has the task would get it anew")
	}
	if in != t {
		t.end(in)
	}
}

// finish reads whether a task must be reported as done.
func (t *fields) finish(field string) notifier.TakeDone {
	switch done := notifier.TakeDone(t.text(field)); done {
	case notifier.DoneNone:
		return done
	case "", notifier.DoneRequired:
	default:
		t.fault(field, `must be "required" or "none"`)
	}
	return notifier.DoneRequired
}

// others reads to whom a task goes that nobody takes.
func (t *fields) others(field string) (to notifier.Target) {
	in := t.inside(field)
	if in == nil {
		return to
	}
	to.Role = in.role("role")
	to.Roles = in.names("roles", "role")
	to.Users = in.names("users", "user")
	if topic := in.inside("topic"); topic != nil {
		to.Topic = notifier.Topic{Type: topic.required("type"), Scope: topic.text("scope")}
		if len(topic.faults) == 0 && !validTopic(to.Topic) {
			topic.fault("type", "not a valid topic: its type has at most 63 characters of a-z, 0-9, _, . and -, its scope at most 64 letters, digits, _, . and -")
		}
		in.end(topic)
	}
	if len(in.table) != 1 && len(in.left) == 0 {
		t.fault(field, "set one of role, roles, users and topic")
	}
	t.end(in)
	return to
}

// role reads the name of a role.
func (t *fields) role(field string) string {
	name := t.text(field)
	if name != "" && !notifier.ValidName(name) {
		t.fault(field, "not a valid role name")
	}
	return name
}

// names reads a list of names of a kind.
func (t *fields) names(field, kind string) []string {
	names := t.list(field)
	for _, name := range names {
		if !notifier.ValidName(name) {
			t.fault(field, fmt.Sprintf("%q is not a valid %s name", name, kind))
			break
		}
	}
	return names
}

func validTopic(t notifier.Topic) bool {
	s := notifier.Subscription{Topic: t, Subscriber: notifier.Subscriber{Role: "x"}}
	return s.Validate() == nil
}
