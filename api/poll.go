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

// pollInput is what a poll asks for.
type pollInput struct {
	Name        string `path:"name" doc:"The user."`
	Since       string `query:"since" doc:"Only what came later: newest of an earlier answer, or a time (RFC 3339). Without it: the last three days."`
	Scope       string `query:"scope" pattern:"^[A-Za-z0-9_.-]{0,64}$" patternDescription:"a scope" doc:"Only notices of this scope."`
	After       string `query:"after" doc:"The next page: next of the page before. A cursor that was not given out for this user and scope is the first page."`
	Limit       int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Notices in one answer, at most."`
	Accept      string `header:"Accept" doc:"application/xml: the answer is XML instead of JSON."`
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer. While it is still right the answer is 304, without a body."`
}

// pollOutput is the answer as it goes out.
type pollOutput struct {
	Status       int
	ContentType  string `header:"Content-Type" hidden:"true"`
	ETag         string `header:"ETag" doc:"Of the answer, in this form."`
	CacheControl string `header:"Cache-Control" hidden:"true"`
	Vary         string `header:"Vary" hidden:"true"`
	Body         []byte
}

// poll answers what is new in an inbox. It reads nothing, as far as the user is
// concerned.
func (u *users) poll(ctx context.Context, in *pollInput) (*pollOutput, error) {
	q, err := u.query(in)
	if err != nil {
		return nil, err
	}
	var out *pollOutput
	err = u.known.serve(ctx, in.Name, func(who person) (err error) {
		out, err = u.pollFor(ctx, who, q, in)
		return err
	})
	return out, err
}

func (u *users) pollFor(ctx context.Context, who person, q notifier.PollQuery, in *pollInput) (*pollOutput, error) {
	var newest int64 // of the first page: what comes while somebody turns pages is for the next time
	q.After, newest = parseCursor(who.Seq, in.Scope, in.After)
	wait := u.countBoard(ctx, who)
	found, err := u.Inbox.Poll(ctx, who.Seq, q)
	board, boardErr := wait()
	switch {
	case err != nil:
		return nil, err
	case boardErr != nil:
		return nil, boardErr
	}
	if q.After == 0 {
		newest = u.newestOf(&found, q.Since, in.Since == "")
	}
	answer := pollAnswer{
		Unread: found.Unread + board.Announcements, Newest: newest, Next: cursor(who.Seq, in.Scope, found.Next, newest),
		Notices: make([]pollNotice, len(found.Entries)),
	}
	for i := range found.Entries {
		answer.Notices[i] = newPollNotice(&found.Entries[i])
	}
	answer.Summary = summary(u.texts.For(who.locale, ""), answer.Unread, found.Entries)
	return respond(&answer, in)
}

// query is what an inbox is asked for, but for the place where a page begins.
func (u *users) query(in *pollInput) (q notifier.PollQuery, err error) {
	q = notifier.PollQuery{Scope: in.Scope, Limit: in.Limit}
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

// newestOf is what to ask with next time. Three days ago moves on with the clock;
// where nothing came since then, the version of the inbox does as well, and an
// answer that says the same as before stays the same. A time to come would keep all
// that comes before it from who asks with it again.
func (u *users) newestOf(found *notifier.Poll, since int64, recent bool) int64 {
	ahead := since > found.Ver && since > u.Now().UnixMilli()
	if ahead || recent && found.Newest == since {
		return found.Ver
	}
	return found.Newest
}

// respond gives the answer its form and its tag.
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

// etag is the tag of an answer: strong, as JSON and XML have one each.
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// holds says whether the header If-None-Match names the tag.
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

// registerPoll adds the call, and says of its answers what types do not say.
func registerPoll(u *users) error {
	const path = userPath + "/notices"
	register(u.server, call{
		id: "poll", group: groupUsers, method: http.MethodGet, path: path, scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "What is new in an inbox",
		about: "Newest first, with the number on the bell and a line for a status bar. Ask with `newest` as `since` the next time; with `ETag` as " +
			"`If-None-Match` the answer is 304 while nothing has changed. A poll marks nothing as read. What has expired is not there. `Accept: application/xml` brings XML.",
		also:   []int{http.StatusNotModified},
		errors: []int{http.StatusNotFound},
		examples: []example{
			{name: "recent", summary: "The last three days", params: map[string]string{"name": "bob"}},
			{name: "since", summary: "What came after an earlier poll", params: map[string]string{"name": "bob", "since": "1763800000000"}},
			{name: "warehouse", summary: "A page about one warehouse", params: map[string]string{"name": "carol", "scope": "119240", "limit": "10"}},
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
			Schema:  &huma.Schema{Type: huma.TypeString, Description: "The same words as elements below `poll`; each notice is `notices/notice`."},
			Example: string(asXML),
		},
	}
	return nil
}

// examplePoll is an answer for the document to show.
func examplePoll() *pollAnswer {
	return &pollAnswer{
		Unread: 3, Newest: 1763800000000, Summary: "3 unread, newest: Aisle 7 needs restocking",
		Notices: []pollNotice{{
			Key: "rep_notice:aisle:7", ID: 124, Type: "rep_notice", Scope: "119240", Title: "Aisle 7 needs restocking",
			Body: "Only 12 units of item 40-118 are left.", CreatedAt: "2025-11-22T08:26:40.000Z", ExpiresAt: "2025-11-25T08:26:40.000Z", Reason: "role:picker",
		}},
	}
}
