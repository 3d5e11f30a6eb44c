package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// dryRun is a value of the parameter dry_run.
type dryRun string

// on reports whether a request is to be tried only.
func (d dryRun) on() (bool, error) {
	switch d {
	case "", "0", "false":
		return false, nil
	case "1", "true":
		return true, nil
	}
	return false, invalidAt("query.dry_run", notifier.CodeBadChoice, map[string]any{"Allowed": "1, true, 0, false"})
}

// DryInput is part of the input of calls that cannot be tried.
type DryInput struct {
	DryRun string `query:"dry_run" doc:"Is only possible in POST /notices: anything but 0 or false is refused here, and nothing is sent."`
}

// refuse returns a fault if the call is to be tried.
func (in *DryInput) refuse() error {
	on, err := dryRun(in.DryRun).on()
	if on {
		err = invalidAt("query.dry_run", codeNoDryRun, nil)
	}
	return err
}

// rehearsal is a notifier.Rehearsal in an answer.
type rehearsal struct {
	People []receiver `json:"people" nullable:"false" doc:"Who would get the notice, at most 1,000."`
	Asleep int64      `json:"asleep" minimum:"0" doc:"How many of all recipients are in their quiet hours now, or paused."`
}

type receiver struct {
	User   string   `json:"user" doc:"The name of the user."`
	Ways   []string `json:"ways" nullable:"false" enum:"inbox,announcement,toast,push,mail" doc:"How it would reach them. Pushes and mails are sent if the notice is still unread when they are due."`
	Asleep bool     `json:"asleep" doc:"Whether they are in their quiet hours now, or paused."`
}

// sentBody is the answer to a notice: what was accepted, or who would get it.
type sentBody struct {
	acceptedNotice
	tried *rehearsal
}

// MarshalJSON writes the one that it is.
func (b sentBody) MarshalJSON() ([]byte, error) {
	if b.tried != nil {
		return json.Marshal(b.tried)
	}
	return json.Marshal(b.acceptedNotice)
}

// Schema describes the accepted notice.
func (sentBody) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[acceptedNotice](), true, "")
}

// describeDryRun adds the answer of a dry run to the document.
func (s *server) describeDryRun() {
	op := s.operation(http.MethodPost, prefix+"/notices")
	op.Responses[strconv.Itoa(http.StatusOK)] = &huma.Response{
		Description: "OK: a dry run",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[rehearsal](), true, "")}},
	}
}

// try returns who would get a notice.
func (s *server) try(ctx context.Context, n *noticeInput) (*sendOutput, error) {
	request, err := s.request(ctx, "", n, -1)
	var found notifier.Rehearsal
	if err == nil {
		found, err = s.Receptions.Rehearse(ctx, request.Draft, callerOf(ctx).AppID != 0)
	}
	if err != nil {
		return nil, unsent(n, "body.", err)
	}
	out := &rehearsal{People: make([]receiver, len(found.People)), Asleep: found.Asleep}
	for i, p := range found.People {
		out.People[i] = receiver(p)
	}
	return &sendOutput{Status: http.StatusOK, Body: sentBody{tried: out}}, nil
}
