package announcement

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// Sync updates the index of every audience to match SQL and the current time. It may be called at
// any time and concurrently. A failed audience does not delay the others.
func (b *Announcements) Sync(ctx context.Context) error {
	if err := b.syncing.take(ctx); err != nil {
		return err
	}
	defer b.syncing.give()
	return b.syncAll(ctx)
}

func (b *Announcements) syncAll(ctx context.Context) error {
	s, err := b.fetch(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, r := range b.roomsOf(s.all) {
		if err := b.syncRoom(ctx, r, s); err != nil {
			faults = append(faults, fmt.Errorf("update the announcements of audience %d: %w", r.audience, err))
		}
	}
	if len(faults) == 0 {
		b.synced.Add(1)
	}
	return errors.Join(faults...)
}

// state is the content of SQL at one revision.
type state struct {
	revision int64
	undone   int64 // a later revision that SQL no longer has; 0: none
	all      []notifier.Announcement
}

// fetch reads SQL. If the revision is the same before and after, it belongs to the data read in
// between. Otherwise fetch uses the earlier one, and the plan is made again.
func (b *Announcements) fetch(ctx context.Context) (s state, err error) {
	before, err := b.store.AnnouncementRevision(ctx)
	for range tries {
		if err != nil {
			break
		}
		s.revision = before
		if s.all, err = b.store.CurrentAnnouncements(ctx); err == nil {
			before, err = b.store.AnnouncementRevision(ctx)
		}
		if err == nil && before == s.revision {
			return s, nil
		}
	}
	if err != nil {
		return state{}, fmt.Errorf("read the announcements: %w", err)
	}
	return s, nil
}

// roomsOf returns the rooms of all configured audiences, and of other audiences that announcements
// still have.
func (b *Announcements) roomsOf(all []notifier.Announcement) []*room {
	var rooms []*room
	seen := map[notifier.Audience]bool{}
	add := func(a notifier.Audience) {
		if seen[a] {
			return
		}
		seen[a] = true
		if r := b.rooms[a]; r != nil {
			rooms = append(rooms, r)
		} else {
			rooms = append(rooms, b.newRoom(a))
		}
	}
	for _, a := range b.o.Audiences {
		add(a)
	}
	for i := range all {
		for _, p := range all[i].Parts {
			add(p.Audience)
		}
	}
	return rooms
}

// planned is an announcement in the plan of an audience.
type planned struct {
	*notifier.Announcement
	part notifier.Part
}

// plan returns the announcements of an audience, open or upcoming. It omits announcements that are
// retracted or removed from the audience, but includes those that are over, because only the clock of
// Redis determines the end.
func (s *state) plan(a notifier.Audience) []planned {
	var items []planned
	for i := range s.all {
		n := &s.all[i]
		if n.State == notifier.StateRetracted || n.State == notifier.StateRetracting {
			continue
		}
		for _, p := range n.Parts {
			if item := (planned{n, p}); p.Audience == a && !p.Left && !item.unseen() {
				items = append(items, item)
			}
		}
	}
	return items
}

// unseen reports whether no reader can ever see it, because there were no users when it opened and
// late joiners do not see it. It must stay out of the index, where a top of 0 means all users.
func (p *planned) unseen() bool { return p.part.Settled && !p.LateJoiners && p.part.Top < 1 }

// top returns the highest seq that sees it; 0: all users; -1: not settled.
func (p *planned) top() int64 {
	switch {
	case !p.part.Settled:
		return -1
	case p.LateJoiners:
		return 0
	}
	return p.part.Top
}

// args appends the words of an item of plan_index.
func (p *planned) args(to []any) ([]any, error) {
	content := notifier.AnnouncementText{
		Title: p.Title, Body: p.Body, Link: p.Link, Pinned: p.Pinned, Image: p.Extras.Image, Actions: p.Extras.Actions, Data: p.Extras.Data,
	}
	summed, err := json.Marshal(content)
	content.App = p.App.Name // not part of the sum, like toast below; an edit cannot change it
	text, err2 := json.Marshal(content)
	if err = errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("encode announcement %d: %w", p.ID, err)
	}
	sum := fnv.New32a()
	_, _ = sum.Write(summed) // a hash accepts any input
	if p.ReadsFrom > 0 {
		_, _ = fmt.Fprint(sum, p.ReadsFrom) // readers must be notified even if the text is the same
	}
	if p.Toast {
		// Not part of the sum: an announcement that opened before this field existed has not been
		// edited.
		text = append(text[:len(text)-1], `,"toast":true}`...)
	}
	rev := strconv.FormatInt(p.Revision, 10) + "-" + strconv.FormatUint(uint64(sum.Sum32()), 36)
	return append(to, p.ID, p.StartsAt.UnixMilli(), p.EndsAt.UnixMilli(), p.top(), p.ReadsFrom, rev, text), nil
}
