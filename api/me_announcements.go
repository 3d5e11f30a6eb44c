package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/markdown"
)

// maxOwnAnnouncements is how many announcements one call can change.
const maxOwnAnnouncements = 100

type upToAnnouncements struct{}

func (upToAnnouncements) most() int { return maxOwnAnnouncements }

// registerMeAnnouncements adds the calls about the announcements that the user who is asking sees.
func registerMeAnnouncements(m *me) {
	register(m.server, call{
		id: "me-announcements", group: groupMe, method: http.MethodGet, path: mePath + "/announcements", user: true, status: http.StatusOK,
		summary: "List the announcements that you see",
		about: "All that are open for your audience: pinned ones first, then the latest first. `body` is a tree of nodes, so that no page has to insert HTML: " +
			"each `type` is the name of an element (p, h2, h3, h4, ul, ol, li, blockquote, pre, hr, br, em, strong, code, a, img), or `text`.",
		also:     []int{http.StatusNotModified},
		examples: []example{{name: "list", summary: "All of them"}},
	}, m.announcements)
	register(m.server, call{
		id: "me-announcements-read", group: groupMe, method: http.MethodPost, path: mePath + "/announcements/read", user: true, status: http.StatusOK,
		summary:  "Mark announcements as read",
		about:    "The body has either `ids` or `all`. IDs of announcements that you do not see are skipped; if you see none of them, the answer is 404. Otherwise it is the resulting badge.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "all", summary: "All of them", body: `{"all": true}`}},
	}, m.readAnnouncements)
	register(m.server, call{
		id: "me-announcements-unread", group: groupMe, method: http.MethodPost, path: mePath + "/announcements/unread", user: true, status: http.StatusOK,
		summary:  "Mark announcements as unread",
		about:    "IDs of announcements that you do not see are skipped; if you see none of them, the answer is 404. Otherwise it is the resulting badge.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "ids", summary: "One announcement", body: `{"ids": [3]}`}},
	}, m.unreadAnnouncements)
}

// meAnnouncements are the announcements that a user sees.
type meAnnouncements struct {
	Announcements []meAnnouncement `json:"announcements" nullable:"false" doc:"Pinned ones first, then the latest first."`
	Badge         badgeAnswer      `json:"badge" doc:"The number on the bell."`
}

// meAnnouncement is an announcement as a user sees it.
type meAnnouncement struct {
	ID    int64      `json:"id" doc:"The ID of the announcement."`
	App   *rowApp    `json:"app" doc:"The app that sent it; null if none did."`
	Type  string     `json:"type" doc:"The type of the announcement."`
	Title string     `json:"title" doc:"One line."`
	Body  []textNode `json:"body" nullable:"false" doc:"The text, as a tree of nodes."`
	Link  string     `json:"link" doc:"An address, or a path that begins with /; may be empty. A link of an app is an address on its pages."`
	ExtrasOutput
	Pinned    bool   `json:"pinned" doc:"It stands above the others, and on every page until it is read."`
	Read      bool   `json:"read" doc:"Whether you have read it."`
	StartsAt  string `json:"starts_at" format:"date-time" doc:"When it opened."`
	EndsAt    string `json:"ends_at,omitempty" format:"date-time" doc:"When it closes."`
	CreatedAt string `json:"created_at" format:"date-time" doc:"When it was accepted."`
	EditedAt  string `json:"edited_at,omitempty" format:"date-time" doc:"When it was last edited while it was open."`
}

// textNode is a part of a text: an element or text.
type textNode struct {
	Type     string     `json:"type" doc:"The name of an element, or text."`
	Text     string     `json:"text,omitempty" doc:"Of a text."`
	Href     string     `json:"href,omitempty" doc:"Of an a: an address, or a path that begins with one slash."`
	Start    int        `json:"start,omitempty" doc:"Of an ol: its first number, unless that is 1."`
	Src      string     `json:"src,omitempty" doc:"Of an img: an https address on one of the hosts of --image-hosts."`
	Alt      string     `json:"alt,omitempty" doc:"Of an img: its description."`
	Children []textNode `json:"children,omitempty" nullable:"false" doc:"What the element contains."`
}

func newTextNodes(nodes []markdown.Node) []textNode {
	list := make([]textNode, len(nodes))
	for i, n := range nodes {
		list[i] = textNode{Type: n.Type, Text: n.Text, Href: n.Href, Start: n.Start, Src: n.Src, Alt: n.Alt, Children: newTextNodes(n.Children)}
	}
	return list
}

func (m *me) announcements(ctx context.Context, in *taggedInput) (*tagged[meAnnouncements], error) {
	who := askerOf(ctx)
	open, err := m.Announcements.List(ctx, who.Reader())
	if err != nil {
		return nil, err
	}
	badges, err := m.Inbox.Badges(ctx, []int64{who.User.Seq})
	if err != nil {
		return nil, err
	}
	badge := badges[0]
	badge.SetAnnouncements(open.Unread, open.AVer)
	answer := &meAnnouncements{Announcements: make([]meAnnouncement, len(open.Items)), Badge: badgeAnswer(badge)}
	for i := range open.Items {
		if answer.Announcements[i], err = m.announcement(ctx, &open.Items[i]); err != nil {
			return nil, err
		}
	}
	return tag(answer, in.IfNoneMatch)
}

func (m *me) announcement(ctx context.Context, a *notifier.OpenAnnouncement) (meAnnouncement, error) {
	nodes, err := m.markdown.Nodes(a.Body, m.Tokens.Named(ctx, a.App))
	shown := meAnnouncement{
		ID: a.ID, App: m.appOf(ctx, a.App), Type: a.Type, Title: a.Title, Body: newTextNodes(nodes), Link: a.Link, ExtrasOutput: newExtrasOutput(&a.Extras), Pinned: a.Pinned, Read: a.Read,
		StartsAt: rfc3339(a.StartsAt), CreatedAt: rfc3339(a.CreatedAt),
	}
	if !a.EndsAt.IsZero() {
		shown.EndsAt = rfc3339(a.EndsAt)
	}
	if !a.EditedAt.IsZero() {
		shown.EditedAt = rfc3339(a.EditedAt)
	}
	return shown, err
}

type readAnnouncementsBody struct {
	IDs bounded[int64, upToAnnouncements] `json:"ids,omitempty" nullable:"false" minItems:"1" doc:"The IDs of the announcements."`
	All bool                              `json:"all,omitempty" doc:"true: all announcements that you see."`
}

type readAnnouncementsInput struct {
	Payload payload[readAnnouncementsBody]
}

func (m *me) readAnnouncements(ctx context.Context, in *readAnnouncementsInput) (*badgeOutput, error) {
	body := &in.Payload.Value
	if body.All == (len(body.IDs) > 0) {
		return nil, invalidAt("body", codeIDsOrAll, nil)
	}
	if body.All {
		return m.changeAnnouncements(ctx, func(r notifier.Reader) (notifier.Badge, error) {
			_, badge, err := m.Announcements.ReadAll(ctx, r)
			return badge, err
		})
	}
	return m.changeEach(ctx, body.IDs, m.Announcements.MarkRead)
}

type announcementsBody struct {
	IDs bounded[int64, upToAnnouncements] `json:"ids" minItems:"1" doc:"The IDs of the announcements."`
}

type announcementsInput struct{ Payload payload[announcementsBody] }

func (m *me) unreadAnnouncements(ctx context.Context, in *announcementsInput) (*badgeOutput, error) {
	ids := in.Payload.Value.IDs
	if len(ids) == 0 {
		return nil, invalidAt("body.ids", notifier.CodeRequired, nil)
	}
	return m.changeEach(ctx, ids, m.Announcements.MarkUnread)
}

// changeEach changes the announcements that the user sees among these.
func (m *me) changeEach(
	ctx context.Context, ids []int64, do func(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error),
) (*badgeOutput, error) {
	return m.changeAnnouncements(ctx, func(r notifier.Reader) (badge notifier.Badge, err error) {
		seen := false
		for _, id := range ids {
			next, err := do(ctx, r, id)
			switch {
			case errors.Is(err, notifier.ErrNotFound):
			case err != nil:
				return badge, err
			default:
				badge, seen = next, true
			}
		}
		if !seen {
			err = notifier.ErrNotFound
		}
		return badge, err
	})
}

// changeAnnouncements answers with the badge after a change, which returns the announcements' half.
func (m *me) changeAnnouncements(ctx context.Context, do func(r notifier.Reader) (notifier.Badge, error)) (*badgeOutput, error) {
	who := askerOf(ctx)
	half, err := do(who.Reader())
	if err != nil {
		return nil, err
	}
	badges, err := m.Inbox.Badges(ctx, []int64{who.User.Seq})
	if err != nil {
		return nil, err
	}
	badge := badges[0]
	badge.SetAnnouncements(half.Announcements, half.AVer)
	return &badgeOutput{badgeAnswer(badge)}, nil
}
