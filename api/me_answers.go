package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// registerMeAnswers adds the call that answers a question.
func registerMeAnswers(m *me) {
	register(m.server, call{
		id: "me-answer", group: groupMe, method: http.MethodPost, path: mePath + "/answers", user: true, status: http.StatusOK,
		summary: "Answer a question",
		about: "The answer counts at once and stays. The same answer again returns the first one. Another answer, or one to a question that has ended, is 409, and says what became of it. " +
			"If you have deleted its row, are no longer among those whom it asks, or never were, it is 404.",
		errors:   []int{http.StatusConflict},
		examples: []example{{name: "approve", summary: "A question that does not ask you", body: `{"id": 9999, "choice": "approve", "comment": "fits the budget"}`, status: http.StatusNotFound}},
	}, m.answer)
}

type answerBody struct {
	ID      int64  `json:"id" doc:"The ID of the question: ask.id of its row."`
	Choice  string `json:"choice" doc:"The ID of a choice."`
	Comment string `json:"comment,omitempty" doc:"Up to 500 characters, if the choice has a comment."`
}

type answerInput struct{ Payload payload[answerBody] }

type answerOutput struct{ Body givenAnswer }

// givenAnswer is the answer that counts, and what it makes of the question.
type givenAnswer struct {
	ID      int64   `json:"id" doc:"The ID of the question."`
	State   string  `json:"state" enum:"open,answered,expired,withdrawn" doc:"The state of the question."`
	Outcome *string `json:"outcome" doc:"The ID of the choice that was made; null if there is none yet."`
	User    *string `json:"user" doc:"Your name."`
	Choice  string  `json:"choice" doc:"Your choice."`
	Comment string  `json:"comment" doc:"Your comment; may be empty."`
	At      string  `json:"at" format:"date-time" doc:"When you answered."`
}

func (m *me) answer(ctx context.Context, in *answerInput) (*answerOutput, error) {
	body, u := &in.Payload.Value, askerOf(ctx).User
	q, mine, err := m.Asks.Answer(ctx, notifier.Actor{Ref: notifier.UserRef(u), Address: web.Of(ctx).Address}, notifier.Answering{
		Ask: body.ID, User: u, Choice: notifier.ChoiceID(body.Choice), Comment: body.Comment,
	})
	if refused := (*notifier.RefusedAnswerError)(nil); errors.As(err, &refused) {
		zone, _ := u.Zones.InForce("")
		return nil, refusedAnswer(refused, notifier.Location(zone))
	}
	if err != nil {
		return nil, err
	}
	a := newAnswer(&mine)
	return &answerOutput{givenAnswer{q.ID, string(q.Asked.State), textOrNull(string(q.Asked.Outcome)), a.User, a.Choice, a.Comment, a.At}}, nil
}
