package api

import (
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/carillonhq/carillon/notifier"
)

type upToChoices struct{}

func (upToChoices) most() int { return notifier.MaxChoices }

// askInput is a question in a request: a notice with choices.
type askInput struct {
	Target  targetInput `json:"target" doc:"Who is asked: exactly one of users, role, roles and topic."`
	Type    string      `json:"type,omitempty" doc:"The type of the notice, as for POST /notices."`
	Subject string      `json:"subject,omitempty" doc:"The thing that the question is about. A later notice with the same type and subject takes the place of its rows, and then nobody can answer it."`
	Title   string      `json:"title" doc:"The question: one line, up to 200 characters."`
	Body    string      `json:"body,omitempty" doc:"Text, up to 4,000 characters; lines end with LF."`
	Link    string      `json:"link,omitempty" doc:"A link, as for POST /notices."`
	ExtrasInput
	Scope     string                            `json:"scope,omitempty" doc:"The part of the application that it belongs to. [A-Za-z0-9_.-]{0,64}"`
	SendAt    string                            `json:"send_at,omitempty" doc:"When to ask (RFC 3339). Default: at once."`
	Toast     bool                              `json:"toast,omitempty" doc:"Also shows it as a toast."`
	Choices   bounded[choiceInput, upToChoices] `json:"choices" minItems:"2" doc:"Two to four choices."`
	Answers   askNeeds                          `json:"answers,omitempty" doc:"How many equal answers decide: 1, the default, is first come; 2 is four eyes; \"all\" collects everybody's."`
	ExpiresIn string                            `json:"expires_in,omitempty" doc:"How long there is to answer, such as 30m, 72h or 7d. Default: the lifetime of its type. The rows stay longer."`
	Otherwise nullable[string]                  `json:"otherwise,omitzero" doc:"The ID of the choice that is the outcome when time is up; null, the default: there is none."`
}

// choiceInput is a choice in a request.
type choiceInput struct {
	ID      string `json:"id" doc:"Identifies the choice. [a-z0-9_-]{1,32}"`
	Label   string `json:"label" doc:"1 to 24 characters."`
	Style   string `json:"style,omitempty" enum:"plain,primary,danger" doc:"Default: plain."`
	Comment string `json:"comment,omitempty" enum:"none,optional,required" doc:"Whether an answer has a comment of up to 500 characters. Default: none."`
}

// askNeeds is a number of equal answers, or "all". Absent it is 0.
type askNeeds int

const (
	needsAll   askNeeds = -1
	needsWrong askNeeds = -2 // neither
)

// UnmarshalJSONFrom reads the number. A value that is neither is a fault of the field, not of the body.
func (n *askNeeds) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(string(raw))
	switch {
	case string(raw) == `"all"`:
		*n = needsAll
	case err == nil && number > 0:
		*n = askNeeds(number)
	default:
		*n = needsWrong
	}
	return nil
}

// Schema describes the number.
func (askNeeds) Schema(huma.Registry) *huma.Schema {
	low, high := 1.0, float64(notifier.MaxEqual)
	return &huma.Schema{
		Description: "How many equal answers decide: 1, the default, is first come; 2 is four eyes; \"all\" collects everybody's.",
		OneOf:       []*huma.Schema{{Type: huma.TypeInteger, Minimum: &low, Maximum: &high}, {Type: huma.TypeString, Enum: []any{"all"}}},
	}
}

// rule returns what decides; an invalid number is negative.
func (in *askInput) rule() (r notifier.AskRule) {
	switch in.Answers {
	case needsAll:
	case 0:
		r.Needs = 1
	default:
		r.Needs = int(in.Answers)
	}
	if o := in.Otherwise.Value; o != nil {
		r.Otherwise = notifier.ChoiceID(*o)
	}
	return r
}

// notice returns the notice that asks.
func (in *askInput) notice() *noticeInput {
	return &noticeInput{
		Target: in.Target, Type: in.Type, Subject: in.Subject, Title: in.Title, Body: in.Body, Link: in.Link, ExtrasInput: in.ExtrasInput,
		Scope: in.Scope, ExpiresIn: in.ExpiresIn, SendAt: in.SendAt, Toast: in.Toast,
	}
}

// ask converts a question to a request for Sender.
func (s submitter) ask(once string, in *askInput) (r notifier.Request, err error) {
	if r, err = s.request("", in.notice(), -1); err != nil {
		return r, err
	}
	asked := &notifier.Ask{Rule: in.rule(), Choices: make([]notifier.Choice, len(in.Choices))}
	for i, c := range in.Choices {
		asked.Choices[i] = notifier.Choice{ID: notifier.ChoiceID(c.ID), Label: c.Label, Style: c.Style, Comment: notifier.CommentRule(c.Comment)}
	}
	r.Draft.Extras.Ask = asked
	r.Once, err = onceOf(once, s.sender, in, -1)
	return r, err
}
