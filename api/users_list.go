package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// registerUserList adds the list of users.
func registerUserList(u *users) {
	register(u.server, call{
		id: "list-users", group: groupUsers, method: http.MethodGet, path: "/users", scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "List users",
		about: "By name, ignoring case. Follow `next` until it is left out: no user is passed over or listed twice while others come and go. " +
			"A page may have fewer users than `limit`, even none, while there is a next one: a search answers with what it has found after a moment.",
		examples: []example{
			{name: "all", summary: "The first 50"},
			{name: "role", summary: "Pickers, two at a time", params: map[string]string{"role": "picker", "limit": "2"}},
			{name: "search", summary: "Customers with an r in their name", params: map[string]string{"q": "r", "audience": "customer"}},
		},
	}, u.list)
}

type userListInput struct {
	Text     string `query:"q" maxLength:"100" doc:"Only users with this in their name or in what they are called, ignoring case."`
	Role     string `query:"role" doc:"Only members of this role. An unknown role has none."`
	Audience string `query:"audience" doc:"Only users of this audience, by its name."`
	ListInput
}

type userListOutput struct{ Body userPage }

// userPage is one page of users.
type userPage struct {
	Users []userAnswer `json:"users" nullable:"false" doc:"By name, ignoring case."`
	Next  string       `json:"next,omitempty" doc:"The value of after for the next page; left out on the last page."`
}

func (u *users) list(ctx context.Context, in *userListInput) (*userListOutput, error) {
	q, err := u.listQuery(in)
	if err != nil {
		return nil, err
	}
	found, reached, err := u.Store.SearchUsers(ctx, q, listPatience)
	if err != nil {
		return nil, err
	}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		reached = found[in.Limit-1].Name
	}
	seqs := make([]int64, len(found))
	for i := range found {
		seqs[i] = found[i].Seq
	}
	mail, err := u.Store.MailAddresses(ctx, seqs)
	if err != nil {
		return nil, err
	}
	page := userPage{Users: make([]userAnswer, len(found)), Next: placeCursor(userList, reached)}
	for i := range found {
		page.Users[i] = u.answerWith(&found[i], mail[found[i].Seq])
	}
	return &userListOutput{page}, nil
}

// listQuery converts the parameters to a query for one user more than fit on the page.
func (u *users) listQuery(in *userListInput) (notifier.UserQuery, error) {
	var bad notifier.InvalidError
	q := notifier.UserQuery{Contains: in.Text, Role: in.Role, After: in.start(userList, &bad), Limit: in.Limit + 1}
	if in.Role != "" && !notifier.ValidName(in.Role) {
		bad.Add("role", notifier.CodeBadName, map[string]any{"Name": excerpt(in.Role)})
	}
	if in.Audience != "" {
		var known bool
		if q.Audience, known = audienceNamed(u.Audiences, in.Audience); !known {
			bad.Add("audience", notifier.CodeBadChoice, map[string]any{"Allowed": strings.Join(audienceNames(u.Audiences, slices.Collect(maps.Keys(u.Audiences))), ", ")})
		}
	}
	if len(bad.Fields) > 0 {
		return q, invalid(&bad, queryField)
	}
	return q, nil
}
