package api

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

type meNoticesInput struct {
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer. If it is still current, the answer is 304 without a body."`

	Filter string `query:"filter" enum:"all,unread,archived,later" default:"all" doc:"unread: only unread notices; archived: those in your archive; later: those that are snoozed. Both count as read."`
	SectionInput
	LanguageInput
	Text   string `query:"q" doc:"Only notices with this in the title or the text, ignoring case. Nothing matches more than 100 characters."`
	Before int64  `query:"before" minimum:"0" doc:"Only notices with a lower at: next of the previous page."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"30" doc:"Maximum number of notices in one answer."`
}

// LanguageInput has the languages of the browser. It is exported because Huma leaves out embedded types that are not.
type LanguageInput struct {
	AcceptLanguage string `header:"Accept-Language" doc:"For the name of an actor who was deleted, if you have chosen no language."`
}

// meNotices is one page of an inbox.
type meNotices struct {
	Notices []meNotice  `json:"notices" nullable:"false" doc:"Newest first."`
	Badge   badgeAnswer `json:"badge" doc:"The number on the bell."`
	Next    *int64      `json:"next" doc:"The value of before for the next page; null on the last page."`
}

// meNotice is a notice in an inbox.
type meNotice struct {
	Key       string  `json:"key" doc:"Identifies the notice in this inbox. Made of its type and subject, and of the app that sent it; take it as it is."`
	ID        int64   `json:"id" doc:"The ID of the notice."`
	At        int64   `json:"at" doc:"The place of the notice in the inbox: higher is newer."`
	Type      string  `json:"type" doc:"The type of the notice."`
	Scope     string  `json:"scope" doc:"The part of the application that the notice belongs to, such as a warehouse; may be empty."`
	Title     string  `json:"title" doc:"One line."`
	Body      string  `json:"body" doc:"Text; lines end with a line feed. May be empty."`
	Link      string  `json:"link" doc:"An address, or a path that begins with /; may be empty. A link of an app is an address on its pages."`
	Read      bool    `json:"read" doc:"Whether you have read it."`
	New       bool    `json:"new" doc:"This opening marked it as read."`
	CreatedAt string  `json:"created_at" format:"date-time" doc:"When the notice was accepted."`
	ExpiresAt string  `json:"expires_at,omitempty" format:"date-time" doc:"When the notice leaves the inbox."`
	Until     string  `json:"until,omitempty" format:"date-time" doc:"When a snoozed notice comes back."`
	Reason    string  `json:"reason" doc:"Why you received it: user, role:NAME or topic:TYPE:SCOPE."`
	App       *rowApp `json:"app" doc:"The app that sent it; null if none did."`
	RowExtras
}

func newMeNotice(e *notifier.Entry, app *rowApp) meNotice {
	n := meNotice{
		Key: e.Key, ID: e.NoticeID, At: e.At, Type: e.Type, Scope: e.Scope, Title: e.Title, Body: e.Body, Link: e.Link,
		Read: e.Read || e.New, New: e.New, CreatedAt: rfc3339(e.CreatedAt), Reason: e.Reason, App: app, RowExtras: newRowExtras(e),
	}
	if !e.Until.IsZero() {
		n.Until = rfc3339(e.Until)
	}
	if !e.ExpiresAt.IsZero() {
		n.ExpiresAt = rfc3339(e.ExpiresAt)
	}
	return n
}

func (m *me) notices(ctx context.Context, in *meNoticesInput) (*tagged[meNotices], error) {
	of, err := in.section()
	if err != nil {
		return nil, err
	}
	page, err := m.page(ctx, in.AcceptLanguage, func(seq int64) (notifier.Page, error) {
		return m.Inbox.Look(ctx, seq, notifier.Query{
			Before: in.Before, Limit: in.Limit, Unread: in.Filter == "unread", Archived: in.Filter == "archived", Later: in.Filter == "later",
			Filter: notifier.Filter{Section: of, Text: in.Text},
		})
	})
	if err != nil {
		return nil, err
	}
	return tag(page, in.IfNoneMatch)
}

type openOutput struct{ Body *meNotices }

type meOpenInput struct {
	SectionInput
	LanguageInput
}

func (m *me) open(ctx context.Context, in *meOpenInput) (*openOutput, error) {
	of, err := in.section()
	if err != nil {
		return nil, err
	}
	page, err := m.page(ctx, in.AcceptLanguage, func(seq int64) (notifier.Page, error) {
		switch {
		case askerOf(ctx).User.OpensOnly:
			return m.Inbox.Look(ctx, seq, notifier.Query{Filter: notifier.Filter{Section: of}})
		case of.All():
			return m.Inbox.Open(ctx, seq)
		}
		return m.Inbox.OpenSection(ctx, seq, of)
	})
	if err != nil {
		return nil, err
	}
	return &openOutput{page}, nil
}

// page turns a page of the inbox of the user who is asking into an answer.
func (m *me) page(ctx context.Context, languages string, read func(seq int64) (notifier.Page, error)) (*meNotices, error) {
	who := askerOf(ctx)
	var page notifier.Page
	badge, err := m.whole(ctx, who, func() (b notifier.Badge, err error) {
		page, err = read(who.User.Seq)
		b.SetInbox(page.Unread, page.Ver)
		return b, err
	})
	if err != nil {
		return nil, err
	}
	mine, err := m.answersOf(ctx, who.User.Seq, page.Entries)
	if err != nil {
		return nil, err
	}
	somebody := m.texts.For(who.User.Locale, languages).T("inbox.somebody")
	answer := &meNotices{Notices: make([]meNotice, len(page.Entries)), Badge: badgeAnswer(badge)}
	for i := range page.Entries {
		page.Entries[i].NameSomebody(somebody)
		answer.Notices[i] = newMeNotice(&page.Entries[i], m.appOf(ctx, page.Entries[i].App))
		answer.Notices[i].Ask.own(mine)
	}
	if page.Older > 0 {
		answer.Next = &page.Older
	}
	return answer, nil
}
