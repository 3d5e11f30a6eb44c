package person

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// CreateRole creates a role without members. It returns notifier.ErrConflict if the role exists, and
// a *notifier.InvalidError on role for an invalid name.
func (p *People) CreateRole(ctx context.Context, by notifier.Actor, name string) error {
	err := p.Store.CreateRole(ctx, name)
	if err == nil {
		p.record(ctx, by, "role.create", notifier.RoleRef(name), "")
	}
	return err
}

// DeleteRole deletes a role with its memberships and subscriptions. It returns notifier.ErrNotFound for an unknown
// role and notifier.ErrConflict for notifier.RoleStaff. For a role with thousands of members, the change reaches
// other instances within seconds.
func (p *People) DeleteRole(ctx context.Context, by notifier.Actor, name string) error {
	if err := p.Store.DeleteRole(ctx, name); err != nil {
		return err
	}
	p.Sessions.PublishPending(ctx)
	p.resubscribe(ctx)
	p.record(ctx, by, "role.delete", notifier.RoleRef(name), "")
	return nil
}

// GrantRole adds a user to a role, which is created if it does not exist. Adding a member again
// changes nothing. It returns notifier.ErrNotFound for an unknown user.
func (p *People) GrantRole(ctx context.Context, by notifier.Actor, user, role string) error {
	return p.changeRole(ctx, by, "user.role.add", user, role, p.Store.AddRole)
}

// RevokeRole removes a user from a role. Removing a user who is not a member changes nothing. It returns
// notifier.ErrNotFound for an unknown user or role.
func (p *People) RevokeRole(ctx context.Context, by notifier.Actor, user, role string) error {
	return p.changeRole(ctx, by, "user.role.remove", user, role, p.Store.RemoveRole)
}

func (p *People) changeRole(
	ctx context.Context, by notifier.Actor, action, user, role string, change func(ctx context.Context, user, role string) error,
) error {
	u, err := p.Store.UserByName(ctx, user)
	if err != nil {
		return err
	}
	if err := change(ctx, user, role); err != nil {
		return err
	}
	p.Sessions.Publish(ctx, u.Seq)
	p.record(ctx, by, action, notifier.UserRef(u), role)
	return nil
}

// resubscribe makes this instance read the subscriptions again, because some were deleted with a user or a role.
// Other instances detect the change by themselves.
func (p *People) resubscribe(ctx context.Context) {
	if p.Topics != nil {
		p.Topics.Changed(ctx)
	}
}
