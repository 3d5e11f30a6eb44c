package api

import (
	"context"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// registerMail adds the call about mails that came back.
func registerMail(u *users) {
	register(u.server, call{
		id: "mail-bounced", group: groupReach, method: http.MethodPost, path: userPath + "/mail/bounced", scope: notifier.ScopeAdmin, status: http.StatusNoContent,
		summary: "Report mail that came back",
		about: "For applications that read the mails which return. `hard`: nobody is at the address, and it is tried again only after four weeks, or when the user has another one. " +
			"`soft`: it may work later. A user without an address is a 404.",
		errors: []int{http.StatusNotFound},
		examples: []example{{
			name: "hard", summary: "Carol's address no longer exists", params: map[string]string{"name": "carol"}, body: `{"kind": "hard"}`,
		}},
	}, u.bounced)
}

type bouncedBody struct {
	Kind string `json:"kind" enum:"hard,soft,permanent,temporary" doc:"hard or permanent: nobody is there; soft or temporary: it may work later."`
}

type bouncedInput struct {
	Name    string `path:"name" doc:"The name of the user."`
	Payload payload[bouncedBody]
}

func (u *users) bounced(ctx context.Context, in *bouncedInput) (*removeOutput, error) {
	permanent := false
	switch in.Payload.Value.Kind {
	case "hard", "permanent":
		permanent = true
	case "soft", "temporary":
	default:
		return nil, invalidAt("body.kind", notifier.CodeBadChoice, map[string]any{"Allowed": "hard, soft, permanent, temporary"})
	}
	if err := u.People.Bounced(ctx, u.actor(ctx), in.Name, permanent); err != nil {
		return nil, err
	}
	return &removeOutput{Status: http.StatusNoContent}, nil
}
