package person

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// ChangePassword sets the hash of a user's password on the user's own request. The session in which they do so
// continues under another id; all others end, with their streams and devices. It returns notifier.ErrNotFound if that
// session has ended.
func (p *People) ChangePassword(ctx context.Context, by notifier.Actor, u notifier.User, hash, session, id string) error {
	ended, err := p.Store.ChangePassword(ctx, u.Seq, hash, session, id)
	if err != nil {
		return err
	}
	p.Sessions.PublishEnded(ctx, ended)
	p.record(ctx, by, "user.passwd", notifier.UserRef(u), "")
	return nil
}

// EndSession ends one session of a user with its streams and devices. id is the ID of notifier.OwnSession. It returns
// notifier.ErrNotFound if the user has no session with that id.
func (p *People) EndSession(ctx context.Context, by notifier.Actor, u notifier.User, id string) error {
	ended, err := p.Store.EndOwnSession(ctx, u.Seq, id)
	if err != nil {
		return err
	}
	p.Sessions.PublishEnded(ctx, ended)
	p.record(ctx, by, "session.end", notifier.UserRef(u), "")
	return nil
}

// EndAllSessions signs a user out everywhere, on their own request: see Sessions.Expel.
func (p *People) EndAllSessions(ctx context.Context, by notifier.Actor, u notifier.User) error {
	if _, err := p.Sessions.Expel(ctx, u.Seq); err != nil {
		return err
	}
	p.record(ctx, by, "session.end_all", notifier.Ref{}, "")
	return nil
}
