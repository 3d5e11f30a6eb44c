package person

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Preferences returns how and when a user is notified, or notifier.ErrNotFound.
func (p *People) Preferences(ctx context.Context, name string) (notifier.Preferences, error) {
	u, err := p.Store.UserByName(ctx, name)
	if err != nil {
		return notifier.Preferences{}, err
	}
	return p.Store.Preferences(ctx, u.Seq)
}

// SetPreferences replaces the preferences that are set in set, all or none, and returns the result. Whatever quiet
// hours or a pause hold back is checked again at once. It returns a *notifier.InvalidError or notifier.ErrNotFound.
func (p *People) SetPreferences(ctx context.Context, by notifier.Actor, name string, set notifier.PutPreferences) (notifier.Preferences, error) {
	u, err := p.Store.UserByName(ctx, name)
	if err != nil {
		return notifier.Preferences{}, err
	}
	had := map[string]notifier.TypeWants{}
	if set.Types != nil || set.Change != nil {
		all, err := p.Store.Preferences(ctx, u.Seq)
		if err != nil {
			return notifier.Preferences{}, err
		}
		had = all.Types
	}
	mutable := func(typ string) bool { // a mute from before staff locked the type may stay; it has no effect
		inbox := had[typ].Inbox
		return inbox != nil && !*inbox || p.mutable(typ)
	}
	checked := set
	if set.Change != nil {
		checked.Types = set.Change(had)
	}
	if err := checked.Validate(mutable); err != nil {
		return notifier.Preferences{}, err
	}
	if err := p.Store.PutPreferences(ctx, u.Seq, set); err != nil {
		return notifier.Preferences{}, err
	}
	p.Sessions.Publish(ctx, u.Seq)
	if set.PausedUntil != nil {
		if err := p.holdToasts(ctx, u, *set.PausedUntil); err != nil {
			return notifier.Preferences{}, err
		}
	}
	if by.Ref != notifier.UserRef(u) { // users may change their own as often as they like
		p.record(ctx, by, "user.preferences", notifier.UserRef(u), "")
	}
	return p.Store.Preferences(ctx, u.Seq)
}

// holdToasts delays toasts until the end of a pause, or shows the delayed ones.
func (p *People) holdToasts(ctx context.Context, u notifier.User, until time.Time) error {
	s := notifier.Signal{Kind: notifier.SignalSwitch, On: !u.ToastsOff}
	if until.After(time.Now()) {
		s.On = false
		if !u.ToastsOff {
			s.At = until.UnixMilli()
		}
	}
	return p.Toasts.Signal(ctx, u.Seq, s)
}

func (p *People) mutable(typ string) bool { return p.Topics == nil || p.Topics.Mutable(typ) }

// SetMail sets a user's mail address; an empty one removes it. Earlier notices are not mailed to it. It returns a
// *notifier.InvalidError or notifier.ErrNotFound.
func (p *People) SetMail(ctx context.Context, by notifier.Actor, name, address string) error {
	u, err := p.Store.UserByName(ctx, name)
	if err != nil {
		return err
	}
	if _, _, err := p.Store.PutUser(ctx, notifier.PutUser{Name: name, Email: &address}); err != nil {
		return err
	}
	p.Sessions.Publish(ctx, u.Seq)
	p.record(ctx, by, "user.mail", notifier.UserRef(u), "")
	return nil
}

// Unsubscribe switches off the target with this token, which its mails or device contain. It returns
// notifier.ErrNotFound for an unknown token.
func (p *People) Unsubscribe(ctx context.Context, token, address string) error {
	seq, err := p.Store.SwitchOff(ctx, token)
	if err != nil {
		return err
	}
	p.Sessions.Publish(ctx, seq)
	u, err := p.Store.User(ctx, seq)
	if err != nil {
		p.Log.WarnContext(ctx, "could not name who unsubscribed", "user_id", seq, "err", err)
		return nil
	}
	p.record(ctx, notifier.Actor{Ref: notifier.UserRef(u), Address: address}, "user.unsubscribe", notifier.UserRef(u), "")
	return nil
}

// Bounced records that mail to a user came back, for good or for now. It returns notifier.ErrNotFound for an
// unknown user and for one without an address.
func (p *People) Bounced(ctx context.Context, by notifier.Actor, name string, permanent bool) error {
	u, err := p.Store.UserByName(ctx, name)
	if err != nil {
		return err
	}
	if err := p.Store.Bounced(ctx, name, permanent); err != nil {
		return err
	}
	detail := "temporary"
	if permanent {
		detail = "permanent"
	}
	p.record(ctx, by, "user.bounced", notifier.UserRef(u), detail)
	return nil
}
