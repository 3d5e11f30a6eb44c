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
		summary: "Mark your notices as read",
		about:   "The body has exactly one of `keys`, `upto`, `subject`, `type` and `scope`; the first three are as for POST /users/{name}/read. With the token of an app, `subject` reaches what that app has sent, and what no app has. `type` and `scope` mark everything of a category or workspace, or with `upto` beside them what is not newer than that. The answer is the resulting badge.",
		examples: []example{
			{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`},
			{name: "upto", summary: "Everything that you were shown", body: `{"upto": 1763800000000}`},
			{name: "type", summary: "All comments that you were shown", body: `{"type": "comment", "upto": 1763800000000}`},
			{name: "scope", summary: "Everything of one workspace", body: `{"scope": "119240"}`},
		},
	}, m.read)
	register(m.server, call{
		id: "me-seen", group: groupMe, method: http.MethodPost, path: mePath + "/seen", user: true, status: http.StatusOK,
		summary:  "You have seen a thing itself",
		about:    "Marks all notices about a subject as read, of any type, on all devices. Call it while the user looks at the thing; if there is no such notice, nothing changes. With the token of an app, it reaches what that app has sent, and what no app has. The answer is the resulting badge.",
		examples: []example{{name: "photo", summary: "You look at the photo", body: `{"subject": "photo_id:1"}`}},
	}, m.seen)
	register(m.server, call{
		id: "me-unread", group: groupMe, method: http.MethodPost, path: mePath + "/unread", user: true, status: http.StatusOK,
		summary:  "Mark your notices as unread",
		about:    "They stay unread when the inbox is opened, until they are read one by one. The answer is the resulting badge.",
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}},
	}, m.unread)
	register(m.server, call{
		id: "me-archive", group: groupMe, method: http.MethodPost, path: mePath + "/archive", user: true, status: http.StatusOK,
		summary:  "Archive notices",
		about:    "Moves notices out of your inbox. GET /me/notices?filter=archived lists them for 30 days. POST /me/restore undoes it. Keys that are not in the inbox are skipped; if all are, the answer is 404. Otherwise it is the resulting badge.",
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}},
	}, m.archive)
	register(m.server, call{
		id: "me-unarchive", group: groupMe, method: http.MethodPost, path: mePath + "/unarchive", user: true, status: http.StatusOK,
		summary:  "Move archived notices back to your inbox",
		about:    "They return to their places, read or unread as they were. Keys that are not in the archive are skipped; if all are, the answer is 404. If the inbox is full, it is 409. Otherwise it is the resulting badge.",
		errors:   []int{http.StatusConflict},
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}},
	}, m.unarchive)
	register(m.server, call{
		id: "me-delete", group: groupMe, method: http.MethodPost, path: mePath + "/delete", user: true, status: http.StatusOK,
		summary:  "Delete notices from your inbox",
		about:    "POST /me/restore undoes it for 10 minutes. The answer is the resulting badge.",
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}},
	}, m.remove)
	register(m.server, call{
		id: "me-restore", group: groupMe, method: http.MethodPost, path: mePath + "/restore", user: true, status: http.StatusOK,
		summary:  "Undo a deletion, archiving or snoozing",
		about:    "Puts notices that you deleted within the last 10 minutes, archived or snoozed back into their places, read or unread as they were. Those that were deleted from the archive return to it. If newer notices have taken their keys, or the inbox is full, the answer is 409. Otherwise it is the resulting badge.",
		errors:   []int{http.StatusConflict},
		examples: []example{{name: "keys", summary: "One notice", body: `{"keys": ["comment:photo_id:1"]}`}},
	}, m.restore)
	registerMeSnooze(m)
}

// upToMany is the bound of the keys that one change of an inbox can have.
type upToMany struct{}

func (upToMany) most() int { return maxOwnKeys }

type keysBody struct {
	Keys bounded[string, upToMany] `json:"keys" minItems:"1" doc:"The keys of the notices. Those that are not there are skipped."`
}

type keysInput struct{ Payload payload[keysBody] }

type meReadInput struct{ Payload payload[meReadBody] }

// meReadBody selects the notices of one's own to mark as read.
type meReadBody struct {
	Keys    bounded[string, upToKeys] `json:"keys,omitempty" nullable:"false" minItems:"1" doc:"The keys of the notices."`
	Upto    *upto                     `json:"upto,omitempty" doc:"All notices that are not newer than this; beside type or scope, those of them."`
	Subject *string                   `json:"subject,omitempty" minLength:"1" maxLength:"200" doc:"All notices about this subject, of any type. With the token of an app: those that this app has sent, or no app."`
	Type    *string                   `json:"type,omitempty" pattern:"^[a-z0-9][a-z0-9_.-]{0,62}$" patternDescription:"a type" doc:"All notices of this type."`
	Scope   *string                   `json:"scope,omitempty" pattern:"^[A-Za-z0-9_.-]{0,64}$" patternDescription:"a scope" doc:"All notices of this scope. Empty: those without one."`
}

// other returns what the body selects beside a type and a scope.
func (b *meReadBody) other() *readBody { return &readBody{b.Keys, b.Upto, b.Subject} }

// section returns the section that the body selects; it is the whole inbox if the body selects something else.
func (b *meReadBody) section() (of notifier.Section, err error) {
	of.Scope = b.Scope
	if b.Type != nil {
		of.Types = []string{*b.Type}
	}
	switch {
	case of.All() && b.other().fields() != 1:
		return of, invalidAt("body", codeOneOfFive, nil)
	case of.All():
		return of, b.other().check()
	case b.Keys != nil || b.Subject != nil || b.Type != nil && b.Scope != nil:
		return of, invalidAt("body", codeOneOfFive, nil)
	case b.Upto != nil && *b.Upto == "":
		return of, invalidAt("body.upto", notifier.CodeRequired, nil)
	case b.Type != nil && !notifier.ValidType(*b.Type):
		return of, invalidAt("body.type", notifier.CodeBadType, nil)
	case b.Scope != nil && !notifier.ValidScope(*b.Scope):
		return of, invalidAt("body.scope", notifier.CodeBadScope, nil)
	}
	return of, nil
}

func (m *me) read(ctx context.Context, in *meReadInput) (*badgeOutput, error) {
	body := &in.Payload.Value
	of, err := body.section()
	if err != nil {
		return nil, err
	}
	return m.change(ctx, func(seq int64) (notifier.Badge, error) {
		if of.All() {
			return m.readBy(ctx, seq, body.other(), ownApp(ctx))
		}
		upto := ""
		if body.Upto != nil {
			upto = string(*body.Upto)
		}
		return m.Inbox.ReadSection(ctx, seq, of, upto)
	})
}

// ownApp returns the number of the app of the token that makes a call, or 0 for a session.
func ownApp(ctx context.Context) int64 {
	if token := askerOf(ctx).Token; token != nil {
		return token.App.ID
	}
	return 0
}

type seenBody struct {
	Subject string `json:"subject" minLength:"1" maxLength:"200" doc:"The subject of the notices."`
}

type seenInput struct{ Payload payload[seenBody] }

func (m *me) seen(ctx context.Context, in *seenInput) (*badgeOutput, error) {
	body := readBody{Subject: &in.Payload.Value.Subject}
	if err := body.check(); err != nil {
		return nil, err
	}
	return m.change(ctx, func(seq int64) (notifier.Badge, error) { return m.readBy(ctx, seq, &body, ownApp(ctx)) })
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

func (m *me) archive(ctx context.Context, in *keysInput) (*badgeOutput, error) {
	return m.changeKeys(ctx, in, func(seq int64, keys []string) (notifier.Badge, error) {
		_, badge, err := m.Inbox.Archive(ctx, seq, keys)
		return badge, err
	})
}

func (m *me) unarchive(ctx context.Context, in *keysInput) (*badgeOutput, error) {
	return m.changeKeys(ctx, in, func(seq int64, keys []string) (notifier.Badge, error) {
		_, badge, err := m.Inbox.Unarchive(ctx, seq, keys)
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
