package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// Edit gives what was sent the content of a draft, for all who have it and all who
// will. revision is that of the notice that was edited: it is notifier.ErrConflict when
// somebody else was faster, or when it is retracted, expired or over.
//
// Of an announcement window and audiences may change too; a draft that is none for
// audiences is refused. Of a notice to inboxes title, body and link change, at once
// where it is open; what else the draft says must be as it was sent, or be left out. No
// row becomes unread by it. An edit that changes nothing is none: the answer is the
// notice as it is. Once Edit returns a notice that will happen; it waits for it
// as Send does.
func (p *Pipeline) Edit(ctx context.Context, id, revision int64, d notifier.Draft) (notifier.Notice, error) {
	n, err := p.c.Store.Notice(ctx, id)
	if err != nil {
		return notifier.Notice{}, fmt.Errorf("edit notice %d: %w", id, err)
	}
	if n.Announces() {
		return p.editAnnouncement(ctx, n, revision, d)
	}
	return p.editNotice(ctx, n, revision, d)
}

func (p *Pipeline) editAnnouncement(ctx context.Context, n notifier.Notice, revision int64, d notifier.Draft) (notifier.Notice, error) {
	limits, now := p.limits()
	err := d.Validate(limits)
	if same(&n.Draft, &d) {
		return unchanged(n, revision, now)
	}
	if err != nil {
		return notifier.Notice{}, err
	}
	if len(d.Target.Audiences) == 0 {
		var bad notifier.InvalidError
		bad.Add("to", notifier.CodeRequired, nil)
		return notifier.Notice{}, &bad
	}
	d.Sender, d.Subject, d.Scope, d.Toast = n.Sender, n.Subject, n.Scope, n.Toast
	n.Draft, n.Revision, n.ExpiresAt = d, revision, d.EndsAt
	if err := p.c.Store.EditAnnouncement(ctx, &n); err != nil {
		return notifier.Notice{}, fmt.Errorf("edit announcement %d: %w", n.ID, err)
	}
	p.show(ctx, n.ID)
	return n, nil
}

func (p *Pipeline) editNotice(ctx context.Context, n notifier.Notice, revision int64, d notifier.Draft) (notifier.Notice, error) {
	if err := fixed(&n, &d); err != nil {
		return notifier.Notice{}, err
	}
	limits, now := p.limits()
	err := d.Validate(limits)
	if same(&n.Draft, &d) {
		return unchanged(n, revision, now)
	}
	if err != nil {
		return notifier.Notice{}, err
	}
	n.Title, n.Body, n.Link, n.Revision = d.Title, d.Body, d.Link, revision
	if err := p.c.Store.EditNotice(ctx, &n); err != nil {
		return notifier.Notice{}, fmt.Errorf("edit notice %d: %w", n.ID, err)
	}
	done, leave := p.waiting.join(n.ID)
	defer leave()
	p.intake.Add(intake.Entry{NoticeID: n.ID, Revision: n.Revision, Had: wasSent(&n)})
	if n.Recipients <= p.c.WaitMax {
		p.await(ctx, &n, done)
	}
	return n, nil
}

// same says that two drafts differ in nothing that an edit may change.
func same(was, is *notifier.Draft) bool {
	return was.Title == is.Title && was.Body == is.Body && was.Link == is.Link && was.Type == is.Type &&
		slices.Equal(was.Target.Audiences, is.Target.Audiences) && was.StartsAt.Equal(is.StartsAt) && was.EndsAt.Equal(is.EndsAt) &&
		was.Pinned == is.Pinned && was.LateJoiners == is.LateJoiners
}

// unchanged answers an edit that changes nothing: the notice, where it could have been
// edited.
func unchanged(n notifier.Notice, revision int64, now time.Time) (notifier.Notice, error) {
	gone := n.State == notifier.StateRetracting || n.State == notifier.StateRetracted
	over := !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now)
	if n.Revision != revision || gone || over {
		return notifier.Notice{}, fmt.Errorf("edit notice %d: %w", n.ID, notifier.ErrConflict)
	}
	return n, nil
}

// fixed names what a draft says otherwise that does not change once a notice to
// inboxes is sent, and fills in what it leaves out.
func fixed(n *notifier.Notice, d *notifier.Draft) error {
	var bad notifier.InvalidError
	stays := func(field string, same bool) {
		if !same {
			bad.Add(field, notifier.CodeNotEditable, nil)
		}
	}
	was, is := n.Target, d.Target
	named := len(is.Users)+len(is.Audiences) > 0 || is.Role != "" || is.Topic != notifier.Topic{}
	stays("to", !named || slices.Equal(is.Users, was.Users) && is.Role == was.Role && is.Topic == was.Topic && len(is.Audiences) == 0)
	stays("type", d.Type == "" || d.Type == n.Type)
	stays("scope", d.Scope == "" || d.Scope == n.Scope)
	stays("subject", d.Subject == "" || d.Subject == n.Subject)
	stays("expires_in", d.ExpiresIn == 0 || d.ExpiresIn == n.ExpiresAt.Sub(n.CreatedAt))
	stays("toast", !d.Toast || n.Toast)
	stays("starts_at", d.StartsAt.IsZero())
	stays("ends_at", d.EndsAt.IsZero())
	stays("pinned", !d.Pinned)
	stays("late_joiners", !d.LateJoiners)
	d.Target, d.Type, d.Scope, d.Subject, d.ExpiresIn, d.Toast, d.Window = was, n.Type, n.Scope, n.Subject, 0, n.Toast, notifier.Window{}
	return bad.OrNil()
}

// wasSent says that every recipient has had the notice: nothing of it is on its way
// but another text. What he has deleted since must not come back by that, however long
// ago it was.
func wasSent(n *notifier.Notice) bool {
	return n.State == notifier.StateSent || n.State == notifier.StateSending && n.Revision > 0
}
