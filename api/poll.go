package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// pollInput holds the parameters of a poll.
type pollInput struct {
	Name        string `path:"name" doc:"The name of the user."`
	Since       string `query:"since" doc:"Only notices that came later than this: the value of newest from an earlier answer, or an RFC 3339 time. Default: the last three days."`
	Scope       string `query:"scope" pattern:"^[A-Za-z0-9_.-]{0,64}$" patternDescription:"a scope" doc:"Only notices of this scope."`
	Type        string `query:"type" doc:"Only notices of this type. No notice has an unknown type."`
	Text        string `query:"q" doc:"Only notices with this in the title or the text, ignoring case. Nothing matches more than 100 characters."`
	After       string `query:"after" doc:"For the next page: the value of next from the previous page. A cursor that was not issued for this user, scope, type and q leads to the first page."`
	Limit       int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Maximum number of notices in one answer."`
	Accept      string `header:"Accept" doc:"With application/xml, the answer is XML instead of JSON."`
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer. If it is still current, the answer is 304 without a body."`
}

// pollOutput is the encoded answer to a poll.
type pollOutput struct {
	Status       int
	ContentType  string `header:"Content-Type" hidden:"true"`
	ETag         string `header:"ETag" doc:"Identifies the answer in this format, for If-None-Match."`
	CacheControl string `header:"Cache-Control" hidden:"true"`
	Vary         string `header:"Vary" hidden:"true"`
	Body         []byte
}

// poll returns the new notices in an inbox. It does not mark them as read.
func (u *users) poll(ctx context.Context, in *pollInput) (*pollOutput, error) {
	q, err := u.query(in)
	if err != nil {
		return nil, err
	}
	var out *pollOutput
	err = u.known.serve(ctx, in.Name, func(who knownUser) (err error) {
		out, err = u.pollFor(ctx, who, q, in)
		return err
	})
	return out, err
}

func (u *users) pollFor(ctx context.Context, who knownUser, q notifier.PollQuery, in *pollInput) (*pollOutput, error) {
	var newest int64 // from the first page: notices that come while the caller pages belong to the next poll
	q.After, newest = parseCursor(who.Seq, in.selection(), in.After)
	wait := u.countAnnouncements(ctx, who)
	found, err := u.Inbox.Poll(ctx, who.Seq, q)
	announcements, announcementsErr := wait()
	switch {
	case err != nil:
		return nil, err
	case announcementsErr != nil:
		return nil, announcementsErr
	}
	if q.After == 0 {
		newest = u.newestOf(&found, q.Since, in.Since == "")
	}
	announcements.SetInbox(found.Unread, found.Ver)
	answer := pollAnswer{
		Unread: announcements.Unread, Newest: newest, Next: cursor(who.Seq, in.selection(), found.Next, newest),
		Notices: make([]pollNotice, len(found.Entries)),
	}
	mine, err := u.answersOf(ctx, who.Seq, found.Entries)
	if err != nil {
		return nil, err
	}
	text := u.texts.For(who.locale, "")
	for i := range found.Entries {
		found.Entries[i].NameSomebody(text.T("inbox.somebody"))
		answer.Notices[i] = newPollNotice(&found.Entries[i], u.appOf(ctx, found.Entries[i].App))
		answer.Notices[i].Ask.own(mine)
	}
	answer.Summary = summary(text, answer.Unread, found.Entries)
	return respond(&answer, in)
}

// query converts the parameters to a query of the inbox, except for the cursor.
func (u *users) query(in *pollInput) (q notifier.PollQuery, err error) {
	q = notifier.PollQuery{Scope: in.Scope, Limit: in.Limit, Filter: notifier.Filter{Type: in.Type, Text: in.Text}}
	if in.Since == "" {
		q.Since = u.Now().Add(-pollSince).UnixMilli()
		return q, nil
	}
	var ok bool
	if q.Since, ok = parseSince(in.Since); !ok {
		return q, invalidAt("query.since", codeBadSince, nil)
	}
	return q, nil
}

// newestOf returns the value of since for the next poll. If nothing came within the default
// three days, it is the version of the inbox: a value that moves with the clock would change
// the ETag of an answer with the same content. A since in the future is also replaced by the
// version, as a caller who repeated it would miss everything that comes before that time.
func (u *users) newestOf(found *notifier.Poll, since int64, recent bool) int64 {
	ahead := since > found.Ver && since > u.Now().UnixMilli()
	if ahead || recent && found.Newest == since {
		return found.Ver
	}
	return found.Newest
}

// respond encodes the answer and adds its ETag.
func respond(a *pollAnswer, in *pollInput) (*pollOutput, error) {
	asXML := prefersXML(in.Accept)
	body, err := a.encode(asXML)
	if err != nil {
		return nil, err
	}
	out := &pollOutput{Status: http.StatusOK, ETag: etag(body), CacheControl: "private, no-cache", Vary: "Accept, Authorization"}
	if holds(in.IfNoneMatch, out.ETag) {
		out.Status = http.StatusNotModified
		return out, nil
	}
	out.Body, out.ContentType = body, typeJSON
	if asXML {
		out.ContentType = typeXML + "; charset=utf-8"
	}
	return out, nil
}

// etag returns the ETag of a body. It is strong: JSON and XML have different ones.
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// holds reports whether the header If-None-Match contains the tag.
func holds(header, tag string) bool {
	if header == "" {
		return false
	}
	for held := range strings.SplitSeq(header, ",") {
		held = strings.TrimSpace(held)
		if strings.TrimPrefix(held, "W/") == tag || held == "*" {
			return true
		}
	}
	return false
}

// registerPoll adds the call and describes its answers, which no Go type does.
func registerPoll(u *users) error {
	const path = userPath + "/notices"
	register(u.server, call{
		id: "poll", group: groupUsers, method: http.MethodGet, path: path, scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "Poll an inbox",
		about: "Returns new notices, newest first, with the badge (the number on the bell) and a line for a status bar. Send `newest` as `since` in the next poll. " +
			"With the `ETag` as `If-None-Match`, the answer is 304 if nothing has changed. A poll marks nothing as read and leaves out expired notices. `Accept: application/xml` asks for XML.",
		also:   []int{http.StatusNotModified},
		errors: []int{http.StatusNotFound},
		examples: []example{
			{name: "recent", summary: "The last three days", params: map[string]string{"name": "bob"}},
			{name: "since", summary: "Notices since an earlier poll", params: map[string]string{"name": "bob", "since": "1763800000000"}},
			{name: "warehouse", summary: "One page for one warehouse", params: map[string]string{"name": "carol", "scope": "119240", "limit": "10"}},
			{name: "search", summary: "Late orders that mention a warehouse", params: map[string]string{"name": "bob", "type": "order.late", "q": "warehouse 7"}},
			{name: "xml", summary: "As XML", params: map[string]string{"name": "bob", "Accept": typeXML}},
		},
	}, u.poll)
	asXML, err := examplePoll().encode(true)
	if err != nil {
		return err
	}
	op := u.operation(http.MethodGet, prefix+path)
	registry := u.api.OpenAPI().Components.Schemas
	op.Responses["200"].Content = map[string]*huma.MediaType{
		typeJSON: {Schema: registry.Schema(reflect.TypeFor[pollAnswer](), true, "PollAnswer")},
		typeXML: {
			Schema:  &huma.Schema{Type: huma.TypeString, Description: "The same fields as elements below `poll`; each notice is a `notices/notice`."},
			Example: string(asXML),
		},
	}
	return nil
}

// examplePoll returns the example answer in the document.
func examplePoll() *pollAnswer {
	return &pollAnswer{
		Unread: 3, Newest: 1763800000000, Summary: "3 unread, newest: Aisle 7 needs restocking",
		Notices: []pollNotice{{
			Key: "rep_notice:aisle:7", ID: 124, Type: "rep_notice", Scope: "119240", Title: "Aisle 7 needs restocking",
			Body: "Only 12 units of item 40-118 are left.", CreatedAt: "2025-11-22T08:26:40.000Z", ExpiresAt: "2025-11-25T08:26:40.000Z", Reason: "role:picker",
		}},
	}
}
