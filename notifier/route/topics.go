package route

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Topics provides the subscribers of topics, and which types users may mute.
type Topics interface {
	// SubscribersOf returns the subscribers of each topic, in order; empty for a topic without any.
	SubscribersOf(ctx context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error)
	// Mutable reports whether users may mute the type. Unknown types can be muted.
	Mutable(typ string) bool
}

// audience contains the users that a topic reaches.
type audience struct {
	all   *roaring.Bitmap
	named *roaring.Bitmap // subscribed themselves
	roles []crowd         // roles, in the order in which they count
}

type crowd struct {
	role    string
	members *roaring.Bitmap
}

// audiences looks up the subscribers of all drafts' topics in one call.
func (r *Router) audiences(ctx context.Context, drafts []notifier.Draft, roles *roleBook) (map[notifier.Topic]*audience, error) {
	var topics []notifier.Topic
	reached := map[notifier.Topic]*audience{}
	for i := range drafts {
		if t := drafts[i].Target.Topic; toTopic(&drafts[i].Target) && reached[t] == nil {
			reached[t] = &audience{all: roaring.New(), named: roaring.New()}
			topics = append(topics, t)
		}
	}
	if r.topics == nil || len(topics) == 0 {
		return reached, nil
	}
	found, err := r.topics.SubscribersOf(ctx, topics)
	if err != nil {
		return nil, fmt.Errorf("look up the subscribers of %d topics: %w", len(topics), err)
	}
	for i := range found {
		if reached[topics[i]], err = gather(ctx, &found[i], roles); err != nil {
			return nil, err
		}
	}
	return reached, nil
}

// gather combines all subscribers of a topic. A role that was just deleted adds no users.
func gather(ctx context.Context, s *notifier.TopicSubscribers, roles *roleBook) (*audience, error) {
	seqs := make([]uint32, len(s.Users))
	for i, seq := range s.Users {
		seqs[i] = uint32(seq) //nolint:gosec // the directory gives no seq above --max-seq
	}
	a := &audience{named: roaring.BitmapOf(seqs...)}
	a.all = a.named.Clone()
	for _, role := range slices.Sorted(slices.Values(s.Roles)) {
		members, err := roles.members(ctx, role)
		switch {
		case errors.Is(err, notifier.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		a.all.Or(members)
		a.roles = append(a.roles, crowd{role, members})
	}
	a.all.SetCopyOnWrite(true) // drafts share it until muted users are removed
	return a, nil
}

// reasons returns why the users in left get the notice, except users who subscribed themselves. The
// reason is the first of their roles.
func (a *audience) reasons(left *roaring.Bitmap) (reasons []notifier.Why) {
	rest := roaring.AndNot(left, a.named)
	for _, c := range a.roles {
		if to := roaring.And(c.members, rest); !to.IsEmpty() {
			reasons = append(reasons, notifier.Why{Reason: notifier.ReasonRole + ":" + c.role, To: to})
			rest.AndNot(to)
		}
	}
	if n := len(reasons); n > 0 && !left.Intersects(a.named) {
		reasons[n-1].To = nil
	}
	return reasons
}

// giveReasons sets the reasons, computed once for all drafts of one type to one topic.
func giveReasons(drafts []notifier.Draft, answers []Answer, reached map[notifier.Topic]*audience) {
	type line struct {
		notifier.Topic
		typ string
	}
	known := map[line][]notifier.Why{}
	for i := range drafts {
		if of := answers[i].roles; of != nil && len(of.roles) > 1 {
			answers[i].Reasons = of.reasons(answers[i].To)
		}
		a := reached[drafts[i].Target.Topic]
		if a == nil || len(a.roles) == 0 || answers[i].To.IsEmpty() {
			continue
		}
		l := line{drafts[i].Target.Topic, drafts[i].Type}
		reasons, there := known[l]
		if !there {
			reasons = a.reasons(answers[i].To)
			known[l] = reasons
		}
		answers[i].Reasons = reasons
	}
}

func toTopic(t *notifier.Target) bool { return t.Topic != notifier.Topic{} }

// roleBook caches the members of roles during one call.
type roleBook struct {
	dir   Directory
	known map[string]*roaring.Bitmap // nil: unknown role
}

// members returns the members of a role, or notifier.ErrNotFound for an unknown role. The bitmap is
// shared: clone it before changing it.
func (b *roleBook) members(ctx context.Context, role string) (*roaring.Bitmap, error) {
	of, asked := b.known[role]
	if !asked {
		var err error
		of, err = b.dir.RoleMembers(ctx, role)
		switch {
		case errors.Is(err, notifier.ErrNotFound):
			of = nil
		case err != nil:
			return nil, fmt.Errorf("look up the members of role %q: %w", role, err)
		default:
			of.SetCopyOnWrite(true) // drafts share it until muted users are removed
		}
		b.known[role] = of
	}
	if of == nil {
		return nil, notifier.ErrNotFound
	}
	return of, nil
}
