//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

// announcementsOf returns a board on which all announcements of the shelf are open.
func (w *world) announcementsOf(ctx context.Context, s *shelf) (*announcement.Announcements, error) {
	b := announcement.New(w.rdb, w.space, s, announcement.Options{
		MaxSeq: 16_000_000, Audiences: []notifier.Audience{audience}, Log: w.log,
	})
	if err := b.Load(ctx); err != nil {
		return nil, err
	}
	if err := b.Sync(ctx); err != nil {
		return nil, err
	}
	posts, err := b.List(ctx, notifier.Reader{Seq: 1, Audience: audience})
	if err == nil && len(posts.Items) != len(s.all) {
		err = fmt.Errorf("%d of %d announcements are open", len(posts.Items), len(s.all))
	}
	return b, err
}

// largest adds the memory of the largest bitmap of the first count.
func (w *world) largest(ctx context.Context, count int, into series) error {
	var most int64
	for id := range int64(count) {
		n, err := w.rdb.MemoryUsage(ctx, w.space.Bits(audience, id+1), 0).Result()
		if err != nil {
			return fmt.Errorf("measure a bitmap: %w", err)
		}
		most = max(most, n)
	}
	into.add(ours, float64(most)/megabyte)
	return nil
}

// scribble marks each announcement as read by a random half of the users. Bit 0 and the last
// bit stay as they are.
func (w *world) scribble(ctx context.Context) error {
	const piece = 64 << 10
	bits := random(tenMillion/8 - 1)
	for id := range int64(notifier.MaxOpen) {
		pipe := w.rdb.Pipeline()
		at := int64(1)
		for part := range slices.Chunk(bits, piece) {
			pipe.SetRange(ctx, w.space.Bits(audience, id+1), at, string(part))
			at += int64(len(part))
		}
		if _, err := pipe.Exec(ctx); err != nil {
			return fmt.Errorf("fill a bitmap: %w", err)
		}
	}
	return nil
}

func random(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.Read(b) // never fails
	return b
}

// someone returns one of ten million readers: a different one for each i, spread over the
// bitmaps.
func someone(i int) notifier.Reader {
	const stride = 6_180_339 // has no divisor in common with ten million
	return notifier.Reader{Seq: 1 + int64(i)*stride%tenMillion, Audience: audience}
}
