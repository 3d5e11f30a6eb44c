package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/markdown"
)

const groupMe = "Me"

// me answers the calls that users make for themselves.
type me struct {
	*users
	markdown *markdown.Markdown
}

// registerMe adds the calls below /me.
func registerMe(u *users) {
	m := &me{u, markdown.New(u.LinkHosts, u.ImageHosts, "")}
	register(u.server, call{
		id: "get-me", group: groupMe, method: http.MethodGet, path: mePath, user: true, status: http.StatusOK,
		summary:  "Who is asking",
		about:    "The user of the token, with the badge. `now` is the time of the server, to compare clocks.",
		examples: []example{{name: "me", summary: "The user of the token"}},
	}, m.self)
	register(u.server, call{
		id: "me-badge", group: groupMe, method: http.MethodGet, path: mePath + "/badge", user: true, status: http.StatusOK,
		summary: "Get your badge",
		about:   "With the `ETag` as `If-None-Match`, the answer is 304 if nothing has changed. With `type`, `scope` or `app`, it is the badge of these notices, and `announcements` is 0.",
		also:    []int{http.StatusNotModified},
		examples: []example{
			{name: "badge", summary: "Your badge"},
			{name: "workspace", summary: "The badge of one workspace", params: map[string]string{"scope": "119240"}},
		},
	}, m.badge)
	register(m.server, call{
		id: "me-counts", group: groupMe, method: http.MethodGet, path: mePath + "/counts", user: true, status: http.StatusOK,
		summary:  "Count your notices by type, scope or app",
		about:    "Counts what is in the inbox, without the archive. Notices without a scope or app are counted under the empty name. With the `ETag` as `If-None-Match`, the answer is 304 if nothing has changed.",
		also:     []int{http.StatusNotModified},
		examples: []example{{name: "types", summary: "How many of each type", params: map[string]string{"by": "type"}}},
	}, m.counts)
	register(u.server, call{
		id: "me-notices", group: groupMe, method: http.MethodGet, path: mePath + "/notices", user: true, status: http.StatusOK,
		summary: "Look at your inbox",
		about:   "One page, newest first. It opens nothing and marks nothing as read. Send `next` as `before` for the next page. With `type`, `scope`, `app` or `q`, the newest 200 notices are searched.",
		also:    []int{http.StatusNotModified},
		examples: []example{
			{name: "unread", summary: "What you have not read", params: map[string]string{"filter": "unread", "limit": "10"}},
			{name: "types", summary: "Comments and likes that mention a photo", params: map[string]string{"type": "comment,like", "q": "photo"}},
			{name: "later", summary: "What is snoozed", params: map[string]string{"filter": "later"}},
			{name: "archived", summary: "The archive of one workspace", params: map[string]string{"filter": "archived", "scope": "119240"}},
		},
	}, m.notices)
	register(u.server, call{
		id: "me-open", group: groupMe, method: http.MethodPost, path: mePath + "/open", user: true, status: http.StatusOK,
		summary:  "Open your inbox",
		about:    "Marks every notice as read, except those that you marked as unread, and none if your settings say so, and returns the first page: `new` marks the notices that were unread. With `type`, `scope` or `app`, it marks these notices only; the page has those among the newest 200 notices, and the badge is the whole one.",
		examples: []example{{name: "open", summary: "Open it"}, {name: "workspace", summary: "Open one workspace", params: map[string]string{"scope": "119240"}}},
	}, m.open)
	registerMeLooks(m)
	registerMeChanges(m)
	registerMeAnswers(m)
	registerMeTasks(m)
	registerMeAnnouncements(m)
	registerMeSettings(m)
	registerMePreferences(m)
	registerMeSessions(m)
	registerMeEvents(m)
	registerMePresence(m)
}

type meAnswer struct {
	ID       string      `json:"id" doc:"Your ID in the app."`
	Name     *string     `json:"name" doc:"Your name, or null."`
	Audience string      `json:"audience" doc:"The name of your audience."`
	Settings meSettings  `json:"settings" doc:"What you have chosen."`
	Types    []meType    `json:"types" nullable:"false" doc:"The types of notices."`
	Badge    badgeAnswer `json:"badge" doc:"The number on the bell."`
	Now      string      `json:"now" format:"date-time" doc:"The time of the server."`
}

// meType is a type of notice, as users see it.
type meType struct {
	Type    string `json:"type" doc:"The type."`
	Name    string `json:"name" doc:"Its name in your language."`
	Mutable bool   `json:"mutable" doc:"You may mute it."`
	Muted   bool   `json:"muted" doc:"You have muted it."`
}

type meOutput struct{ Body meAnswer }

type meInput struct {
	AcceptLanguage string `header:"Accept-Language" doc:"For the names of types, if you have chosen no language."`
}

func (m *me) self(ctx context.Context, in *meInput) (*meOutput, error) {
	who := askerOf(ctx)
	badge, err := m.badgeOf(ctx, who)
	if err != nil {
		return nil, err
	}
	u := &who.User
	types, err := m.types(ctx, u.Seq, m.texts.For(u.Locale, in.AcceptLanguage).Lang())
	if err != nil {
		return nil, err
	}
	a := meAnswer{
		ID: u.Name, Audience: audienceNames(m.Audiences, []notifier.Audience{u.Audience})[0], Badge: badgeAnswer(badge), Now: rfc3339(m.Now()),
		Settings: newMeSettings(u.Settings), Types: types,
	}
	if u.Display != "" {
		a.Name = &u.Display
	}
	return &meOutput{a}, nil
}

// types lists the types of notices in a language.
func (m *me) types(ctx context.Context, seq int64, lang string) ([]meType, error) {
	muted, err := m.Store.Mutes(ctx, seq)
	if err != nil {
		return nil, err
	}
	all := m.Topics.Types()
	types := make([]meType, len(all))
	for i, t := range all {
		types[i] = meType{Type: t.Slug, Name: m.Topics.Name(t.Slug, lang), Mutable: !t.NoMute, Muted: slices.Contains(muted, t.Slug)}
	}
	return types, nil
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

type meBadgeInput struct {
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer. If it is still current, the answer is 304 without a body."`
	SectionInput
}

func (m *me) badge(ctx context.Context, in *meBadgeInput) (*tagged[badgeAnswer], error) {
	of, err := in.section()
	if err != nil {
		return nil, err
	}
	var badge notifier.Badge
	if of.All() {
		badge, err = m.badgeOf(ctx, askerOf(ctx))
	} else {
		badge, err = m.Inbox.SectionBadge(ctx, askerOf(ctx).User.Seq, of)
	}
	if err != nil {
		return nil, err
	}
	answer := badgeAnswer(badge)
	return tag(&answer, in.IfNoneMatch)
}

func (m *me) badgeOf(ctx context.Context, who *notifier.Asker) (notifier.Badge, error) {
	return m.whole(ctx, who, func() (notifier.Badge, error) {
		badges, err := m.Inbox.Badges(ctx, []int64{who.User.Seq})
		if err != nil {
			return notifier.Badge{}, err
		}
		return badges[0], nil
	})
}

// whole adds the announcements' half to the inbox's half of a badge.
func (m *me) whole(ctx context.Context, who *notifier.Asker, inbox func() (notifier.Badge, error)) (notifier.Badge, error) {
	wait := m.countAnnouncements(ctx, knownUser{Reader: who.Reader()})
	b, err := inbox()
	announcements, announcementsErr := wait()
	b.SetAnnouncements(announcements.Announcements, announcements.AVer)
	return b, cmp.Or(err, announcementsErr)
}
