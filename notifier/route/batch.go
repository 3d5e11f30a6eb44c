package route

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Answer contains the recipients of one of several drafts.
type Answer struct {
	// To contains the seqs of the users who get the draft. It may be empty without an error: a role may
	// have no members, a topic no subscribers, and all users may have muted the type.
	To *roaring.Bitmap
	// Reasons explains why some users of To get the notice if the reason is not Target.Reason. Users who subscribe to
	// the topic themselves have Target.Reason; others have the reason of their first role: the first by name for
	// subscriptions, or the first in the target's order. Answers may share the slice and its bitmaps: do not modify
	// them.
	Reasons []notifier.Why
	// Err is an *notifier.InvalidError on the field `to` if users or a role are unknown. To then
	// contains the users that were found.
	Err error

	roles *audience // the members of the target's roles; nil: it has none
}

// RecipientsAll resolves the recipients of each draft, in order. For any number of drafts, it queries the directory once
// for the names of each type, once for each role, and once for the mutes of each type that goes to roles or topics. If
// the directory fails, it returns an error and no answers.
//
// Calls with few names that arrive while another is running are combined into one.
func (r *Router) RecipientsAll(ctx context.Context, drafts []notifier.Draft) ([]Answer, error) {
	if !gathers(drafts) {
		return r.askAll(ctx, drafts)
	}
	return r.ask(ctx, drafts)
}

func (r *Router) askAll(ctx context.Context, drafts []notifier.Draft) ([]Answer, error) {
	answers := make([]Answer, len(drafts))
	roles := &roleBook{dir: r.dir, known: map[string]*roaring.Bitmap{}}
	reached, err := r.audiences(ctx, drafts, roles)
	if err != nil {
		return nil, err
	}
	if err := r.nameAll(ctx, drafts, answers, reached, roles); err != nil {
		return nil, err
	}
	if err := r.muteAll(ctx, drafts, answers); err != nil {
		return nil, err
	}
	giveReasons(drafts, answers, reached)
	return answers, nil
}

// nameAll adds the users named by the targets.
func (r *Router) nameAll(
	ctx context.Context, drafts []notifier.Draft, answers []Answer, reached map[notifier.Topic]*audience, roles *roleBook,
) error {
	known, err := r.addressees(ctx, drafts)
	if err != nil {
		return err
	}
	for i := range drafts {
		t := &drafts[i].Target
		switch {
		case toTopic(t):
			answers[i].To = reached[t.Topic].all.Clone()
		case len(t.RoleNames()) == 0:
			answers[i].To, answers[i].Err = found(t.Users, known[r.mutable(drafts[i].Type)])
		default:
			if err := answers[i].join(ctx, t.RoleNames(), roles); err != nil {
				return err
			}
		}
	}
	return nil
}

// join adds the members of roles. Each role with members that no earlier role has is a reason.
func (a *Answer) join(ctx context.Context, names []string, roles *roleBook) error {
	a.roles = &audience{all: roaring.New(), named: roaring.New()}
	for _, name := range names {
		members, err := roles.members(ctx, name)
		switch {
		case errors.Is(err, notifier.ErrNotFound) && a.Err == nil:
			a.Err = invalid(notifier.CodeUnknownRole, map[string]any{"Name": name})
		case errors.Is(err, notifier.ErrNotFound):
		case err != nil:
			return err
		default:
			a.roles.all.Or(members)
			a.roles.roles = append(a.roles.roles, crowd{name, members})
		}
	}
	a.To = a.roles.all.Clone()
	return nil
}

// addressees contains the users named by drafts of one type.
type addressees struct {
	seqs  map[string]int64
	muted *roaring.Bitmap // users who have muted the type
}

// mutable returns the type, or nothing if it cannot be muted.
func (r *Router) mutable(typ string) string {
	if r.topics != nil && !r.topics.Mutable(typ) {
		return ""
	}
	return typ
}

// addressees looks up the users that the drafts name, by the type if it can be muted.
func (r *Router) addressees(ctx context.Context, drafts []notifier.Draft) (map[string]addressees, error) {
	names := map[string][]string{}
	for i := range drafts {
		if t := &drafts[i].Target; !toTopic(t) && len(t.RoleNames()) == 0 {
			typ := r.mutable(drafts[i].Type)
			names[typ] = append(names[typ], t.Users...)
		}
	}
	known := make(map[string]addressees, len(names))
	for typ, all := range names {
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		all = slices.Compact(all)
		seqs, muted, err := r.dir.Addressees(ctx, typ, all)
		if err != nil {
			return nil, fmt.Errorf("look up %d users: %w", len(all), err)
		}
		known[typ] = addressees{seqs, muted}
	}
	return known, nil
}

// found returns the users with these names who exist and have not muted the type. The error lists the
// unknown names, each once.
func found(names []string, known addressees) (*roaring.Bitmap, error) {
	to := roaring.New()
	var unknown []string
	told := map[string]bool{}
	for _, name := range names {
		if seq, exists := known.seqs[name]; exists {
			to.Add(uint32(seq)) //nolint:gosec // the directory gives no seq above --max-seq
		} else if !told[name] {
			told[name] = true
			unknown = append(unknown, name)
		}
	}
	if known.muted != nil {
		to.AndNot(known.muted)
	}
	if len(unknown) == 0 {
		return to, nil
	}
	return to, unknownUsers(unknown)
}

// muteAll removes the members and subscribers who have muted the type, unless the type cannot be muted.
// For users named by a target, nameAll has already done this.
func (r *Router) muteAll(ctx context.Context, drafts []notifier.Draft, answers []Answer) error {
	among := map[string]*roaring.Bitmap{} // by type
	for i, a := range answers {
		t := &drafts[i].Target
		if a.To.IsEmpty() || r.mutable(drafts[i].Type) == "" || !toTopic(t) && len(t.RoleNames()) == 0 {
			continue
		}
		if of := among[drafts[i].Type]; of != nil {
			of.Or(a.To)
		} else {
			among[drafts[i].Type] = a.To.Clone()
		}
	}
	muted := make(map[string]*roaring.Bitmap, len(among))
	for typ, of := range among {
		var err error
		if muted[typ], err = r.dir.MutedBy(ctx, typ, of); err != nil {
			return fmt.Errorf("look up the users who have muted type %q: %w", typ, err)
		}
	}
	for i, a := range answers {
		if m := muted[drafts[i].Type]; m != nil && !m.IsEmpty() && !a.To.IsEmpty() {
			a.To.AndNot(m)
		}
	}
	return nil
}
