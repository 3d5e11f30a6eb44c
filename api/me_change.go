package api

import (
	"context"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// registerMeChanges adds the calls that change the inbox of the user who is asking.
func registerMeChanges(m *me) {
	register(m.server, call{
		id: "me-read", group: groupMe, method: http.MethodPost, path: mePath + "/read", user: true, status: http.StatusOK,
		summary:  "Mark your notices as read",
		about:    "The body has exactly one of `keys`, `upto` and `subject`, as for POST /users/{name}/read; with the token of an app, `subject` reaches what that app has sent, and what no app has. The answer is the resulting badge.",
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}, {name: "upto", summary: "Everything that you were shown", body: `{"upto": 1763800000000}`}},
	}, m.read)
	register(m.server, call{
		id: "me-unread", group: groupMe, method: http.MethodPost, path: mePath + "/unread", user: true, status: http.StatusOK,
		summary:  "Mark your notices as unread",
		about:    "They stay unread when the inbox is opened, until they are read one by one. The answer is the resulting badge.",
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}},
	}, m.unread)
	register(m.server, call{
		id: "me-delete", group: groupMe, method: http.MethodPost, path: mePath + "/delete", user: true, status: http.StatusOK,
		summary:  "Delete notices from your inbox",
		about:    "POST /me/restore undoes it for 10 minutes. The answer is the resulting badge.",
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}},
	}, m.remove)
	register(m.server, call{
		id: "me-restore", group: groupMe, method: http.MethodPost, path: mePath + "/restore", user: true, status: http.StatusOK,
		summary:  "Undo a deletion",
		about:    "Puts notices that you deleted within the last 10 minutes back into their places, read or unread as they were. If newer notices have taken their keys, or the inbox is full, the answer is 409. Otherwise it is the resulting badge.",
		errors:   []int{http.StatusConflict},
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}},
	}, m.restore)
}

// upToMany is the bound of the keys that one change of an inbox can have.
type upToMany struct{}

func (upToMany) most() int { return maxOwnKeys }

type keysBody struct {
	Keys bounded[string, upToMany] `json:"keys" minItems:"1" doc:"The keys of the notices. Those that are not in the inbox are skipped."`
}

type keysInput struct{ Payload payload[keysBody] }

type meReadInput struct{ Payload payload[readBody] }

func (m *me) read(ctx context.Context, in *meReadInput) (*badgeOutput, error) {
	body := &in.Payload.Value
	if err := body.check(); err != nil {
		return nil, err
	}
	app := int64(0)
	if token := askerOf(ctx).Token; token != nil {
		app = token.App.ID
	}
	return m.change(ctx, func(seq int64) (notifier.Badge, error) { return m.readBy(ctx, seq, body, app) })
}

func (m *me) unread(ctx context.Context, in *keysInput) (*badgeOutput, error) {
	return m.changeKeys(ctx, in, func(seq int64, keys []string) (notifier.Badge, error) {
		_, badge, err := m.Inbox.MarkUnread(ctx, seq, keys...)
		return badge, err
	})
}

func (m *me) remove(ctx context.Context, in *keysInput) (*badgeOutput, error) {
	return m.changeKeys(ctx, in, func(seq int64, keys []string) (notifier.Badge, error) {
		_, badge, err := m.Inbox.Take(ctx, seq, keys...)
		return badge, err
	})
}

func (m *me) restore(ctx context.Context, in *keysInput) (*badgeOutput, error) {
	return m.changeKeys(ctx, in, func(seq int64, keys []string) (notifier.Badge, error) { return m.Inbox.Restore(ctx, seq, keys...) })
}

func (m *me) changeKeys(ctx context.Context, in *keysInput, do func(seq int64, keys []string) (notifier.Badge, error)) (*badgeOutput, error) {
	keys := in.Payload.Value.Keys
	if len(keys) == 0 {
		return nil, invalidAt("body.keys", notifier.CodeRequired, nil)
	}
	return m.change(ctx, func(seq int64) (notifier.Badge, error) { return do(seq, keys) })
}

func (m *me) change(ctx context.Context, do func(seq int64) (notifier.Badge, error)) (*badgeOutput, error) {
	who := askerOf(ctx)
	badge, err := m.whole(ctx, who, func() (notifier.Badge, error) { return do(who.User.Seq) })
	if err != nil {
		return nil, err
	}
	return &badgeOutput{badgeAnswer(badge)}, nil
}
