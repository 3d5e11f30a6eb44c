package api

import (
	"context"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// registerWhy adds the call that explains why a user has a notice or not.
func registerWhy(s *server) {
	register(s, call{
		id: "get-why", group: groupNotices, method: http.MethodGet, path: "/notices/{id}/why", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "Find out why a user got a notice, or did not",
		about: "Answers with a code and one sentence. A key can ask about the notices that were sent under its own name, and with the scope `admin` about all. " +
			"What is no longer recorded, such as a membership that an app has ended, is not in the sentence.",
		errors: []int{http.StatusNotFound},
		examples: []example{
			{name: "bob", summary: "Notice 1 and Bob", params: map[string]string{"id": "1", "user": "bob"}},
		},
	}, s.why)
}

type whyInput struct {
	ID   string `path:"id" doc:"The ID of the notice."`
	User string `query:"user" required:"true" doc:"The name of the user."`
}

type whyOutput struct{ Body whyAnswer }

// whyAnswer is a notifier.Reception in an answer.
type whyAnswer struct {
	Got  bool   `json:"got" doc:"Whether the user has the notice: in the inbox, archived or snoozed. Of an announcement: whether they see it."`
	Code string `json:"code" enum:"target,role,muted,expired,deleted,retracted,mail,device" doc:"target and role: by which part of the target they got it, or are not among its recipients. muted: they have muted its type. expired, deleted, retracted: they have it no longer. mail, device: they have it unread, and no mail or push was sent about it."`
	Why  string `json:"why" doc:"One sentence in English, with times in the zone of the user."`
}

// why answers why a user got a notice, or did not.
func (s *server) why(ctx context.Context, in *whyInput) (*whyOutput, error) {
	p, err := s.own(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if in.User == "" {
		return nil, invalidAt("query.user", notifier.CodeRequired, nil)
	}
	found, err := s.Receptions.Why(ctx, &p.Notice, in.User)
	if err != nil {
		return nil, err
	}
	return &whyOutput{whyAnswer{found.Got, string(found.Code), s.texts.Printers()[0].Reception(&found)}}, nil
}
