package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// askOutput is a question in an answer.
type askOutput struct {
	ID        int64        `json:"id" minimum:"1" doc:"The ID of the question and of its notice."`
	State     string       `json:"state" enum:"open,answered,expired,withdrawn" doc:"Only an open question changes."`
	Choices   []choiceJSON `json:"choices" nullable:"false" doc:"What there is to choose."`
	Outcome   *string      `json:"outcome" doc:"The ID of the choice that was made; null if there is none."`
	Answers   []answerJSON `json:"answers" nullable:"false" doc:"All answers, in order. Lists have the first 37, which are all if a choice decides."`
	ExpiresAt string       `json:"expires_at" format:"date-time" doc:"When it ends without an answer."`
	Receipt   string       `json:"receipt,omitempty" doc:"Once it is answered or expired: a JWS that proves it. GET /receipts/jwks.json has the keys. Lists leave it out."`
}

// choiceJSON is a choice in an answer.
type choiceJSON struct {
	ID      string `json:"id" xml:"id" doc:"Identifies the choice."`
	Label   string `json:"label" xml:"label" doc:"What people read."`
	Style   string `json:"style" xml:"style" enum:"plain,primary,danger" doc:"How it looks."`
	Comment string `json:"comment" xml:"comment" enum:"none,optional,required" doc:"Whether an answer has a comment."`
}

// answerJSON is the answer of a user to a question.
type answerJSON struct {
	User    *string `json:"user" xml:"user,omitempty" doc:"The name of the user; null if they were deleted."`
	Name    string  `json:"name,omitempty" xml:"name,omitempty" doc:"What they are called."`
	Choice  string  `json:"choice" xml:"choice" doc:"The ID of their choice."`
	Comment string  `json:"comment" xml:"comment" doc:"Their comment; may be empty."`
	At      string  `json:"at" xml:"at" format:"date-time" doc:"When they answered."`
}

// rowAsk is what a row shows of its question.
type rowAsk struct {
	ID        int64        `json:"id" xml:"id" doc:"The ID of the question, for POST /me/answers."`
	State     string       `json:"state" xml:"state" enum:"open,answered,expired,withdrawn" doc:"Offer the choices while it is open."`
	Choices   []choiceJSON `json:"choices" xml:"choices>choice" nullable:"false" doc:"What there is to choose."`
	Answers   []answerJSON `json:"answers" xml:"answers>answer" nullable:"false" doc:"Once it has ended: the answers that made the outcome, or else the first, at most ten."`
	Outcome   *string      `json:"outcome" xml:"outcome,omitempty" doc:"The ID of the choice that was made; null if there is none."`
	ExpiresAt string       `json:"expires_at" xml:"expires_at" format:"date-time" doc:"When it ends without an answer."`
	Mine      *ownChoice   `json:"mine,omitempty" xml:"mine,omitempty" doc:"The ID of the user's own choice; null if they have not answered."`
}

// ownChoice is a choice that is null if it is empty.
type ownChoice string

// MarshalJSON encodes the choice.
func (c ownChoice) MarshalJSON() ([]byte, error) { return notifier.ChoiceID(c).MarshalJSON() }

// Schema describes the choice.
func (ownChoice) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

func newRowAsk(a *notifier.Ask) *rowAsk {
	if a == nil {
		return nil
	}
	return &rowAsk{
		ID: a.ID, State: string(a.State), Choices: choicesOf(a), Answers: answersFrom(a.Answers), Outcome: textOrNull(string(a.Outcome)),
		ExpiresAt: rfc3339(a.ExpiresAt),
	}
}

// own completes the row for its user; mine has their choices, or is nil if they are not known.
func (r *rowAsk) own(mine map[int64]notifier.ChoiceID) {
	if r != nil && mine != nil {
		choice := ownChoice(mine[r.ID])
		r.Mine = &choice
	}
}

func choicesOf(a *notifier.Ask) []choiceJSON {
	choices := make([]choiceJSON, len(a.Choices))
	for i, c := range a.Choices {
		choices[i] = choiceJSON{string(c.ID), c.Label, c.Style, string(c.Comment)}
	}
	return choices
}

func answersFrom(list []notifier.AskAnswer) []answerJSON {
	answers := make([]answerJSON, len(list))
	for i := range list {
		answers[i] = newAnswer(&list[i])
	}
	return answers
}

func newAnswer(a *notifier.AskAnswer) answerJSON {
	return answerJSON{User: textOrNull(a.User), Name: a.Name, Choice: string(a.Choice), Comment: a.Comment, At: rfc3339(a.At)}
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func newAsk(q *notifier.Question) askOutput {
	a := &q.Asked
	return askOutput{
		ID: q.ID, State: string(a.State), Choices: choicesOf(a), Outcome: textOrNull(string(a.Outcome)), Answers: answersFrom(q.Answers), ExpiresAt: rfc3339(a.ExpiresAt),
	}
}

// answersOf returns the choices that a user has made in the questions among these entries; nil if SQL, which has them, is away.
func (s *server) answersOf(ctx context.Context, seq int64, entries []notifier.Entry) (map[int64]notifier.ChoiceID, error) {
	var ids []int64
	for i := range entries {
		if a := entries[i].Ask; a != nil {
			ids = append(ids, a.ID)
		}
	}
	mine, err := s.Store.AnswersOf(ctx, seq, ids)
	if errors.Is(err, notifier.ErrUnavailable) {
		return nil, nil
	}
	return mine, err
}

// refusedAnswer describes why an answer was refused, with times in a zone.
func refusedAnswer(err *notifier.RefusedAnswerError, zone *time.Location) *problem {
	code, about := "already_answered", "You have given another answer"
	if err.Asked.Ended() {
		code, about = "ask_ended", "The question has ended"
	}
	p := newProblem(http.StatusConflict, code, about+": "+err.Sentence(zone, notifier.AskState.Name))
	p.Outcome = string(err.Asked.Outcome)
	return p
}
