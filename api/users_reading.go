package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// registerReading adds the call that marks notices as read.
func registerReading(u *users) {
	register(u.server, call{
		id: "read", group: groupUsers, method: http.MethodPost, path: userPath + "/read", scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "Mark notices as read",
		about: "The body has exactly one of three fields. `keys` marks these notices, or none of them if one is not in the inbox. `upto` marks all notices that are not newer than an " +
			"`at` (such as `newest` from a poll) or than the notice with this key. `subject` marks all notices about a thing that the user has just seen, whoever sent them. " +
			"All open browsers are updated. The answer is the resulting badge.",
		errors: []int{http.StatusNotFound},
		examples: []example{
			{name: "subject", summary: "Bob has seen the photo", params: map[string]string{"name": "bob"}, body: `{"subject": "photo_id:1:user_id:7"}`},
			{name: "upto", summary: "Everything that Bob was shown", params: map[string]string{"name": "bob"}, body: `{"upto": 1763800000000}`},
			{name: "keys", summary: "One notice", params: map[string]string{"name": "bob"}, body: `{"keys": ["comment:photo_id:1"]}`},
		},
	}, u.read)
}

type readInput struct {
	Name    string `path:"name" doc:"The name of the user."`
	Payload payload[readBody]
}

// readBody selects the notices to mark as read: exactly one of its fields is set.
type readBody struct {
	Keys    bounded[string, upToKeys] `json:"keys,omitempty" nullable:"false" minItems:"1" doc:"The keys of the notices."`
	Upto    *upto                     `json:"upto,omitempty" doc:"All notices that are not newer than this."`
	Subject *string                   `json:"subject,omitempty" minLength:"1" maxLength:"200" doc:"All notices about this subject, of any type. With the token of an app: those that this app has sent, or no app."`
}

// fields counts the fields that are set.
func (b *readBody) fields() (n int) {
	for _, is := range []bool{b.Keys != nil, b.Upto != nil, b.Subject != nil} {
		if is {
			n++
		}
	}
	return n
}

// check returns nil for a body with exactly one valid field.
func (b *readBody) check() error {
	switch {
	case b.fields() != 1:
		return invalidAt("body", codeOneOfThree, nil)
	case b.Keys != nil && len(b.Keys) == 0:
		return invalidAt("body.keys", notifier.CodeRequired, nil)
	case b.Upto != nil && *b.Upto == "":
		return invalidAt("body.upto", notifier.CodeRequired, nil)
	case b.Subject != nil && *b.Subject == "":
		return invalidAt("body.subject", notifier.CodeRequired, nil)
	case b.Subject != nil && len(*b.Subject) > notifier.MaxSubject:
		return invalidAt("body.subject", notifier.CodeTooLong, map[string]any{"Count": len(*b.Subject), "Max": notifier.MaxSubject})
	case b.Subject != nil && strings.ContainsFunc(*b.Subject, func(r rune) bool { return r <= ' ' || r > '~' }):
		return invalidAt("body.subject", notifier.CodeBadSubject, nil)
	}
	return nil
}

func (u *users) read(ctx context.Context, in *readInput) (*badgeOutput, error) {
	body := &in.Payload.Value
	if err := body.check(); err != nil {
		return nil, err
	}
	return u.withAnnouncements(ctx, in.Name, func(who knownUser) (notifier.Badge, error) {
		return u.readBy(ctx, who.Seq, body, 0)
	})
}

// readBy marks what a valid body selects. A subject is one of that app and of the installation itself; 0: of everybody.
func (u *users) readBy(ctx context.Context, seq int64, body *readBody, app int64) (notifier.Badge, error) {
	switch {
	case body.Keys != nil:
		return u.Inbox.ReadKeys(ctx, seq, body.Keys)
	case body.Subject != nil:
		return u.Inbox.ReadSubject(ctx, seq, *body.Subject, app)
	}
	return u.Inbox.ReadUpto(ctx, seq, string(*body.Upto))
}

// upto is an `at` in decimal or the key of an entry, as Inbox.ReadUpto takes it.
type upto string

// UnmarshalJSON accepts a non-negative integer or a string.
func (u *upto) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(u))
	}
	at, err := strconv.ParseUint(string(text), 10, 63)
	if err != nil {
		return fmt.Errorf("neither an at nor a key: %w", err)
	}
	*u = upto(strconv.FormatUint(at, 10))
	return nil
}

// Schema describes it in the document.
func (upto) Schema(huma.Registry) *huma.Schema {
	low := 0.0
	return &huma.Schema{
		Description: "All notices that are not newer than this: a value such as newest from a poll, or the key of a notice.",
		OneOf:       []*huma.Schema{{Type: huma.TypeInteger, Format: "int64", Minimum: &low}, {Type: huma.TypeString}},
	}
}
