package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

const groupTypes = "Types"

// registerTypes adds the calls about types of notices.
func registerTypes(s *server) {
	t := &types{s}
	register(s, call{
		id: "list-types", group: groupTypes, method: http.MethodGet, path: "/types", scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "List the types", about: "All known types. The first notice of a type makes it known.",
		examples: []example{{name: "all", summary: "All types"}},
	}, t.list)
	register(s, call{
		id: "put-type", group: groupTypes, method: http.MethodPut, path: "/types/{type}", scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "Create or change a type",
		about: "Fields that the body leaves out stay as they are. Notices of an `urgent` type are told in quiet hours, in a pause, and before the time of daily mails. " +
			"`push` and `mail` are what applies to users who have not chosen for this type.",
		examples: []example{
			{name: "alarm", summary: "Alarms do not wait until the morning", params: map[string]string{"type": "alarm"}, body: `{"names": {"en": "Alarm"}, "urgent": true}`},
			{name: "like", summary: "No mail about likes, unless somebody wants it", params: map[string]string{"type": "like"}, body: `{"mail": false}`},
		},
	}, t.put)
}

// types answers the calls about types of notices.
type types struct{ *server }

type upToLanguages struct{}

func (upToLanguages) most() int { return 10 }

// typeBody holds the fields of a type to change. Nil leaves a field as it is.
type typeBody struct {
	Names     *keyed[string, upToLanguages] `json:"names,omitempty" nullable:"false" doc:"Its names by language: en, ja, zh-Hans, zh-Hant."`
	ExpiresIn *string                       `json:"expires_in,omitempty" nullable:"false" doc:"How long its notices are kept, such as 72h or 30d; 0s: as long as any."`
	Mutable   *bool                         `json:"mutable,omitempty" nullable:"false" doc:"Users may mute it."`
	Open      *bool                         `json:"open,omitempty" nullable:"false" doc:"Users may subscribe to it themselves."`
	Urgent    *bool                         `json:"urgent,omitempty" nullable:"false" doc:"It passes quiet hours, pauses and the time of daily mails."`
	Push      *bool                         `json:"push,omitempty" nullable:"false" doc:"Users who have not chosen are told of it on their devices."`
	Mail      *bool                         `json:"mail,omitempty" nullable:"false" doc:"Users who have not chosen are told of it by mail."`
}

type putTypeInput struct {
	Type    string `path:"type" doc:"The type."`
	Payload payload[typeBody]
}

type typeAnswer struct {
	Type      string            `json:"type" doc:"The type."`
	Names     map[string]string `json:"names" doc:"Its names by language."`
	ExpiresIn string            `json:"expires_in" doc:"How long its notices are kept; 0s: as long as any."`
	Mutable   bool              `json:"mutable" doc:"Users may mute it."`
	Open      bool              `json:"open" doc:"Users may subscribe to it themselves."`
	Urgent    bool              `json:"urgent" doc:"It passes quiet hours, pauses and the time of daily mails."`
	Push      bool              `json:"push" doc:"Users who have not chosen are told of it on their devices."`
	Mail      bool              `json:"mail" doc:"Users who have not chosen are told of it by mail."`
}

func answerOf(t *notifier.NoticeType) typeAnswer {
	names := t.Names
	if names == nil {
		names = map[string]string{}
	}
	return typeAnswer{
		Type: t.Slug, Names: names, ExpiresIn: t.ExpiresIn.String(), Mutable: !t.NoMute, Open: t.Open, Urgent: t.Urgent, Push: !t.NoPush, Mail: !t.NoMail,
	}
}

type typesOutput struct {
	Body struct {
		Types []typeAnswer `json:"types" nullable:"false" doc:"By name."`
	}
}

type typeOutput struct{ Body typeAnswer }

func (t *types) list(context.Context, *struct{}) (*typesOutput, error) {
	out := &typesOutput{}
	all := t.Topics.Types()
	out.Body.Types = make([]typeAnswer, len(all))
	for i := range all {
		out.Body.Types[i] = answerOf(&all[i])
	}
	return out, nil
}

func (t *types) put(ctx context.Context, in *putTypeInput) (*typeOutput, error) {
	set, known := t.Topics.Type(in.Type)
	if !known {
		set = notifier.NoticeType{Slug: in.Type}
	}
	body := &in.Payload.Value
	var bad notifier.InvalidError
	if body.ExpiresIn != nil {
		life, err := notifier.ParseSpan(*body.ExpiresIn)
		if err != nil {
			bad.Add("expires_in", codeBadDuration, nil)
		}
		set.ExpiresIn = life
	}
	if body.Names != nil {
		set.Names = *body.Names
	}
	for flag, given := range map[*bool]*bool{&set.Open: body.Open, &set.Urgent: body.Urgent} {
		if given != nil {
			*flag = *given
		}
	}
	for flag, given := range map[*bool]*bool{&set.NoMute: body.Mutable, &set.NoPush: body.Push, &set.NoMail: body.Mail} {
		if given != nil {
			*flag = !*given
		}
	}
	if err := bad.OrNil(); err != nil {
		return nil, err
	}
	err := t.Topics.SaveType(ctx, t.actor(ctx), set)
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return nil, invalid(bad, typeField)
	}
	if err != nil {
		return nil, err
	}
	return &typeOutput{answerOf(&set)}, nil
}

// typeField returns the place of a type's field in the request of put.
func typeField(field string) string {
	if field == "type" || field == "slug" {
		return "path.type"
	}
	return bodyField(field)
}
