package notices

import (
	"context"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// shares collects the progress of announcements. SQL has the counts of those that are settled or over; Redis stores
// who has read the open ones.
type shares struct {
	of    []*notifier.Progress
	parts []notifier.Counting // parts whose reads are in Redis
	into  []*notifier.Share   // the share of each part
	now   []*notifier.Share   // shares whose audience is counted now
}

// addShares fills in the progress of the announcements among some notices, with one query for the announcements, one
// for audience sizes and one to Redis.
func (p *Notices) addShares(ctx context.Context, progress []notifier.Progress) error {
	var s shares
	var ids []int64
	for i := range progress {
		if progress[i].Announces() {
			s.of, ids = append(s.of, &progress[i]), append(ids, progress[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	stored, err := p.c.Store.Announcements(ctx, ids)
	if err != nil {
		return fmt.Errorf("look up %d announcements: %w", len(ids), err)
	}
	for i := range stored {
		s.add(&stored[i])
	}
	if err := p.sizes(ctx, s.now); err != nil {
		return err
	}
	p.reads(ctx, &s)
	for _, n := range s.of {
		n.Counted, n.Routed = true, true
		for _, share := range n.Shares {
			n.Recipients, n.Read = n.Recipients+share.Members, n.Read+share.Reads
			n.Counted = n.Counted && share.Counted
		}
		n.Delivered = n.Recipients
	}
	return nil
}

// add allocates the shares of an announcement and records where their counts come from. It skips audiences that an
// edit removed.
func (s *shares) add(a *notifier.Announcement) {
	i := slices.IndexFunc(s.of, func(n *notifier.Progress) bool { return n.ID == a.ID })
	if i < 0 {
		return
	}
	n := s.of[i]
	n.Notice, n.Shares = a.Notice, make([]notifier.Share, 0, len(a.Parts))
	for _, part := range a.Parts {
		if part.Left {
			continue
		}
		n.Shares = append(n.Shares, notifier.Share{
			Audience: part.Audience, Members: part.Members, Reads: part.Reads, Counted: part.Finished || !part.Settled,
		})
		share := &n.Shares[len(n.Shares)-1] // the slice has room for all, so the element does not move
		if part.Settled && !part.Finished {
			s.parts, s.into = append(s.parts, a.Counting(part)), append(s.into, share)
		}
		if !part.Settled || a.LateJoiners && !part.Finished {
			s.now = append(s.now, share)
		}
	}
}

func (p *Notices) sizes(ctx context.Context, now []*notifier.Share) error {
	if len(now) == 0 {
		return nil
	}
	var audiences []notifier.Audience
	for _, share := range now {
		if !slices.Contains(audiences, share.Audience) {
			audiences = append(audiences, share.Audience)
		}
	}
	sizes, err := p.c.Store.AudienceSize(ctx, audiences, 0)
	if err != nil {
		return fmt.Errorf("count %d audiences: %w", len(audiences), err)
	}
	for _, share := range now {
		share.Members = sizes[share.Audience]
	}
	return nil
}

// reads fills in the reads. A share whose reads are unknown stays not counted.
func (p *Notices) reads(ctx context.Context, s *shares) {
	if len(s.parts) == 0 || p.c.Announcements == nil || p.Unavailable() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, redisWait)
	defer cancel()
	counts, err := p.c.Announcements.Reads(ctx, s.parts)
	if err != nil {
		p.c.Log.WarnContext(ctx, "could not read announcement reads", "announcements", len(s.parts), "err", err)
		return
	}
	for i, share := range s.into {
		if counts[i] >= 0 {
			share.Reads, share.Counted = counts[i], true
		}
	}
}
