package api

import (
	"context"
	"errors"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

type noticeIDInput struct {
	ID string `path:"id" doc:"The number of the notice."`
}

type noticeResult struct {
	Body noticeOutput
}

// own finds a notice that the caller may see: one that was sent under the name of
// its key, or any for one with the scope admin.
func (s *server) own(ctx context.Context, id string) (notifier.Progress, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil || number < 1 {
		return notifier.Progress{}, notifier.ErrNotFound
	}
	p, err := s.Sender.Progress(ctx, number)
	if err != nil {
		return p, err
	}
	if key := callerOf(ctx); p.Sender != senderName(key) && !key.Allows(notifier.ScopeAdmin) {
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
	ID      string `path:"id" doc:"The number of the notice."`
	Payload payload[noticeEdit]
}

// noticeEdit is what is to be different about a notice.
type noticeEdit struct {
	Revision    *int64  `json:"revision,omitempty" minimum:"0" doc:"The revision that you saw: when it is not the present one the answer is 409. Without it: whatever it is."`
	Title       *string `json:"title,omitempty" doc:"Another title."`
	Body        *string `json:"body,omitempty" doc:"Another text."`
	Link        *string `json:"link,omitempty" doc:"Another link; empty for none."`
	StartsAt    *string `json:"starts_at,omitempty" doc:"To audiences only: when it opens."`
	EndsAt      *string `json:"ends_at,omitempty" doc:"To audiences only: when it is over."`
	Pinned      *bool   `json:"pinned,omitempty" doc:"To audiences only."`
	LateJoiners *bool   `json:"late_joiners,omitempty" doc:"To audiences only."`
}

// editTries is how often an edit without a revision is made anew when somebody
// else edits at the same time.
const editTries = 4

// edit changes what is given and leaves the rest as it is.
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
		edited, err := s.Sender.Edit(ctx, p.ID, p.Revision, d)
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

// moved says whether somebody else has edited the notice meanwhile.
func (s *server) moved(ctx context.Context, p *notifier.Progress) bool {
	now, err := s.Sender.Progress(ctx, p.ID)
	return err == nil && now.Revision != p.Revision
}

// apply is the notice's draft with what is to be different.
func (e *noticeEdit) apply(n *notifier.Notice) (notifier.Draft, error) {
	var bad notifier.InvalidError
	d := n.Draft
	for field, text := range map[*string]*string{&d.Title: e.Title, &d.Body: e.Body, &d.Link: e.Link} {
		if text != nil {
			*field = *text
		}
	}
	if !n.Announces() {
		e.refuseWindow(&bad)
		return d, bad.OrNil()
	}
	d.ExpiresIn = 0 // its window says when it is over
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
		{"starts_at", e.StartsAt != nil}, {"ends_at", e.EndsAt != nil}, {"pinned", e.Pinned != nil}, {"late_joiners", e.LateJoiners != nil},
	} {
		if f.given {
			bad.Add(f.name, codeOnlyWindow, nil)
		}
	}
}

// retract takes a notice back.
func (s *server) retract(ctx context.Context, in *noticeIDInput) (*struct{}, error) {
	p, err := s.own(ctx, in.ID)
	if err == nil {
		err = s.Sender.Retract(ctx, p.ID)
	}
	return nil, err
}

type subjectInput struct {
	Subject string `path:"subject" doc:"The thing that is gone, such as invoice:42."`
}

type withdrawnOutput struct {
	Body withdrawn
}

type withdrawn struct {
	Withdrawn int64 `json:"withdrawn" doc:"How many notices were about it."`
}

// withdraw takes back all that the caller has sent about a thing.
func (s *server) withdraw(ctx context.Context, in *subjectInput) (*withdrawnOutput, error) {
	if !validSubject(in.Subject) {
		return nil, invalidAt("path.subject", notifier.CodeBadSubject, nil)
	}
	key := callerOf(ctx)
	sender := senderName(key)
	if key.Allows(notifier.ScopeAdmin) {
		sender = ""
	}
	n, err := s.Sender.WithdrawSubject(ctx, in.Subject, sender)
	if err != nil {
		return nil, err
	}
	return &withdrawnOutput{withdrawn{n}}, nil
}

// validSubject keeps out what no notice can be about.
func validSubject(subject string) bool {
	if subject == "" || len(subject) > notifier.MaxSubject {
		return false
	}
	for i := range len(subject) {
		if subject[i] <= ' ' || subject[i] > '~' {
			return false
		}
	}
	return true
}
