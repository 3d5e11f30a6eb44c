package api

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// takeInput is the task of a notice in a request.
type takeInput struct {
	Within string       `json:"within,omitempty" doc:"Until when somebody has to take it, such as 30m. It must be shorter than the life of the notice. Default: any time."`
	Else   *targetInput `json:"else,omitempty" doc:"Who gets it as well if nobody has taken it within that time: users, role, roles or topic. Default: nobody."`
	Done   string       `json:"done,omitempty" enum:"required,none" doc:"required: whoever has it reports it as done. none: taking it is enough. Default: required."`
}

func (t *takeInput) take(bad *notifier.InvalidError) *notifier.Take {
	if t == nil {
		return nil
	}
	to := &notifier.Take{Finish: notifier.TakeDone(t.Done), Rule: notifier.TakeRule{Within: duration("take.within", t.Within, bad)}}
	if t.Else != nil {
		to.Rule.Else = t.Else.people()
		if len(t.Else.Audiences) > 0 {
			bad.Add("take.else", notifier.CodeTakeAudience, nil)
		} else if to.Rule.Else.IsZero() {
			bad.Add("take.else", notifier.CodeRequired, nil)
		}
	}
	return to
}

// rowTake is what a row shows of its task.
type rowTake struct {
	By     *string `json:"by" xml:"by,omitempty" doc:"The name of the user who has it, or has done it; null if nobody has it, or they were deleted."`
	Name   string  `json:"name,omitempty" xml:"name,omitempty" doc:"What they are called."`
	At     *string `json:"at" xml:"at,omitempty" format:"date-time" doc:"When they took it; null if nobody has it. Offer to take it then."`
	DoneAt *string `json:"done_at" xml:"done_at,omitempty" format:"date-time" doc:"When it was reported as done; null if it was not."`
	Done   string  `json:"done" xml:"done" enum:"required,none" doc:"required: offer its holder to report it as done."`
	Late   bool    `json:"late,omitempty" xml:"late,omitempty" doc:"Nobody had taken it in time, and so it came to this user."`
}

func newRowTake(t *notifier.Take) *rowTake {
	if t == nil {
		return nil
	}
	return &rowTake{By: textOrNull(t.By), Name: t.Name, At: timeOrNull(t.At), DoneAt: timeOrNull(t.DoneAt), Done: string(t.Finish), Late: t.Of > 0}
}

func timeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := rfc3339(t)
	return &text
}

// TakeOutput is the task of a notice in an answer to its sender. It is exported because Huma leaves out embedded types that are not.
type TakeOutput struct {
	TakenBy string `json:"taken_by,omitempty" doc:"Tasks only: the name of the user who has it, or has done it. Left out while nobody has it, and once they were deleted."`
	TakenAt string `json:"taken_at,omitempty" format:"date-time" doc:"Tasks only: when they took it."`
	DoneAt  string `json:"done_at,omitempty" format:"date-time" doc:"Tasks only: when it was reported as done."`
}

func newTakeOutput(t *notifier.Take) TakeOutput {
	if t == nil {
		return TakeOutput{}
	}
	return TakeOutput{t.By, stamp(t.At), stamp(t.DoneAt)}
}
