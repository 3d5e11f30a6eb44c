// Package reception finds out who gets a notice, by which ways, and why.
package reception

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// Config contains the dependencies of Receptions.
type Config struct {
	Store *store.Store
	// Read returns the inboxes of users as they are in Redis, without those that are only in SQL; see notifier/inbox.
	Read func(ctx context.Context, seqs []int64) ([]notifier.Snapshot, error)
	// Rehearse validates a draft and finds its recipients; see notifier/notices.
	Rehearse func(ctx context.Context, d notifier.Draft, bring bool) (notifier.Confirmed, error)

	Types   *topic.Topics
	Mailing bool             // this installation sends mail
	Pushing bool             // this installation sends pushes
	Now     func() time.Time // nil: time.Now
}

// Receptions finds out who gets a notice, and why. It changes nothing.
type Receptions struct{ c Config }

// New returns Receptions.
func New(c Config) *Receptions {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Receptions{c}
}

// Why returns whether a user got a notice, and why. It returns notifier.ErrNotFound for an unknown user.
func (r *Receptions) Why(ctx context.Context, n *notifier.Notice, user string) (notifier.Reception, error) {
	u, err := r.c.Store.UserByName(ctx, user)
	if err != nil {
		return notifier.Reception{}, fmt.Errorf("find user %q: %w", user, err)
	}
	q := &query{c: &r.c, n: n, u: &u, now: r.c.Now(), zone: time.UTC}
	if p, err := r.c.Store.Preferences(ctx, u.Seq); err == nil {
		q.zone = notifier.Location(p.InForce)
	}
	q.User = notifier.UserName{Name: u.Name, Display: u.Display}
	find := q.inboxes
	if n.Announces() {
		find = q.announced
	}
	if err := find(ctx); err != nil {
		return notifier.Reception{}, fmt.Errorf("find why user %d got notice %d: %w", u.Seq, n.ID, err)
	}
	if !q.At.IsZero() {
		q.At = q.At.In(q.zone)
	}
	if !q.Until.IsZero() {
		q.Until = q.Until.In(q.zone)
	}
	return q.Reception, nil
}

// query finds out about one user and one notice.
type query struct {
	notifier.Reception
	c    *Config
	n    *notifier.Notice
	u    *notifier.User
	now  time.Time
	zone *time.Location
}

// is sets the result.
func (q *query) is(code notifier.ReceptionCode, why string, at time.Time) error {
	q.Code, q.Why, q.At = code, why, at
	return nil
}

// inboxes answers for a notice to inboxes.
func (q *query) inboxes(ctx context.Context) error {
	if q.n.State == notifier.StateScheduled {
		return q.is(notifier.ReceptionTarget, "scheduled", q.n.SendAt)
	}
	to, err := q.c.Store.Recipients(ctx, q.n.ID)
	switch {
	case errors.Is(err, notifier.ErrNotFound) && q.n.State.TakenBack():
		return q.is(notifier.ReceptionRetracted, "retracted", time.Time{})
	case errors.Is(err, notifier.ErrNotFound):
		return q.is(notifier.ReceptionTarget, "on_way", time.Time{})
	case err != nil:
		return err
	case !to.ContainsInt(int(q.u.Seq)):
		return q.outside(ctx)
	case q.n.State.TakenBack():
		return q.is(notifier.ReceptionRetracted, "retracted", time.Time{})
	}
	box, err := q.inbox(ctx)
	if err != nil {
		return err
	}
	if row, at := q.row(&box); at > 0 {
		q.got()
		return q.told(ctx, row, at)
	}
	return q.left(ctx, &box)
}

// got sets by which part of the target the user got the notice.
func (q *query) got() {
	q.Got = true
	switch word, rest := notifier.SplitReason(q.n.ReasonFor(q.u.Seq)); word {
	case notifier.ReasonRole:
		q.Name = rest
		_ = q.is(notifier.ReceptionRole, "role", q.n.SentAt())
	case notifier.ReasonTopic:
		q.Topic = q.n.Target.Topic
		_ = q.is(notifier.ReceptionTarget, "topic", q.n.SentAt())
	default:
		_ = q.is(notifier.ReceptionTarget, "named", q.n.SentAt())
	}
}

// announced answers for an announcement.
func (q *query) announced(ctx context.Context) error {
	found, err := q.c.Store.Announcements(ctx, []int64{q.n.ID})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return notifier.ErrNotFound
	}
	a := &found[0]
	switch phase := a.PhaseAt(q.now); {
	case !slices.ContainsFunc(a.Parts, func(p notifier.Part) bool { return p.Audience == q.u.Audience && !p.Left }):
		return q.is(notifier.ReceptionTarget, "other_audience", time.Time{})
	case a.State.TakenBack():
		return q.is(notifier.ReceptionRetracted, "retracted", time.Time{})
	case phase == notifier.PhaseScheduled:
		return q.is(notifier.ReceptionTarget, "opens", a.StartsAt)
	case phase != notifier.PhaseOpen:
		return q.is(notifier.ReceptionExpired, "closed", a.EndsAt)
	case !a.ShownTo(notifier.Reader{Seq: q.u.Seq, Audience: q.u.Audience}):
		return q.is(notifier.ReceptionTarget, "late_audience", time.Time{})
	}
	q.Got = true
	return q.is(notifier.ReceptionTarget, "audience", a.StartsAt)
}
