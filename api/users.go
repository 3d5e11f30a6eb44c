package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	groupUsers = "Users"
	userPath   = "/users/{name}"
)

// users answers the calls about users, their inboxes and subscriptions.
type users struct {
	*server
	known known
	texts *locale.Catalogue
}

// registerUsers adds those calls.
func registerUsers(s *server) error {
	texts, err := locale.New()
	if err != nil {
		return err
	}
	u := &users{server: s, known: known{users: s.Directory, now: s.Now}, texts: texts}
	if err := registerPoll(u); err != nil {
		return err
	}
	registerBadge(u)
	registerReading(u)
	register(s, call{
		id: "put-user", group: groupUsers, method: http.MethodPut, path: userPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "Create or change a user",
		about: "What the body does not name stays as it is. `roles` replaces all of his roles; those that do not exist are made. A new user is in the " +
			"audience `user` unless the body says otherwise, and cannot sign in before he is given a password. 201 when he is new, 200 when he was there.",
		also:   []int{http.StatusCreated},
		errors: []int{http.StatusInsufficientStorage},
		examples: []example{
			{name: "create", summary: "A new customer", params: map[string]string{"name": "frank"}, body: `{"audience": "customer", "locale": "ja"}`, status: http.StatusCreated},
			{name: "roles", summary: "Make him a picker, and nothing else", params: map[string]string{"name": "frank"}, body: `{"roles": ["picker"]}`},
		},
	}, u.put)
	register(s, call{
		id: "get-user", group: groupUsers, method: http.MethodGet, path: userPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary:  "Look up a user",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "carol", summary: "Who picks", params: map[string]string{"name": "carol"}}},
	}, u.get)
	register(s, call{
		id: "delete-user", group: groupUsers, method: http.MethodDelete, path: userPath, scope: notifier.ScopeAdmin, status: http.StatusNoContent,
		summary: "Delete a user",
		about: "His account, roles, subscriptions, settings and inbox go, and he is signed out everywhere; so do notices to him alone. What he sent to others " +
			"stays, without his name. After a 500 or 503 call it again: it goes on with what is left.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "frank", summary: "He has left", params: map[string]string{"name": "frank"}}},
	}, u.remove)
	registerSubscriptions(u)
	return nil
}

// userBody is what of a user is to change.
type userBody struct {
	Audience *string   `json:"audience,omitempty" doc:"The audience he is in: its name."`
	Roles    *[]string `json:"roles,omitempty" nullable:"false" doc:"All of his roles."`
	Locale   *string   `json:"locale,omitempty" doc:"His language (BCP 47); empty: as his browser asks."`
}

// userAnswer is a user as applications see him.
type userAnswer struct {
	Name     string   `json:"name" doc:"As your application knows him."`
	Audience string   `json:"audience" doc:"The audience he is in: its name."`
	Roles    []string `json:"roles" nullable:"false" doc:"By name."`
	Locale   string   `json:"locale" doc:"Empty: as his browser asks."`
}

type userInput struct {
	Name string `path:"name" doc:"The user."`
}

type userOutput struct {
	Status int
	Body   userAnswer
}

type putInput struct {
	Name    string `path:"name" doc:"The user: 1 to 200 bytes."`
	Payload payload[userBody]
}

func (u *users) put(ctx context.Context, in *putInput) (*userOutput, error) {
	body := &in.Payload.Value
	p := PutUser{Name: in.Name, Locale: body.Locale, Roles: body.Roles}
	if body.Audience != nil {
		a, ok := audienceNamed(u.Audiences, *body.Audience)
		if !ok {
			return nil, invalidAt("body.audience", notifier.CodeUnknownAudience, map[string]any{"Name": excerpt(*body.Audience)})
		}
		p.Audience = &a
	}
	if n := len(deref(p.Roles)); n > maxRoles {
		return nil, invalidAt("body.roles", codeTooMany, map[string]any{"Count": n, "Max": maxRoles})
	}
	var before notifier.User
	if u.Audit != nil {
		var err error
		if before, err = u.Directory.UserByName(ctx, in.Name); err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return nil, err
		}
	}
	found, created, err := u.Directory.PutUser(ctx, p)
	u.known.forget(in.Name)
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return nil, invalid(bad, putField)
	}
	if err != nil {
		return nil, err
	}
	out := &userOutput{Status: http.StatusOK, Body: u.answer(found)}
	if created {
		out.Status = http.StatusCreated
		u.audit(ctx, "user.add", found.Name, strings.Join(found.Roles, ","))
	} else if detail := u.changedUser(before, found); detail != "" {
		u.audit(ctx, "user.edit", found.Name, detail)
	}
	return out, nil
}

// maxRoles is how many roles a user can be given at once.
const maxRoles = 200

// putField is where in the request of put a field of a user is.
func putField(field string) string {
	if field == "name" {
		return "path.name"
	}
	return bodyField(field)
}

func (u *users) get(ctx context.Context, in *userInput) (*userOutput, error) {
	found, err := u.Directory.UserByName(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return &userOutput{Status: http.StatusOK, Body: u.answer(found)}, nil
}

func (u *users) remove(ctx context.Context, in *userInput) (*struct{}, error) {
	found, err := u.Directory.UserByName(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	err = u.Directory.DeleteUser(ctx, in.Name)
	u.known.forget(in.Name) // also after a failure: what is left of him is unknown
	if err == nil {
		u.audit(ctx, "user.delete", auditedUser(found), "") // his name is to be forgotten
	}
	return nil, err
}

func (u *users) answer(found notifier.User) userAnswer {
	roles := found.Roles
	if roles == nil {
		roles = []string{}
	}
	return userAnswer{Name: found.Name, Audience: audienceNames(u.Audiences, []notifier.Audience{found.Audience})[0], Roles: roles, Locale: found.Locale}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
