package notifier

import (
	"cmp"
	"time"
)

// Take is what makes a notice a task: one of its recipients takes it, and the others see who has it. It is one of the Extras
// of its notice, so rows, events and polls carry it.
type Take struct {
	By     string        `json:"by,omitempty"`     // name of the user who has it, or has done it; empty: nobody has it, or they were deleted
	Name   string        `json:"name,omitempty"`   // what they are called; empty: by their name
	At     time.Time     `json:"at,omitzero"`      // when they took it; zero: nobody has it
	DoneAt time.Time     `json:"done_at,omitzero"` // zero: it is not done
	Finish TakeDone      `json:"done"`             // whether it must be reported as done
	Of     int64         `json:"of,omitempty"`     // the notice that was not taken, if this one passes it on
	Waited time.Duration `json:"waited,omitempty"` // how long nobody took it, if this notice passes it on
	Rule   TakeRule      `json:"-"`                // SQL has it beside the notice; zero in a notice that was read
}

// TakeRule decides what becomes of a task that nobody takes.
type TakeRule struct {
	Within time.Duration // until it is late; 0: never
	Else   Target        // who gets it as well then; zero: nobody
}

// TakeDone says whether the user who took a task must report it as done.
type TakeDone string

// The rules of reporting.
const (
	DoneRequired TakeDone = "required"
	DoneNone     TakeDone = "none" // taking it is enough
)

// TaskState is the stage of a task.
type TaskState string

// The states of a task. Of these, only a done one stays as it is.
const (
	TaskOpen  TaskState = "open"
	TaskTaken TaskState = "taken"
	TaskDone  TaskState = "done"
)

// State returns the stage of the task.
func (t *Take) State() TaskState {
	switch {
	case !t.DoneAt.IsZero():
		return TaskDone
	case !t.At.IsZero():
		return TaskTaken
	}
	return TaskOpen
}

// Settled reports whether there is a task that somebody has taken.
func (t *Take) Settled() bool { return t != nil && t.State() != TaskOpen }

// Holder returns what the user who has it is called.
func (t *Take) Holder() string { return cmp.Or(t.Name, t.By, Somebody) }

// Sentence describes in English who has the task, with times in a zone.
func (t *Take) Sentence(zone *time.Location) string {
	const clock = "2006-01-02 15:04"
	switch t.State() {
	case TaskDone:
		return "It is done: " + t.Holder() + ", " + t.DoneAt.In(zone).Format(clock)
	case TaskTaken:
		return t.Holder() + " has it since " + t.At.In(zone).Format(clock)
	case TaskOpen:
	}
	return "Nobody has it"
}

// normalise returns a task in the form in which it is stored.
func (t *Take) normalise() *Take {
	to := *t
	if to.Finish == "" {
		to.Finish = DoneRequired
	}
	to.Rule.Else.normalise()
	return &to
}

// checkTake checks the task of a notice. Announcements have no rows to take it in, and a row that notices share would stand for
// several tasks.
func (d *Draft) checkTake(bad *InvalidError) {
	t := d.Extras.Take
	if t == nil {
		return
	}
	switch {
	case d.Extras.Ask != nil:
		bad.Add("take", CodeTakeAsk, nil)
	case len(d.Target.Audiences) > 0:
		bad.Add("take", CodeTakeAudience, nil)
	}
	if d.Extras.More != nil {
		bad.Add("more", CodeTakeMore, nil)
	}
	if t.Finish != DoneRequired && t.Finish != DoneNone {
		bad.Add("take.done", CodeBadChoice, map[string]any{"Allowed": string(DoneRequired) + ", " + string(DoneNone)})
	}
	t.Rule.check(d.ExpiresIn, bad)
}

func (r *TakeRule) check(life time.Duration, bad *InvalidError) {
	passes := !r.Else.IsZero()
	switch {
	case r.Within < 0:
		bad.Add("take.within", CodeExpiresPast, nil)
	case r.Within == 0 && passes:
		bad.Add("take.within", CodeRequired, nil)
	case r.Within > 0 && r.Within >= life:
		bad.Add("take.within", CodeTakeLate, map[string]any{"Max": life.String()})
	}
	if !passes {
		return
	}
	before := len(bad.Fields)
	r.Else.check(nil, bad)
	for i := before; i < len(bad.Fields); i++ {
		bad.Fields[i].Field = "take.else"
	}
	if len(bad.Fields) == before && len(r.Else.Audiences) > 0 {
		bad.Add("take.else", CodeTakeAudience, nil)
	}
}
