package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

const groupApps = "Apps"

// registerApps adds the call that changes a host application.
func registerApps(s *server) {
	a := &apps{s}
	register(s, call{
		id: "edit-app", group: groupApps, method: http.MethodPatch, path: "/apps/{name}", scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "Change an app",
		about: "Fields that the body leaves out stay as they are; `origins` and `roles` replace all. Every instance uses the change within 5 seconds. " +
			"Apps are added, and their keys replaced, by `carillon app` and by staff. The answer is 409 if another app has the `issuer`.",
		errors: []int{http.StatusNotFound, http.StatusConflict},
		examples: []example{
			{name: "origins", summary: "Its pages move", params: map[string]string{"name": "front"}, body: `{"origins": ["https://shop.example.com", "https://www.example.com"]}`},
			{name: "title", summary: "A title for people", params: map[string]string{"name": "front"}, body: `{"title": "The shop"}`},
			{name: "life", summary: "Shorter tokens", params: map[string]string{"name": "front"}, body: `{"max_life": "15m"}`},
		},
	}, a.edit)
}

// apps answers the call about host applications.
type apps struct{ *server }

type (
	upToOrigins  struct{}
	upToAppRoles struct{}
)

func (upToOrigins) most() int  { return notifier.MaxOrigins }
func (upToAppRoles) most() int { return notifier.MaxAppRoles }

// appBody holds the fields of an app to change. Nil leaves a field as it is.
type appBody struct {
	Origins     *bounded[string, upToOrigins]  `json:"origins,omitempty" nullable:"false" doc:"Where its pages are: all of them, such as https://shop.example.com."`
	Audience    *string                        `json:"audience,omitempty" nullable:"false" doc:"The audience of users whose token names none."`
	Roles       *bounded[string, upToAppRoles] `json:"roles,omitempty" nullable:"false" doc:"All roles that its tokens may give, never staff."`
	MaxLife     *string                        `json:"max_life,omitempty" nullable:"false" doc:"The longest life of a token, from 1m to 24h."`
	Issuer      *string                        `json:"issuer,omitempty" nullable:"false" doc:"What tokens must have in iss; empty: any."`
	Base        *string                        `json:"base,omitempty" nullable:"false" doc:"Put before links of notices that begin with /; empty: the first origin."`
	InboxURL    *string                        `json:"inbox_url,omitempty" nullable:"false" doc:"Where its users see all their notices; empty: the base."`
	SettingsURL *string                        `json:"settings_url,omitempty" nullable:"false" doc:"Where its users choose how they get mail; empty: a page of Carillon that needs no sign-in."`
	Title       *string                        `json:"title,omitempty" nullable:"false" doc:"What people call it, in rows, mails and pushes: up to 60 characters; empty: its name."`
	Icon        *string                        `json:"icon,omitempty" nullable:"false" doc:"The https address of its icon on one of the hosts of --image-hosts; empty: none."`
}

type editAppInput struct {
	Name    string `path:"name" doc:"The app."`
	Payload payload[appBody]
}

type appAnswer struct {
	ID          int64    `json:"id" doc:"Its number."`
	Name        string   `json:"name" doc:"Its name."`
	Origins     []string `json:"origins" nullable:"false" doc:"Where its pages are."`
	Audience    string   `json:"audience" doc:"The audience of users whose token names none."`
	Roles       []string `json:"roles" nullable:"false" doc:"Roles that its tokens may give."`
	MaxLife     string   `json:"max_life" doc:"The longest life of a token."`
	Issuer      string   `json:"issuer" doc:"What tokens must have in iss; empty: any."`
	Base        string   `json:"base" doc:"Put before links of notices that begin with /; empty: the first origin."`
	InboxURL    string   `json:"inbox_url" doc:"Where its users see all their notices; empty: the base."`
	SettingsURL string   `json:"settings_url" doc:"Where its users choose how they get mail; empty: a page of Carillon."`
	Title       string   `json:"title" doc:"What people call it; empty: its name."`
	Icon        string   `json:"icon" doc:"The address of its icon; empty: none."`
}

type appOutput struct{ Body appAnswer }

func (a *apps) edit(ctx context.Context, in *editAppInput) (*appOutput, error) {
	change, err := a.changeOf(&in.Payload.Value)
	if err != nil {
		return nil, err
	}
	changed, err := a.Apps.Change(ctx, a.actor(ctx), in.Name, change)
	if errors.Is(err, notifier.ErrConflict) {
		return nil, newProblem(http.StatusConflict, "issuer_taken", "Another app has this issuer.")
	}
	if err != nil {
		return nil, err
	}
	return &appOutput{appAnswer{
		ID: changed.ID, Name: changed.Name, Origins: append([]string{}, changed.Origins...), Audience: a.Audiences[changed.Audience],
		Roles: append([]string{}, changed.Roles...), MaxLife: changed.MaxLife.String(), Issuer: changed.Issuer,
		Base: changed.Base, InboxURL: changed.InboxURL, SettingsURL: changed.SettingsURL,
		Title: changed.Title, Icon: changed.Icon,
	}}, nil
}

// changeOf returns the change that a body asks for.
func (a *apps) changeOf(body *appBody) (notifier.AppChange, error) {
	change := notifier.AppChange{
		Origins: (*[]string)(body.Origins), Roles: (*[]string)(body.Roles), Issuer: body.Issuer,
		Base: body.Base, InboxURL: body.InboxURL, SettingsURL: body.SettingsURL, Title: body.Title, Icon: body.Icon,
	}
	var bad notifier.InvalidError
	if body.MaxLife != nil {
		life, err := notifier.ParseSpan(*body.MaxLife)
		if err != nil {
			bad.Add("max_life", codeBadDuration, nil)
		}
		change.MaxLife = &life
	}
	if body.Audience != nil {
		audience, known := audienceNamed(a.Audiences, *body.Audience)
		if !known {
			bad.Add("audience", notifier.CodeUnknownAudience, map[string]any{"Name": excerpt(*body.Audience)})
		}
		change.Audience = &audience
	}
	return change, bad.OrNil()
}
