package route

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Topics knows who subscribes to what, and which types users may mute.
type Topics interface {
	// SubscribersOf answers in the order of what was asked, empty where nobody is.
	SubscribersOf(ctx context.Context, topics []notifier.Topic) ([]notifier.TopicSubscribers, error)
	// Mutable says whether users may mute the type. One that is not known is.
	Mutable(typ string) bool
}

// audience is whom a topic reaches.
type audience struct {
	all   *roaring.Bitmap
	named *roaring.Bitmap // by themselves
	roles []crowd         // by name
}

type crowd struct {
	role    string
	members *roaring.Bitmap
}

// audiences asks once who subscribes to the topics of drafts.
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
		return nil, fmt.Errorf("look up who subscribes to %d topics: %w", len(topics), err)
	}
	for i := range found {
		if reached[topics[i]], err = gather(ctx, &found[i], roles); err != nil {
			return nil, err
		}
	}
	return reached, nil
}

// gather brings all who subscribe together. A role that has left meanwhile reaches nobody.
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
	a.all.SetCopyOnWrite(true) // the drafts share it as far as nobody has muted them
	return a, nil
}

// reasons says of those who are left why they get it, where it is not by themselves:
// by the first of their roles.
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

// giveReasons fills in why, once for all drafts of a type to a topic.
func giveReasons(drafts []notifier.Draft, answers []Answer, reached map[notifier.Topic]*audience) {
	type line struct {
		notifier.Topic
		typ string
	}
	known := map[line][]notifier.Why{}
	for i := range drafts {
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

// roleBook remembers the members of roles for the length of one question.
type roleBook struct {
	dir   Directory
	known map[string]*roaring.Bitmap // nil: no such role
}

// members is notifier.ErrNotFound for an unknown role. The answer is shared: who
// changes it clones it before.
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
			of.SetCopyOnWrite(true) // the drafts share it as far as nobody has muted them
		}
		b.known[role] = of
	}
	if of == nil {
		return nil, notifier.ErrNotFound
	}
	return of, nil
}
