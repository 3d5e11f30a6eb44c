package notifier

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Answering is the answer that a user gives to a question.
type Answering struct {
	Ask     int64
	User    User
	Choice  ChoiceID
	Comment string
}

// Question is a question with everything that is stored about it.
type Question struct {
	Notice
	Asked   Ask // in its present state
	Answers []AskAnswer
	EndedAt time.Time // zero: it is open
}

// QuestionQuery selects questions, newest first.
type QuestionQuery struct {
	By     Ref       // zero: of all senders
	State  AskState  // empty: any
	Ended  bool      // only those that are no longer open
	Since  time.Time // zero: any
	Before int64     // only those with a lower id; 0: any
	Limit  int
}

// RefusedAnswerError is an ErrConflict: the question has ended, or the user has given another answer.
type RefusedAnswerError struct {
	Asked Ask
	Mine  *AskAnswer // their answer; nil: none
}

func (e *RefusedAnswerError) Error() string {
	return fmt.Sprintf("answer question %d, which is %s: %v", e.Asked.ID, e.Asked.State, ErrConflict)
}

func (e *RefusedAnswerError) Unwrap() error { return ErrConflict }

// Sentence describes the conflict to the user: what became of the question, see Became, or their answer.
func (e *RefusedAnswerError) Sentence(zone *time.Location, named func(AskState) string) string {
	if e.Asked.Ended() {
		return e.Asked.Became(zone, named)
	}
	if e.Mine == nil {
		return ""
	}
	c, _ := e.Asked.Choice(e.Mine.Choice)
	return strings.Join(append([]string{c.Label}, e.Mine.by(zone)...), " · ")
}

// Normalise trims the comment.
func (a *Answering) Normalise() {
	a.Comment = strings.TrimSpace(strings.ReplaceAll(a.Comment, "\r\n", "\n"))
}

// Check checks an answer that the question has not had yet. Its error is an *InvalidError on choice or comment.
func (a *Answering) Check(of *Ask) error {
	var bad InvalidError
	c, ok := of.Choice(a.Choice)
	switch n := utf8.RuneCountInString(a.Comment); {
	case !ok:
		bad.Add("choice", CodeUnknownChoice, map[string]any{"Allowed": of.allowed()})
	case c.Comment == CommentNone && n > 0:
		bad.Add("comment", CodeNoComment, nil)
	case c.Comment == CommentRequired && n == 0:
		bad.Add("comment", CodeRequired, nil)
	default:
		checkText("comment", a.Comment, MaxComment, bodyControls, &bad)
	}
	return bad.OrNil()
}

// allowed lists the ids of the choices.
func (a *Ask) allowed() string {
	ids := make([]string, len(a.Choices))
	for i, c := range a.Choices {
		ids[i] = string(c.ID)
	}
	return strings.Join(ids, ", ")
}
