package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

const (
	groupUsers = "Users"
	userPath   = "/users/{name}"
)

// users answers the calls about users, their inboxes and subscriptions.
type users struct {
	*server
	known known
}

// registerUsers adds the calls about users, their inboxes and subscriptions.
func registerUsers(s *server) error {
	u := &users{server: s, known: known{users: s.Store, now: s.Now}}
	if err := registerPoll(u); err != nil {
		return err
	}
	registerBadge(u)
	registerReading(u)
	registerUserList(u)
	register(s, call{
		id: "put-user", group: groupUsers, method: http.MethodPut, path: userPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "Create or change a user",
		about: "Fields that the body leaves out stay as they are. `roles` replaces all of the user's roles; roles that do not exist are created. A new user is in the " +
			"audience `user` unless the body names another, and cannot sign in before they are given a password. The answer is 201 for a new user, 200 for an existing one, " +
			"and 409 while a user with that name is being deleted.",
		also:   []int{http.StatusCreated},
		errors: []int{http.StatusConflict, http.StatusInsufficientStorage},
		examples: []example{
			{name: "create", summary: "A new customer", params: map[string]string{"name": "frank"}, body: `{"audience": "customer", "locale": "ja"}`, status: http.StatusCreated},
			{name: "roles", summary: "Replace all roles by picker", params: map[string]string{"name": "frank"}, body: `{"roles": ["picker"]}`},
			{name: "email", summary: "Set the mail address", params: map[string]string{"name": "frank"}, body: `{"email": "frank@example.com"}`},
		},
	}, u.put)
	register(s, call{
		id: "get-user", group: groupUsers, method: http.MethodGet, path: userPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary:  "Get a user",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "carol", summary: "Carol, a picker", params: map[string]string{"name": "carol"}}},
	}, u.get)
	register(s, call{
		id: "delete-user", group: groupUsers, method: http.MethodDelete, path: userPath, scope: notifier.ScopeAdmin, status: http.StatusNoContent,
		summary: "Delete a user",
		about: "Deletes the account, roles, subscriptions, settings and inbox of the user and the notices to them alone, and signs them out everywhere. Notices that they " +
			"sent to others stay, without their name. The answer is 204 when everything is deleted. It is 202 when there are so many notices to go through that the deletion " +
			"continues in the background: the user can no longer be found or reached, and the name cannot be used again until the end (409). The call may be repeated: " +
			"it answers 202 while the deletion continues and 404 when it is done.",
		also:     []int{http.StatusAccepted},
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "frank", summary: "Frank has left", params: map[string]string{"name": "frank"}}},
	}, u.remove)
	register(s, call{
		id: "sign-out-user", group: groupUsers, method: http.MethodPost, path: userPath + "/sign-out", scope: notifier.ScopeAdmin, status: http.StatusNoContent,
		summary: "Sign a user out everywhere",
		about: "Ends all sessions of the user with their streams. Tokens that the user's app issued until now are refused: the app must issue a new one. " +
			"Call it when the user signs out of the app, or has lost a device.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "carol", summary: "Carol has lost her phone", params: map[string]string{"name": "carol"}}},
	}, u.signOut)
	registerSubscriptions(u)
	registerPreferences(u)
	registerMail(u)
	registerMe(u)
	return nil
}

// userBody holds the fields of a user to change. Nil leaves a field as it is.
type userBody struct {
	Audience *string                     `json:"audience,omitempty" doc:"The name of the user's audience."`
	Roles    *bounded[string, upToRoles] `json:"roles,omitempty" nullable:"false" doc:"The names of all of the user's roles."`
	Locale   *string                     `json:"locale,omitempty" doc:"The user's language (BCP 47). Empty: the browser's language."`
	Email    nullable[string]            `json:"email,omitzero" doc:"Where the user gets mail; null: nowhere."`
}

// userAnswer is a user in an answer.
type userAnswer struct {
	Name     string   `json:"name" doc:"The user's name in your application."`
	Display  string   `json:"display" doc:"What the user is called. Empty: their app has not said."`
	Audience string   `json:"audience" doc:"The name of the user's audience."`
	Roles    []string `json:"roles" nullable:"false" doc:"The names of the user's roles."`
	Locale   string   `json:"locale" doc:"The user's language (BCP 47). Empty: the browser's language."`
	Email    *string  `json:"email" doc:"Where the user gets mail; null: nowhere."`
}

type userInput struct {
	Name string `path:"name" doc:"The name of the user."`
}

type userOutput struct {
	Status int
	Body   userAnswer
}

type putInput struct {
	Name    string `path:"name" doc:"The name of the user: 1 to 200 bytes."`
	Payload payload[userBody]
}

func (u *users) put(ctx context.Context, in *putInput) (*userOutput, error) {
	body := &in.Payload.Value
	p := notifier.PutUser{Name: in.Name, Locale: body.Locale, Roles: (*[]string)(body.Roles)}
	if body.Audience != nil {
		a, ok := audienceNamed(u.Audiences, *body.Audience)
		if !ok {
			return nil, invalidAt("body.audience", notifier.CodeUnknownAudience, map[string]any{"Name": excerpt(*body.Audience)})
		}
		p.Audience = &a
	}
	if body.Email.Given {
		p.Email = new(string)
		if address := body.Email.Value; address != nil {
			if *address == "" {
				return nil, invalidAt("body.email", notifier.CodeBadEmail, nil)
			}
			p.Email = address
		}
	}
	found, created, err := u.People.Put(ctx, u.actor(ctx), p)
	u.known.forget(in.Name)
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return nil, invalid(bad, putField)
	}
	if err != nil {
		return nil, err
	}
	answer, err := u.answer(ctx, found)
	if err != nil {
		return nil, err
	}
	out := &userOutput{Status: http.StatusOK, Body: answer}
	if created {
		out.Status = http.StatusCreated
	}
	return out, nil
}

// putField returns the place of a user's field in the request of put.
func putField(field string) string {
	if field == "name" {
		return "path.name"
	}
	return bodyField(field)
}

func (u *users) get(ctx context.Context, in *userInput) (*userOutput, error) {
	found, err := u.Store.UserByName(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	answer, err := u.answer(ctx, found)
	return &userOutput{Status: http.StatusOK, Body: answer}, err
}

func (u *users) remove(ctx context.Context, in *userInput) (*removeOutput, error) {
	gone, err := u.People.Delete(ctx, u.actor(ctx), in.Name, nil)
	u.known.forget(in.Name)
	if err != nil {
		return nil, err
	}
	out := &removeOutput{Status: http.StatusNoContent}
	if !gone.Done {
		out.Status = http.StatusAccepted
	}
	return out, nil
}

func (u *users) signOut(ctx context.Context, in *userInput) (*removeOutput, error) {
	if err := u.People.SignOut(ctx, u.actor(ctx), in.Name); err != nil {
		return nil, err
	}
	return &removeOutput{Status: http.StatusNoContent}, nil
}

// removeOutput is an answer without a body.
type removeOutput struct{ Status int }

func (u *users) answer(ctx context.Context, found notifier.User) (userAnswer, error) {
	mail, err := u.Store.MailOf(ctx, found.Seq)
	return u.answerWith(&found, mail.Address), err
}

// answerWith is answer for a user whose mail address is known; it may be empty.
func (u *users) answerWith(found *notifier.User, address string) userAnswer {
	a := userAnswer{
		Name: found.Name, Display: found.Display, Audience: audienceNames(u.Audiences, []notifier.Audience{found.Audience})[0],
		Roles: append([]string{}, found.Roles...), Locale: found.Locale,
	}
	if address != "" {
		a.Email = &address
	}
	return a
}
