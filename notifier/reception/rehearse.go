package reception

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
)

// Rehearse returns who would get a draft if it were sent now. It stores nothing. With bring, users who do not exist would be
// created, and get it as well. Its errors are those of sending.
func (r *Receptions) Rehearse(ctx context.Context, d notifier.Draft, bring bool) (found notifier.Rehearsal, err error) {
	c, err := r.c.Rehearse(ctx, d, bring)
	if err != nil {
		return found, err
	}
	asleep, seqs, err := r.recipients(ctx, &c)
	if err != nil {
		return found, err
	}
	if found.People, err = r.receivers(ctx, &c.Draft, seqs); err != nil {
		return found, err
	}
	for i, seq := range seqs {
		found.People[i].Asleep = asleep.ContainsInt(int(seq))
	}
	found.Asleep = int64(asleep.GetCardinality()) //nolint:gosec // at most 2^32
	if bring {
		err = r.addNew(ctx, &c.Draft, &found)
	}
	return found, err
}

// recipients returns which recipients are asleep, and the first recipients.
func (r *Receptions) recipients(ctx context.Context, c *notifier.Confirmed) (asleep *roaring.Bitmap, seqs []int64, err error) {
	if audiences := c.Draft.Target.Audiences; len(audiences) > 0 {
		if asleep, err = r.c.Store.SleepersIn(ctx, audiences); err == nil {
			seqs, err = r.c.Store.FirstOfAudiences(ctx, audiences, notifier.MaxRehearsed)
		}
		return asleep, seqs, err
	}
	for seq := range roaring.Values(c.To) {
		if seqs = append(seqs, int64(seq)); len(seqs) == notifier.MaxRehearsed {
			break
		}
	}
	asleep, err = r.c.Store.Sleepers(ctx, c.To)
	return asleep, seqs, err
}

// receivers describes these users, in order. A user who has been deleted since has no name.
func (r *Receptions) receivers(ctx context.Context, d *notifier.Draft, seqs []int64) ([]notifier.Receiver, error) {
	users, err := r.c.Store.UsersAmong(ctx, seqs)
	if err != nil {
		return nil, err
	}
	people, places := make([]notifier.Receiver, len(seqs)), make(map[int64]int, len(seqs))
	for i, seq := range seqs {
		places[seq], people[i].Ways = i, []string{notifier.WayInbox}
	}
	for i := range users {
		people[places[users[i].Seq]] = receiver(d, users[i].Name, users[i].ToastsOff)
	}
	if len(d.Target.Audiences) > 0 { // announcements are neither mailed nor pushed
		return people, nil
	}
	targets, err := r.c.Store.Reaches(ctx, seqs)
	if err != nil {
		return nil, err
	}
	typ, _ := r.c.Types.Type(d.Type)
	for _, way := range []struct {
		kind notifier.ReachKind
		name string
		on   bool
	}{{notifier.ReachPush, notifier.WayPush, r.c.Pushing}, {notifier.ReachMail, notifier.WayMail, r.c.Mailing}} {
		for i := range targets {
			t := &targets[i]
			if p := &people[places[t.Seq]]; way.on && t.Kind == way.kind && !slices.Contains(p.Ways, way.name) && channels.Reaches(t, &typ, d.Type) {
				p.Ways = append(p.Ways, way.name)
			}
		}
	}
	return people, nil
}

// receiver is a user whom the draft reaches on the pages.
func receiver(d *notifier.Draft, name string, toastsOff bool) notifier.Receiver {
	p := notifier.Receiver{User: name, Ways: []string{notifier.WayInbox}}
	if len(d.Target.Audiences) > 0 {
		p.Ways[0] = notifier.WayAnnouncement
	}
	if d.Toast && !toastsOff {
		p.Ways = append(p.Ways, notifier.WayToast)
	}
	return p
}

// addNew adds the users that sending would create.
func (r *Receptions) addNew(ctx context.Context, d *notifier.Draft, found *notifier.Rehearsal) error {
	_, unknown, err := r.c.Store.SeqsByName(ctx, d.Target.Users)
	if err != nil {
		return err
	}
	for _, name := range unknown {
		if fault := notifier.NameFault(name); fault != nil {
			var bad notifier.InvalidError
			bad.Add("to", fault.Code, fault.Params)
			return &bad
		}
		if len(found.People) < notifier.MaxRehearsed {
			found.People = append(found.People, receiver(d, name, false))
		}
	}
	return nil
}
