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

// maxReadKeys is how many notices can be named at once.
const maxReadKeys = 1000

// registerReading adds the calls about the number on the bell.
func registerReading(u *users) {
	register(u.server, call{
		id: "get-badge", group: groupUsers, method: http.MethodGet, path: userPath + "/badge", scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "The number on the bell",
		about: "Unread notices and unread announcements, always as they are now. Of two answers take each half from the one with the higher version: " +
			"`ver` belongs to `inbox`, `aver` to `announcements`.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "bob", summary: "How many has Bob not read?", params: map[string]string{"name": "bob"}}},
	}, u.badge)
	register(u.server, call{
		id: "read", group: groupUsers, method: http.MethodPost, path: userPath + "/read", scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "Mark notices as read",
		about: "One of three: `keys`, all of them or, when one is not in the inbox, none; `upto`, whatever is not newer than an `at` (such as `newest` of a " +
			"poll) or than the notice with this key; `subject`, whatever is about a thing that the user has just seen. Every open browser follows. The answer is the badge after it.",
		errors: []int{http.StatusNotFound},
		examples: []example{
			{name: "subject", summary: "Bob has seen the photo", params: map[string]string{"name": "bob"}, body: `{"subject": "photo_id:1:user_id:7"}`},
			{name: "upto", summary: "All that Bob was shown", params: map[string]string{"name": "bob"}, body: `{"upto": 1763800000000}`},
			{name: "keys", summary: "One notice", params: map[string]string{"name": "bob"}, body: `{"keys": ["comment:photo_id:1"]}`},
		},
	}, u.read)
}

type badgeOutput struct {
	Body badgeAnswer
}

// badgeAnswer is notifier.Badge, described.
type badgeAnswer struct {
	Unread        int64 `json:"unread" minimum:"0" doc:"Inbox and announcements together."`
	Inbox         int64 `json:"inbox" minimum:"0"`
	Announcements int64 `json:"announcements" minimum:"0"`
	Ver           int64 `json:"ver" doc:"Versions inbox; it only rises."`
	AVer          int64 `json:"aver" doc:"Versions announcements."`
}

func (u *users) badge(ctx context.Context, in *userInput) (*badgeOutput, error) {
	who, err := u.known.find(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return u.withBoard(ctx, who, func() (notifier.Badge, error) {
		badges, err := u.Inbox.Badges(ctx, []int64{who.Seq})
		if err != nil {
			return notifier.Badge{}, err
		}
		if badges[0].Ver == 0 {
			return notifier.Badge{}, fmt.Errorf("user %d is gone: %w", who.Seq, notifier.ErrNotFound)
		}
		return badges[0], nil
	})
}

// withBoard joins the inbox's half of a badge with the announcements' half.
func (u *users) withBoard(ctx context.Context, who person, inbox func() (notifier.Badge, error)) (*badgeOutput, error) {
	wait := u.countBoard(ctx, who)
	b, err := inbox()
	board, boardErr := wait()
	if err == nil {
		err = boardErr
	}
	if err != nil {
		return nil, err
	}
	return &badgeOutput{badgeAnswer{
		Unread: b.Inbox + board.Announcements, Inbox: b.Inbox, Announcements: board.Announcements, Ver: b.Ver, AVer: board.AVer,
	}}, nil
}

// countBoard asks for the announcements' half while the caller asks for the other,
// and must be waited for.
func (u *users) countBoard(ctx context.Context, who person) (wait func() (notifier.Badge, error)) {
	type half struct {
		badges []notifier.Badge
		err    error
	}
	found := make(chan half, 1)
	go func() {
		badges, err := u.Board.Badges(ctx, []notifier.Reader{who.Reader})
		found <- half{badges, err}
	}()
	return func() (notifier.Badge, error) {
		h := <-found
		if h.err != nil {
			return notifier.Badge{}, h.err
		}
		return h.badges[0], nil
	}
}

type readInput struct {
	Name    string `path:"name" doc:"The user."`
	Payload payload[readBody]
}

// readBody says what is read: one of its fields is set.
type readBody struct {
	Keys    []string `json:"keys,omitempty" nullable:"false" minItems:"1" maxItems:"1000" doc:"These notices."`
	Upto    *upto    `json:"upto,omitempty" doc:"Whatever is not newer than this."`
	Subject *string  `json:"subject,omitempty" minLength:"1" maxLength:"200" doc:"Whatever is about this, of any type."`
}

// check is nil for a body that says one thing.
func (b *readBody) check() error {
	given := 0
	for _, is := range []bool{b.Keys != nil, b.Upto != nil, b.Subject != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return invalidAt("body", codeOneOfThree, nil)
	case b.Keys != nil && len(b.Keys) == 0:
		return invalidAt("body.keys", notifier.CodeRequired, nil)
	case len(b.Keys) > maxReadKeys:
		return invalidAt("body.keys", codeTooMany, map[string]any{"Count": len(b.Keys), "Max": maxReadKeys})
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
	who, err := u.known.find(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return u.withBoard(ctx, who, func() (notifier.Badge, error) {
		switch {
		case body.Keys != nil:
			return u.Inbox.ReadKeys(ctx, who.Seq, body.Keys)
		case body.Subject != nil:
			return u.Inbox.ReadSubject(ctx, who.Seq, *body.Subject)
		}
		return u.Inbox.ReadUpto(ctx, who.Seq, string(*body.Upto))
	})
}

// upto is an at, or a key: what inboxes take as text.
type upto string

// UnmarshalJSON takes a number from 0, or a text.
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

// Schema is for the document.
func (upto) Schema(huma.Registry) *huma.Schema {
	low := 0.0
	return &huma.Schema{
		Description: "Whatever is not newer than this: an at, or the key of a notice.",
		OneOf:       []*huma.Schema{{Type: huma.TypeInteger, Format: "int64", Minimum: &low}, {Type: huma.TypeString}},
	}
}
