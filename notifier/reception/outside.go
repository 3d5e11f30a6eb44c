package reception

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// outside finds out why the user is not among the recipients of a notice, as far as it is still known.
func (q *query) outside(ctx context.Context) error {
	muted, err := q.muted(ctx)
	if err != nil {
		return err
	}
	switch t := &q.n.Target; {
	case t.Topic != (notifier.Topic{}):
		return q.noSubscriber(ctx, muted)
	case len(t.RoleNames()) > 0:
		return q.noMember(ctx, t.RoleNames(), muted)
	case !slices.Contains(t.Users, q.u.Name):
		return q.is(notifier.ReceptionTarget, "not_named", time.Time{})
	}
	if since, err := q.c.Store.UserSince(ctx, q.u.Seq); err != nil || since.After(q.n.SentAt()) {
		return errors.Join(err, q.is(notifier.ReceptionTarget, "younger", since))
	}
	q.Name = q.n.Type
	if muted {
		return q.is(notifier.ReceptionMuted, "muted", time.Time{})
	}
	return q.is(notifier.ReceptionMuted, "muted_then", q.n.SentAt())
}

// muted reports whether the user has muted the type of the notice now.
func (q *query) muted(ctx context.Context) (bool, error) {
	types, err := q.c.Store.Mutes(ctx, q.u.Seq)
	return slices.Contains(types, q.n.Type) && q.c.Types.Mutable(q.n.Type), err
}

// noMember answers for a notice to roles.
func (q *query) noMember(ctx context.Context, roles []string, muted bool) error {
	member := ""
	for _, role := range roles {
		if q.u.HasRole(role) {
			member = role
		}
	}
	q.Name = strings.Join(roles, ", ")
	if member == "" {
		return q.noRole(ctx, roles)
	}
	joined, err := q.c.Store.RoleChanged(ctx, q.u.Seq, member, true)
	switch {
	case err != nil:
		return err
	case joined.After(q.n.SentAt()):
		q.Name = member
		return q.is(notifier.ReceptionRole, "joined", joined)
	case muted:
		q.Name = q.n.Type
		return q.is(notifier.ReceptionMuted, "muted", time.Time{})
	}
	return q.is(notifier.ReceptionRole, "no_member_then", q.n.SentAt())
}

// noRole answers for a user who is not in the roles: since when, if they were.
func (q *query) noRole(ctx context.Context, roles []string) error {
	var last time.Time
	for _, role := range roles {
		left, err := q.c.Store.RoleChanged(ctx, q.u.Seq, role, false)
		if err != nil {
			return err
		}
		if left.After(last) {
			last = left
		}
	}
	if last.IsZero() {
		return q.is(notifier.ReceptionRole, "no_member", time.Time{})
	}
	return q.is(notifier.ReceptionRole, "no_member_since", last)
}

// noSubscriber answers for a notice to a topic.
func (q *query) noSubscriber(ctx context.Context, muted bool) error {
	q.Topic = q.n.Target.Topic
	found, err := q.c.Store.SubscribersOf(ctx, []notifier.Topic{q.Topic})
	if err != nil {
		return err
	}
	own := slices.Contains(found[0].Users, q.u.Seq)
	through := slices.ContainsFunc(found[0].Roles, q.u.HasRole)
	if !own && !through {
		return q.is(notifier.ReceptionTarget, "no_subscriber", time.Time{})
	}
	if own {
		since, err := q.subscribed(ctx)
		if err != nil || since.After(q.n.SentAt()) {
			return errors.Join(err, q.is(notifier.ReceptionTarget, "subscribed", since))
		}
	}
	if muted {
		q.Name, q.Topic = q.n.Type, notifier.Topic{}
		return q.is(notifier.ReceptionMuted, "muted", time.Time{})
	}
	return q.is(notifier.ReceptionTarget, "no_subscriber_then", q.n.SentAt())
}

// subscribed returns when the user subscribed to the topic of the notice.
func (q *query) subscribed(ctx context.Context) (time.Time, error) {
	own, err := q.c.Store.Subscriptions(ctx, notifier.SubscriptionQuery{Type: q.Topic.Type, Scope: q.Topic.Scope, ByScope: true, User: q.u.Name, Limit: 1})
	if err != nil || len(own) == 0 {
		return time.Time{}, err
	}
	return own[0].CreatedAt, nil
}
