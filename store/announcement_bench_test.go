package store_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// BenchmarkAnnouncements measures the cost of 64 open announcements: reading all of them,
// announcing to another audience, counting an audience, and rewriting a bitmap of 16 million
// readers.
func BenchmarkAnnouncements(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		announce := func(audience notifier.Audience) int64 {
			n := notifier.Notice{Draft: draft()}
			n.Target = notifier.Target{Audiences: []notifier.Audience{audience}}
			n.Window = notifier.Window{StartsAt: time.Now(), EndsAt: time.Now().Add(time.Hour)}
			if err := s.Announce(b.Context(), &n); err != nil {
				b.Fatal(err)
			}
			return n.ID
		}
		var id int64
		for range notifier.MaxOpen {
			id = announce(3)
		}
		i := 0
		_, err := s.ImportUsers(b.Context(), crowd, func() (notifier.NewUser, int, error) {
			if i++; i > crowd {
				return notifier.NewUser{}, i, io.EOF
			}
			return notifier.NewUser{Name: fmt.Sprintf("user.%06d", i), Audience: 3}, i, nil
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("current", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.CurrentAnnouncements(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("announce and retract", func(b *testing.B) {
			for b.Loop() {
				if err := s.RetractAnnouncement(b.Context(), notifier.Actor{}, announce(1)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("count 100,000", func(b *testing.B) { // not above the limit, so it is not cached
			for b.Loop() {
				if _, err := s.AudienceSize(b.Context(), []notifier.Audience{3}, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("save 2 MB of reads", func(b *testing.B) {
			segments := make([]notifier.ReadSegment, store.DefaultMaxSeq/8/notifier.SegmentBytes+1)
			for ver := int64(1); b.Loop(); ver++ {
				for i := range segments {
					segments[i] = segment(id, 3, i, ver, string(bytes.Repeat([]byte{byte(ver)}, notifier.SegmentBytes)))
				}
				if err := s.SaveReads(b.Context(), segments); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
