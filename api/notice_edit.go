package api

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

type noticeIDInput struct {
	ID string `path:"id" doc:"The ID of the notice."`
}

type noticeResult struct {
	Body noticeOutput
}

// own returns a notice that the caller may see: one sent under the name of the caller's key,
// or any notice if the key has the scope admin. All others are notifier.ErrNotFound.
func (s *server) own(ctx context.Context, id string) (notifier.Progress, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number < 1 {
		return notifier.Progress{}, notifier.ErrNotFound
	}
	p, err := s.Notices.Progress(ctx, number)
	if err != nil {
		return p, err
	}
	if key := callerOf(ctx); !p.Sender.Is(senderOf(key)) && !key.Allows(notifier.ScopeAdmin) {
		return p, notifier.ErrNotFound
	}
	return p, nil
}

func (s *server) look(ctx context.Context, in *noticeIDInput) (*noticeResult, error) {
	p, err := s.own(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &noticeResult{s.noticeOutput(&p)}, nil
}

type editInput struct {
	ID      string `path:"id" doc:"The ID of the notice."`
	Payload payload[noticeEdit]
}

// noticeEdit holds the fields of a notice to change. Nil leaves a field as it is.
type noticeEdit struct {
	Revision *int64  `json:"revision,omitempty" minimum:"0" doc:"The revision that the edit is based on. If it is not the current one, the answer is 409. Default: the current revision."`
	Title    *string `json:"title,omitempty" doc:"The new title."`
	Body     *string `json:"body,omitempty" doc:"The new text."`
	Link     *string `json:"link,omitempty" doc:"The new link; empty for none."`
	ExtrasEdit
	SendAt      *string `json:"send_at,omitempty" doc:"Until the notice is sent: when to send it (RFC 3339). Of an announcement it is starts_at."`
	StartsAt    *string `json:"starts_at,omitempty" doc:"Announcements only: when it opens (RFC 3339)."`
	EndsAt      *string `json:"ends_at,omitempty" doc:"Announcements only: when it closes (RFC 3339)."`
	Pinned      *bool   `json:"pinned,omitempty" doc:"Announcements only: stays on every page until the reader has read it."`
	LateJoiners *bool   `json:"late_joiners,omitempty" doc:"Announcements only: also shown to users who join an audience after it opened."`
	Unread      *bool   `json:"unread,omitempty" doc:"Announcements only: true marks it as unread for everybody and resets its count of reads to 0. This is an edit even if nothing else changes. Badges follow within 5 seconds."`
}

// editTries bounds the attempts at an edit without a revision while others edit the same
// notice.
const editTries = 4

// edit changes the given fields of a notice and leaves the others as they are.
func (s *server) edit(ctx context.Context, in *editInput) (*noticeResult, error) {
	e := &in.Payload.Value
	for try := 1; ; try++ {
		p, err := s.own(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if e.Revision != nil && *e.Revision != p.Revision {
			return nil, notifier.ErrConflict
		}
		d, err := e.apply(&p.Notice)
		if err != nil {
			return nil, err
		}
		save := s.Notices.Edit
		if e.Unread != nil && *e.Unread {
			save = s.Notices.EditUnread
		}
		edited, err := save(ctx, s.actor(ctx), p.ID, p.Revision, d)
		if errors.Is(err, notifier.ErrConflict) && e.Revision == nil && try < editTries && s.moved(ctx, &p) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Notice = edited
		return &noticeResult{s.noticeOutput(&p)}, nil
	}
}

// moved reports whether the notice has been edited since it was read.
func (s *server) moved(ctx context.Context, p *notifier.Progress) bool {
	now, err := s.Notices.Progress(ctx, p.ID)
	return err == nil && now.Revision != p.Revision
}

// apply returns the notice's draft with the changes of the edit.
func (e *noticeEdit) apply(n *notifier.Notice) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := n.Draft
	for field, text := range map[*string]*string{&d.Title: e.Title, &d.Body: e.Body, &d.Link: e.Link} {
		if text != nil {
			*field = *text
		}
	}
	e.ExtrasEdit.apply(&d.Extras)
	if e.SendAt != nil {
		if d.SendAt = moment("send_at", *e.SendAt, &bad); *e.SendAt == "" {
			bad.Add("send_at", codeBadTime, nil)
		}
	}
	if !n.Announces() {
		e.refuseWindow(&bad)
		return d, bad.OrNil()
	}
	d.ExpiresIn = 0 // the window sets the end
	switch {
	case e.SendAt == nil:
		d.SendAt = time.Time{}
	case e.StartsAt == nil:
		d.StartsAt = time.Time{}
	}
	if e.StartsAt != nil {
		d.StartsAt = moment("starts_at", *e.StartsAt, &bad)
	}
	if e.EndsAt != nil {
		d.EndsAt = moment("ends_at", *e.EndsAt, &bad)
	}
	if e.Pinned != nil {
		d.Pinned = *e.Pinned
	}
	if e.LateJoiners != nil {
		d.LateJoiners = *e.LateJoiners
	}
	return d, bad.OrNil()
}

func (e *noticeEdit) refuseWindow(bad *notifier.InvalidError) {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"starts_at", e.StartsAt != nil}, {"ends_at", e.EndsAt != nil}, {"pinned", e.Pinned != nil}, {"late_joiners", e.LateJoiners != nil}, {"unread", e.Unread != nil},
	} {
		if f.given {
			bad.Add(f.name, codeOnlyWindow, nil)
		}
	}
}

// retract retracts a notice.
func (s *server) retract(ctx context.Context, in *noticeIDInput) (*struct{}, error) {
	p, err := s.own(ctx, in.ID)
	if err == nil {
		err = s.Notices.Retract(ctx, s.actor(ctx), p.ID)
	}
	return nil, err
}
