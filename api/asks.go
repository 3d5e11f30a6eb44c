package api

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

const groupAsks = "Questions"

// maxWait is how long a caller can wait for the end of a question, in seconds.
const maxWait = 60

// registerAsks adds the calls about questions.
func registerAsks(s *server) {
	register(s, call{
		id: "ask", group: groupAsks, method: http.MethodPost, path: "/asks", scope: notifier.ScopeSend, status: http.StatusAccepted,
		summary: "Ask people",
		about: "A question is a notice with choices: it reaches the same inboxes, toasts, mails and pushes. The first choice with enough `answers` is its outcome; " +
			"then all rows say so. Its words are fixed: to change them, withdraw it and ask anew.",
		maxBody: maxNamesBody,
		examples: []example{
			{name: "first", summary: "Whoever answers first decides", body: `{"target":{"role":"picker"},"type":"payment","subject":"payment:991","title":"Pay 4,200 € to Acme?","link":"/payments/991","choices":[{"id":"approve","label":"Approve","style":"primary","comment":"optional"},{"id":"reject","label":"Reject","style":"danger","comment":"required"}],"expires_in":"2h","otherwise":"reject"}`},
			{name: "eyes", summary: "Two people must agree", body: `{"target":{"users":["alice","bob","carol"]},"title":"Delete the archive of 2019?","choices":[{"id":"delete","label":"Delete","style":"danger"},{"id":"keep","label":"Keep"}],"answers":2}`},
			{name: "all", summary: "Everybody's answer, until noon", body: `{"target":{"users":["alice","bob"]},"title":"Do you come to lunch?","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}],"answers":"all","expires_in":"4h"}`},
			{name: "once", summary: "With a key that makes it safe to repeat", params: map[string]string{"Idempotency-Key": "payment-992"}, body: `{"target":{"users":["bob"]},"title":"Pay 12 € to Acme?","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}]}`},
		},
	}, s.ask)
	register(s, call{
		id: "list-asks", group: groupAsks, method: http.MethodGet, path: "/asks", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "List questions",
		about:   "Newest first. A key lists the questions that were asked under its own name, and with the scope `admin` all. Follow `next` until it is left out.",
		examples: []example{
			{name: "open", summary: "Those that are open", params: map[string]string{"state": "open"}},
			{name: "since", summary: "Those since a time, ten at a time", params: map[string]string{"since": "2025-11-22T08:00:00Z", "limit": "10"}},
		},
	}, s.listAsks)
	register(s, call{
		id: "get-ask", group: groupAsks, method: http.MethodGet, path: "/asks/{id}", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "Get a question and its answers",
		about: "With `wait`, the answer comes once the question is no longer open, or as it is after that many seconds: ask again then. " +
			"A key can see the questions that were asked under its own name, and with the scope `admin` all.",
		waits:    maxWait * time.Second,
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "unknown", summary: "A question that does not exist", params: map[string]string{"id": "9999"}, status: http.StatusNotFound}},
	}, s.getAsk)
	register(s, call{
		id: "withdraw-ask", group: groupAsks, method: http.MethodDelete, path: "/asks/{id}", scope: notifier.ScopeSend, status: http.StatusNoContent,
		summary:  "Withdraw a question",
		about:    "It ends without an outcome, and its rows say so. A question that has ended cannot be withdrawn.",
		errors:   []int{http.StatusNotFound, http.StatusConflict},
		examples: []example{{name: "unknown", summary: "A question that does not exist", params: map[string]string{"id": "9999"}, status: http.StatusNotFound}},
	}, s.withdrawAsk)
}

type askCallInput struct {
	Once string `header:"Idempotency-Key" doc:"Makes the call safe to repeat for 24 hours, as for POST /notices. 1 to 255 visible ASCII characters."`
	DryInput
	Payload payload[askInput]
}

type askCallOutput struct {
	Location string `header:"Location" doc:"The address of the question."`
	Replayed string `header:"Idempotent-Replayed" doc:"true if the same request was accepted before: this is the first answer again." enum:"true"`
	Body     acceptedAsk
}

// acceptedAsk is a question that is stored and will reach its recipients.
type acceptedAsk struct {
	ID    int64  `json:"id" minimum:"1" doc:"The ID of the question and of its notice."`
	State string `json:"state" enum:"open" doc:"The question can be answered."`
	URL   string `json:"url" doc:"The address of the question."`
}

func (s *server) ask(ctx context.Context, in *askCallInput) (*askCallOutput, error) {
	if err := cmp.Or(checkOnce(in.Once), in.refuse()); err != nil {
		return nil, err
	}
	asked := &in.Payload.Value
	request, err := s.submitter(ctx).ask(in.Once, asked)
	var result notifier.Result
	if err == nil {
		result = s.sendAll(ctx, []notifier.Request{request})[0]
		err = result.Err
	}
	if err != nil {
		return nil, unsent(asked.notice(), "body.", err)
	}
	id := result.Notice.ID
	out := &askCallOutput{Body: acceptedAsk{id, string(notifier.AskOpen), web.At(ctx, prefix+"/asks/"+strconv.FormatInt(id, 10))}}
	out.Location = out.Body.URL
	if result.Replayed {
		out.Replayed = "true"
	}
	return out, nil
}

type askIDInput struct {
	ID string `path:"id" doc:"The ID of the question."`
}

type getAskInput struct {
	ID   string `path:"id" doc:"The ID of the question."`
	Wait int    `query:"wait" minimum:"0" maximum:"60" default:"0" doc:"How many seconds to wait for the end of an open question."`
}

type getAskOutput struct{ Body askOutput }

// ownAsk returns a question that the caller may see: see own.
func (s *server) ownAsk(ctx context.Context, id string) (q notifier.Question, err error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number < 1 {
		return q, notifier.ErrNotFound
	}
	if q, err = s.Store.Question(ctx, number); err != nil {
		return q, err
	}
	if key := callerOf(ctx); !q.Sender.Is(senderOf(key)) && !key.Allows(notifier.ScopeAdmin) {
		return q, notifier.ErrNotFound
	}
	return q, nil
}

func (s *server) getAsk(ctx context.Context, in *getAskInput) (*getAskOutput, error) {
	q, err := s.ownAsk(ctx, in.ID)
	if err == nil && in.Wait > 0 && !q.Asked.Ended() {
		q, err = s.Asks.Wait(ctx, q.ID, time.Duration(in.Wait)*time.Second)
	}
	if err != nil {
		return nil, err
	}
	out := &getAskOutput{newAsk(&q)}
	if s.Receipts != nil {
		out.Body.Receipt, err = s.Receipts.Issue(&q)
	}
	return out, err
}

func (s *server) withdrawAsk(ctx context.Context, in *askIDInput) (*struct{}, error) {
	q, err := s.ownAsk(ctx, in.ID)
	if err == nil {
		err = s.Asks.Withdraw(ctx, s.actor(ctx), q.ID)
	}
	return nil, err
}

type askListInput struct {
	State string `query:"state" enum:"open,answered,expired,withdrawn" doc:"Only questions in this state."`
	Since string `query:"since" doc:"Only questions that were accepted at this time or later (RFC 3339)."`
	ListInput
}

type askListOutput struct{ Body askPage }

// askPage is one page of questions.
type askPage struct {
	Asks []askOutput `json:"asks" nullable:"false" doc:"Newest first."`
	Next string      `json:"next,omitempty" doc:"The value of after for the next page; left out on the last page."`
}

func (s *server) listAsks(ctx context.Context, in *askListInput) (*askListOutput, error) {
	q := notifier.QuestionQuery{State: notifier.AskState(in.State), Limit: in.Limit + 1}
	var bad notifier.InvalidError
	if place := in.start(askList, &bad); place != "" {
		var err error
		if q.Before, err = strconv.ParseInt(place, 10, 64); err != nil || q.Before < 1 {
			bad.Add("after", codeBadCursor, nil)
		}
	}
	if in.Since != "" {
		var err error
		if q.Since, err = parseTime(in.Since); err != nil {
			bad.Add("since", codeBadTime, nil)
		}
	}
	if len(bad.Fields) > 0 {
		return nil, invalid(&bad, queryField)
	}
	if key := callerOf(ctx); !key.Allows(notifier.ScopeAdmin) {
		q.By = senderOf(key)
	}
	found, err := s.Store.Questions(ctx, q)
	if err != nil {
		return nil, err
	}
	page := askPage{Asks: []askOutput{}}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		page.Next = placeCursor(askList, strconv.FormatInt(found[in.Limit-1].ID, 10))
	}
	for i := range found {
		page.Asks = append(page.Asks, newAsk(&found[i]))
	}
	return &askListOutput{page}, nil
}
