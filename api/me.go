package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

const groupMe = "Me"

// me answers the calls that users make for themselves.
type me struct {
	*users
}

// registerMe adds the calls below /me.
func registerMe(u *users) {
	m := &me{u}
	register(u.server, call{
		id: "get-me", group: groupMe, method: http.MethodGet, path: mePath, user: true, status: http.StatusOK,
		summary:  "Who is asking",
		about:    "The user of the token, with the badge. `now` is the time of the server, to compare clocks.",
		examples: []example{{name: "me", summary: "The user of the token"}},
	}, m.self)
	register(u.server, call{
		id: "me-badge", group: groupMe, method: http.MethodGet, path: mePath + "/badge", user: true, status: http.StatusOK,
		summary:  "Get your badge",
		about:    "With the `ETag` as `If-None-Match`, the answer is 304 if nothing has changed.",
		also:     []int{http.StatusNotModified},
		examples: []example{{name: "badge", summary: "Your badge"}},
	}, m.badge)
	register(u.server, call{
		id: "me-notices", group: groupMe, method: http.MethodGet, path: mePath + "/notices", user: true, status: http.StatusOK,
		summary:  "Look at your inbox",
		about:    "One page, newest first. It opens nothing and marks nothing as read. Send `next` as `before` for the next page.",
		also:     []int{http.StatusNotModified},
		examples: []example{{name: "unread", summary: "What you have not read", params: map[string]string{"filter": "unread", "limit": "10"}}},
	}, m.notices)
	register(u.server, call{
		id: "me-open", group: groupMe, method: http.MethodPost, path: mePath + "/open", user: true, status: http.StatusOK,
		summary:  "Open your inbox",
		about:    "Marks every notice as read, except those that you marked as unread, and returns the first page: `new` marks the notices that were unread.",
		examples: []example{{name: "open", summary: "Open it"}},
	}, m.open)
	registerMeChanges(m)
	registerMeEvents(m)
}

type meAnswer struct {
	ID       string      `json:"id" doc:"Your ID in the app."`
	Name     *string     `json:"name" doc:"Your name, or null."`
	Audience string      `json:"audience" doc:"The name of your audience."`
	Settings meSettings  `json:"settings" doc:"What you have chosen."`
	Badge    badgeAnswer `json:"badge" doc:"The number on the bell."`
	Now      string      `json:"now" format:"date-time" doc:"The time of the server."`
}

// meSettings are the settings of the user who is asking.
type meSettings struct {
	Locale string `json:"locale" doc:"Your language (BCP 47). Empty: the browser's."`
	Theme  string `json:"theme" enum:",light,dark" doc:"Empty: the system's."`
	Keys   bool   `json:"keys" doc:"Keyboard shortcuts are on."`
	Toasts bool   `json:"toasts" doc:"Toasts are on."`
}

type meOutput struct{ Body meAnswer }

func (m *me) self(ctx context.Context, _ *struct{}) (*meOutput, error) {
	who := askerOf(ctx)
	badge, err := m.badgeOf(ctx, who)
	if err != nil {
		return nil, err
	}
	u := &who.user
	a := meAnswer{
		ID: u.Name, Audience: audienceNames(m.Audiences, []notifier.Audience{u.Audience})[0], Badge: badgeAnswer(badge), Now: rfc3339(m.Now()),
		Settings: meSettings{Locale: u.Locale, Theme: u.Theme, Keys: !u.KeysOff, Toasts: !u.ToastsOff},
	}
	if u.Display != "" {
		a.Name = &u.Display
	}
	return &meOutput{a}, nil
}

// taggedInput is the header of calls that a client may repeat to see whether anything has changed.
type taggedInput struct {
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer. If it is still current, the answer is 304 without a body."`
}

// tagged is an answer with an ETag.
type tagged[T any] struct {
	Status       int
	ETag         string `header:"ETag" doc:"Identifies the answer, for If-None-Match."`
	CacheControl string `header:"Cache-Control" hidden:"true"`
	Vary         string `header:"Vary" hidden:"true"`
	Body         *T
}

func tag[T any](answer *T, given string) (*tagged[T], error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	out := &tagged[T]{Status: http.StatusOK, ETag: etag(text), CacheControl: "private, no-cache", Vary: "Authorization, Origin", Body: answer}
	if holds(given, out.ETag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}

func (m *me) badge(ctx context.Context, in *taggedInput) (*tagged[badgeAnswer], error) {
	badge, err := m.badgeOf(ctx, askerOf(ctx))
	if err != nil {
		return nil, err
	}
	answer := badgeAnswer(badge)
	return tag(&answer, in.IfNoneMatch)
}

func (m *me) badgeOf(ctx context.Context, who *asker) (notifier.Badge, error) {
	return m.whole(ctx, who, func() (notifier.Badge, error) {
		badges, err := m.Inbox.Badges(ctx, []int64{who.user.Seq})
		if err != nil {
			return notifier.Badge{}, err
		}
		return badges[0], nil
	})
}

// whole adds the announcements' half to the inbox's half of a badge.
func (m *me) whole(ctx context.Context, who *asker, inbox func() (notifier.Badge, error)) (notifier.Badge, error) {
	wait := m.countAnnouncements(ctx, knownUser{Reader: who.reader()})
	b, err := inbox()
	announcements, announcementsErr := wait()
	b.SetAnnouncements(announcements.Announcements, announcements.AVer)
	return b, cmp.Or(err, announcementsErr)
}

type meNoticesInput struct {
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer. If it is still current, the answer is 304 without a body."`

	Filter string `query:"filter" enum:"all,unread" default:"all" doc:"unread: only unread notices."`
	Before int64  `query:"before" minimum:"0" doc:"Only notices with a lower at: next of the previous page."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"30" doc:"Maximum number of notices in one answer."`
}

// meNotices is one page of an inbox.
type meNotices struct {
	Notices []meNotice  `json:"notices" nullable:"false" doc:"Newest first."`
	Badge   badgeAnswer `json:"badge" doc:"The number on the bell."`
	Next    *int64      `json:"next" doc:"The value of before for the next page; null on the last page."`
}

// meNotice is a notice in an inbox.
type meNotice struct {
	Key       string `json:"key" doc:"Identifies the notice in this inbox: its type and subject."`
	ID        int64  `json:"id" doc:"The ID of the notice."`
	At        int64  `json:"at" doc:"The place of the notice in the inbox: higher is newer."`
	Type      string `json:"type" doc:"The type of the notice."`
	Scope     string `json:"scope" doc:"The part of the application that the notice belongs to, such as a warehouse; may be empty."`
	Title     string `json:"title" doc:"One line."`
	Body      string `json:"body" doc:"Text; lines end with a line feed. May be empty."`
	Link      string `json:"link" doc:"A path that begins with /, or an https address; may be empty."`
	Read      bool   `json:"read" doc:"Whether you have read it."`
	New       bool   `json:"new" doc:"This opening marked it as read."`
	CreatedAt string `json:"created_at" format:"date-time" doc:"When the notice was accepted."`
	ExpiresAt string `json:"expires_at,omitempty" format:"date-time" doc:"When the notice leaves the inbox."`
	Reason    string `json:"reason" doc:"Why you received it: user, role:NAME or topic:TYPE:SCOPE."`
}

func newMeNotice(e *notifier.Entry) meNotice {
	n := meNotice{
		Key: e.Key, ID: e.NoticeID, At: e.At, Type: e.Type, Scope: e.Scope, Title: e.Title, Body: e.Body, Link: e.Link,
		Read: e.Read || e.New, New: e.New, CreatedAt: rfc3339(e.CreatedAt), Reason: e.Reason,
	}
	if !e.ExpiresAt.IsZero() {
		n.ExpiresAt = rfc3339(e.ExpiresAt)
	}
	return n
}

func (m *me) notices(ctx context.Context, in *meNoticesInput) (*tagged[meNotices], error) {
	page, err := m.page(ctx, func(seq int64) (notifier.Page, error) {
		return m.Inbox.Look(ctx, seq, notifier.Query{Before: in.Before, Unread: in.Filter == "unread", Limit: in.Limit})
	})
	if err != nil {
		return nil, err
	}
	return tag(page, in.IfNoneMatch)
}

type openOutput struct{ Body *meNotices }

func (m *me) open(ctx context.Context, _ *struct{}) (*openOutput, error) {
	page, err := m.page(ctx, func(seq int64) (notifier.Page, error) { return m.Inbox.Open(ctx, seq) })
	if err != nil {
		return nil, err
	}
	return &openOutput{page}, nil
}

// page turns a page of the inbox of the user who is asking into an answer.
func (m *me) page(ctx context.Context, read func(seq int64) (notifier.Page, error)) (*meNotices, error) {
	who := askerOf(ctx)
	var page notifier.Page
	badge, err := m.whole(ctx, who, func() (b notifier.Badge, err error) {
		page, err = read(who.user.Seq)
		b.SetInbox(page.Unread, page.Ver)
		return b, err
	})
	if err != nil {
		return nil, err
	}
	answer := &meNotices{Notices: make([]meNotice, len(page.Entries)), Badge: badgeAnswer(badge)}
	for i := range page.Entries {
		answer.Notices[i] = newMeNotice(&page.Entries[i])
	}
	if page.Older > 0 {
		answer.Next = &page.Older
	}
	return answer, nil
}
