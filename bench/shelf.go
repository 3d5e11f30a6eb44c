//go:build linux

package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const tenMillion = 10_000_000

// shelf contains the announcements that SQL would contain with ten million users, all in one audience.
type shelf struct {
	mu   sync.Mutex
	all  []notifier.Announcement
	read []byte // the bitmap of the readers of each announcement, as SQL stores it
}

// newShelf returns a shelf with count announcements. If read is given, they are already open and read by these
// readers; otherwise they are about to open.
func newShelf(count int, read []byte) *shelf {
	s := &shelf{read: read}
	now := time.Now()
	for i := range count {
		n := notifier.Notice{
			Draft: notifier.Draft{
				Target: notifier.Target{Audiences: []notifier.Audience{audience}}, Type: notifier.TypeAnnouncement,
				Title: "The night train runs again", Body: "From Sunday on, every night at eleven.", Link: "/trains/night",
				Window: notifier.Window{StartsAt: now.Add(-time.Minute), EndsAt: now.Add(time.Hour)},
			},
			ID: int64(i + 1), State: notifier.StateSent, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		}
		part := notifier.Part{Audience: audience}
		if read != nil {
			part = settled(part)
		}
		s.all = append(s.all, notifier.Announcement{Notice: n, Parts: []notifier.Part{part}})
	}
	return s
}

func settled(p notifier.Part) notifier.Part {
	p.Settled, p.Top, p.Members = true, tenMillion, tenMillion
	return p
}

func (s *shelf) AnnouncementRevision(context.Context) (int64, error) { return 1, nil }

func (s *shelf) CurrentAnnouncements(context.Context) ([]notifier.Announcement, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.all)
	for i := range all {
		all[i].Parts = slices.Clone(all[i].Parts)
	}
	return all, nil
}

func (s *shelf) Announcements(ctx context.Context, ids []int64) ([]notifier.Announcement, error) {
	all, err := s.CurrentAnnouncements(ctx)
	return slices.DeleteFunc(all, func(a notifier.Announcement) bool { return !slices.Contains(ids, a.ID) }), err
}

func (s *shelf) SettleTop(_ context.Context, k notifier.PartKey) (notifier.Part, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := &s.all[k.ID-1].Parts[0]
	*part = settled(*part)
	return *part, nil
}

func (*shelf) SaveReads(context.Context, []notifier.ReadSegment) error { return nil }

func (s *shelf) Reads(_ context.Context, k notifier.PartKey) (pieces []notifier.ReadSegment, err error) {
	for bits := range slices.Chunk(s.read, notifier.SegmentBytes) {
		pieces = append(pieces, notifier.ReadSegment{PartKey: k, Segment: len(pieces), Ver: 1, Bits: bits})
	}
	return pieces, nil
}

func (s *shelf) LatestReads(context.Context, notifier.Audience) (int64, error) {
	return int64(min(len(s.read), 1)), nil
}

func (*shelf) FinishPart(context.Context, notifier.PartKey, int64) error { return nil }
