package notices

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Edit gives a sent notice the content of a draft, for everyone who has it or will get it. revision
// is the one that the edit is based on. Edit returns notifier.ErrConflict if it is not the current
// one, or if the notice is retracted, expired or over.
//
// An announcement's window and audiences may change too, but a draft without audiences is refused. For a notice to
// inboxes, only title, body, link and extras may change, and open pages show the change at once; until it is sent, its time
// and expiry may change too. The other fields of the draft must be as sent, or empty. An edit makes no row unread. An
// edit that changes nothing returns the notice as it is. Once Edit returns a notice, the edit will reach all its
// recipients; Edit waits for that as Send does.
func (p *Notices) Edit(ctx context.Context, by notifier.Actor, id, revision int64, d notifier.Draft) (notifier.Notice, error) {
	return p.edit(ctx, by, id, revision, d, false)
}

// EditUnread edits an announcement as Edit does and marks it as unread for every user in all its audiences. That
// counts as an edit even if nothing else changes. A notice to inboxes is refused with a *notifier.InvalidError.
func (p *Notices) EditUnread(ctx context.Context, by notifier.Actor, id, revision int64, d notifier.Draft) (notifier.Notice, error) {
	return p.edit(ctx, by, id, revision, d, true)
}

func (p *Notices) edit(ctx context.Context, by notifier.Actor, id, revision int64, d notifier.Draft, unread bool) (notifier.Notice, error) {
	n, err := p.c.Store.Notice(ctx, id)
	if err != nil {
		return notifier.Notice{}, fmt.Errorf("edit notice %d: %w", id, err)
	}
	if n.Extras.Ask != nil {
		return notifier.Notice{}, questionFixed(&n.Draft, &d)
	}
	if n.Announces() {
		return p.editAnnouncement(ctx, by, n, revision, d, unread)
	}
	if unread {
		var bad notifier.InvalidError
		bad.Add("unread", notifier.CodeNotEditable, nil)
		return notifier.Notice{}, &bad
	}
	return p.editNotice(ctx, by, n, revision, d)
}

// questionFixed returns the error of an edit of a question. It is about a field that the edit would change.
func questionFixed(was, is *notifier.Draft) error {
	field := "title"
	switch {
	case is.Title != was.Title:
	case is.Body != was.Body:
		field = "body"
	case is.Link != was.Link:
		field = "link"
	case !is.SendAt.Equal(was.SendAt):
		field = "send_at"
	}
	var bad notifier.InvalidError
	bad.Add(field, notifier.CodeAskFixed, nil)
	return &bad
}

func (p *Notices) editAnnouncement(
	ctx context.Context, by notifier.Actor, n notifier.Notice, revision int64, d notifier.Draft, unread bool,
) (notifier.Notice, error) {
	_, now := p.limits()
	err := p.checkEdit(ctx, &n, &d)
	switch same := sameContent(&n.Draft, &d); {
	case same && !unread:
		return unchanged(n, revision, now)
	case same: // it was valid when it was accepted
	case err != nil:
		return notifier.Notice{}, err
	}
	if len(d.Target.Audiences) == 0 {
		var bad notifier.InvalidError
		bad.Add("to", notifier.CodeRequired, nil)
		return notifier.Notice{}, &bad
	}
	d.Sender, d.Subject, d.Scope, d.Toast = n.Sender, n.Subject, n.Scope, n.Toast
	n.Draft, n.Revision, n.ExpiresAt = d, revision, d.EndsAt
	save := p.c.Store.EditAnnouncement
	if unread {
		save = p.c.Store.EditAnnouncementUnread
	}
	if err := save(ctx, by, &n); err != nil {
		return notifier.Notice{}, fmt.Errorf("edit announcement %d: %w", n.ID, err)
	}
	p.syncAnnouncements(ctx, n.ID)
	return n, nil
}

func (p *Notices) editNotice(ctx context.Context, by notifier.Actor, n notifier.Notice, revision int64, d notifier.Draft) (notifier.Notice, error) {
	if err := keepFixed(&n, &d); err != nil {
		return notifier.Notice{}, err
	}
	if n.State == notifier.StateScheduled {
		return p.editScheduled(ctx, by, n, revision, d)
	}
	_, now := p.limits()
	err := p.checkEdit(ctx, &n, &d)
	if sameContent(&n.Draft, &d) {
		return unchanged(n, revision, now)
	}
	if err != nil {
		return notifier.Notice{}, err
	}
	n.Title, n.Body, n.Link, n.Extras, n.Revision = d.Title, d.Body, d.Link, d.Extras, revision
	if err := p.c.Store.EditNotice(ctx, by, &n); err != nil {
		return notifier.Notice{}, fmt.Errorf("edit notice %d: %w", n.ID, err)
	}
	p.Follow(ctx, &n)
	return n, nil
}

// Follow has the rows of a notice that was edited in SQL follow, and waits for that as Send does.
func (p *Notices) Follow(ctx context.Context, n *notifier.Notice) {
	done, leave := p.Join(n.ID)
	defer leave()
	p.Wake()
	if n.Recipients <= p.c.WaitMax {
		p.Await(ctx, n, done)
	}
}

// sameContent reports whether two drafts agree in everything that an edit may change.
func sameContent(was, is *notifier.Draft) bool {
	return was.Title == is.Title && was.Body == is.Body && was.Link == is.Link && was.Extras.Equal(&is.Extras) && was.Type == is.Type &&
		slices.Equal(was.Target.Audiences, is.Target.Audiences) && was.StartsAt.Equal(is.StartsAt) && was.EndsAt.Equal(is.EndsAt) &&
		was.Pinned == is.Pinned && was.LateJoiners == is.LateJoiners
}

// unchanged returns the result of an edit that changes nothing: the notice, if it could have been
// edited.
func unchanged(n notifier.Notice, revision int64, now time.Time) (notifier.Notice, error) {
	gone := n.State.TakenBack()
	over := !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now)
	if n.Revision != revision || gone || over {
		return notifier.Notice{}, fmt.Errorf("edit notice %d: %w", n.ID, notifier.ErrConflict)
	}
	return n, nil
}

// keepFixed fills in the fields that cannot change after a notice to inboxes is sent, and returns an error that lists
// each such field that the draft would change.
func keepFixed(n *notifier.Notice, d *notifier.Draft) error {
	var bad notifier.InvalidError
	stays := func(field string, same bool) {
		if !same {
			bad.Add(field, notifier.CodeNotEditable, nil)
		}
	}
	was, is := n.Target, d.Target
	stays("to", is.IsZero() || slices.Equal(is.Users, was.Users) && is.Role == was.Role && slices.Equal(is.Roles, was.Roles) && is.Topic == was.Topic && len(is.Audiences) == 0)
	stays("type", d.Type == "" || d.Type == n.Type)
	stays("scope", d.Scope == "" || d.Scope == n.Scope)
	stays("subject", d.Subject == "" || d.Subject == n.Subject)
	stays("expires_in", d.ExpiresIn == 0 || d.ExpiresIn == n.ExpiresAt.Sub(n.SentAt()))
	stays("toast", !d.Toast || n.Toast)
	if n.State != notifier.StateScheduled {
		stays("send_at", d.SendAt.IsZero() || d.SendAt.Equal(n.SendAt))
		d.SendAt = time.Time{}
	}
	stays("starts_at", d.StartsAt.IsZero())
	stays("ends_at", d.EndsAt.IsZero())
	stays("pinned", !d.Pinned)
	stays("late_joiners", !d.LateJoiners)
	d.Target, d.Type, d.Scope, d.Subject, d.ExpiresIn, d.Toast, d.Window = was, n.Type, n.Scope, n.GivenSubject(), 0, n.Toast, notifier.Window{}
	return bad.OrNil()
}
